import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

// The files of a project run one after the other so that they can share processes. Long files start early, because a run ends
// with its last file: the longest of tools goes on for 15 s alone if only units follow it.
const projects = ['whole', 'console', 'agent', 'service', 'tools', 'smb', 'repository', 'evaluation', 'unit'];

// The files with the longest run times, which do not follow from their sizes.
const slow = [
  'whole/start',
  'whole/deployed-api',
  'whole/console/queue-and-views',
  'whole/console/site',
  'whole/agent-package',
  'agent/agent-process',
  // Of service, one that waits for a limit of the product comes between two that use a core.
  'service/documents/intents/crashes',
  'service/folder-requests/random-walk',
  'service/folder-requests/listing',
  'service/documents/intents/unwritten-records',
  'service/activities/evaluation',
  'service/verify/variants',
  'service/documents/transfer/library-faults',
  'service/documents/document-records/document-names',
  'service/folder-requests/routing',
  'service/documents/transfer/on-behalf-of',
  'service/activities/copies-and-drafts',
  'service/documents/transfer/upload',
  'service/documents/presence/gone-files',
  'service/documents/intents/idempotency',
  'service/activities/generate-activity',
  'service/documents/folders/provision',
  'service/documents/presence/one-project',
  'service/early-responses',
  'service/folder-requests/slow-table',
  'service/documents/intents/lost-responses',
  'service/folder-requests/faults',
  'service/documents/transfer/direct-uploads',
  'service/documents/form/upload-disk',
  'service/documents/transfer/upload-outcomes',
  'service/verify/ends',
  'service/documents/form/form-order',
  'service/master-data/searchable-records',
  'service/documents/folders/settings',
  'service/documents/transfer/download',
  'tools/first-deployment',
  'tools/deployment-scripts',
  'tools/bicep',
  'tools/release',
  // Of smb, those that wait for timeouts come between those that use a core.
  'smb/tests/samba-settings',
  'smb/tests/samba-faults',
  'smb/tests/fuzz',
  'smb/tests/many-copies',
  'smb/tests/package',
  'smb/tests/kerberos',
  'smb/tests/tampering',
  'smb/tests/dfs',
  'smb/tests/embedded',
  'smb/tests/hostile-server',
  'smb/tests/local-tree',
  'smb/tests/kerberos/hostile-kdc',
  'smb/tests/samba-limits',
];

/** Orders projects and files as above, the rest by size: a new machine has no durations of earlier runs. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ project, moduleId }: TestSpecification): number => {
      const index = slow.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return projects.indexOf(project.name) * 1000 + (index < 0 ? slow.length : index);
    };
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}

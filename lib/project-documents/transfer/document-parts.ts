import type { User } from '../../callers/caller.ts';
import type { EventLog } from '../../base/event-log.ts';
import type { ConflictBehavior } from '../../document-library/conflict-behavior.ts';
import type { Project } from '../../projects/project.ts';
import type { BlockPool } from '../../uploads/block-pool.ts';
import type { UploadStaging } from '../form/upload-staging.ts';
import type { DirectUploadIndex } from '../intents/direct-upload-index.ts';
import type { FinishedFiles } from '../intents/finished-files.ts';
import type { OpenUploads } from '../intents/open-uploads.ts';
import type { UploadRepair } from '../intents/upload-repair.ts';
import type { GoneFiles } from '../presence/gone-files.ts';
import type { PresenceParts } from '../presence/presence-parts.ts';
import type { SetAsideRevival } from '../presence/set-aside-revival.ts';

/** What the classes of this room work with. */
export interface DocumentParts extends PresenceParts {
  readonly openUploads: OpenUploads;
  readonly finishedFiles: FinishedFiles;
  readonly repair: UploadRepair;
  readonly revival: SetAsideRevival;
  readonly goneFiles: GoneFiles;
  readonly index: DirectUploadIndex;
  readonly staging: UploadStaging;
  readonly pool: BlockPool;
  /** The largest file that passes through the service. */
  readonly maxBytes: number;
  /** Applies to uploads without a conflictBehavior. */
  readonly defaultConflictBehavior: ConflictBehavior;
}

export interface Requester {
  readonly user: User;
  readonly project: Project;
  readonly log: EventLog;
}

/** What an earlier crash or another caller's request has left in the project. Never throws. */
export async function settleProject(
  { repair, revival }: DocumentParts,
  { user, project, log }: Requester,
): Promise<void> {
  await Promise.all([repair.run(user, project.id, log), revival.run(user, project.id, log)]);
}

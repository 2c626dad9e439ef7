import { randomUUID } from 'node:crypto';
import { TableClient } from '@azure/data-tables';
import { systemClock } from '../../lib/contract/clock.ts';
import { subfolders } from '../../lib/contract/subfolders.ts';
import { SearchableRecords } from '../../lib/master-data/searchable-records.ts';
import { DocumentRecords } from '../../lib/project-documents/document-records/document-records.ts';
import type { NewRecord } from '../../lib/project-documents/document-records/document-row.ts';
import { searchDocuments } from '../../lib/project-documents/document-search.ts';
import { projectKind, type ProjectRecords } from '../../lib/projects/project.ts';
import { startAzurite, type Azurite } from '../../local/stand-ins/azurite.ts';
import { StorageWatch } from '../support/storage-watch.ts';

const total = Number(process.env['BENCH_DOCUMENTS'] ?? 100_000);
const shapes = [1, 100, 1_000];
const rounds = 3;
const limit = 50;

/**
 * What a page of 50 costs in lists and searches of 100,000 documents: in one project, in 100, and in 1,000. Storage requests, the
 * rows that the storage reads for them, and the time of the fastest of three, beside an emulator of the storage on this machine.
 */
export async function run(): Promise<void> {
  const azurite = await startAzurite({ scannedRowsPerSecond: Infinity });
  try {
    for (const projects of shapes) console.table(await costsOf(azurite, projects));
  } finally {
    await azurite.stop();
  }
}

interface Cost {
  readonly documents: number;
  readonly requests: number;
  readonly rows: number;
  readonly items: number;
  readonly milliseconds: number;
}

async function costsOf(azurite: Azurite, projectCount: number): Promise<Record<string, Cost>> {
  const watch = new StorageWatch();
  const client = async (table: string): Promise<TableClient> => {
    const created = TableClient.fromConnectionString(azurite.connectionString, table + projectCount, {
      allowInsecureConnection: true,
      additionalPolicies: watch.policies,
    });
    await created.createTable();
    return created;
  };
  const documentRecords = new DocumentRecords(await client('documents'), systemClock);
  const projects: ProjectRecords = new SearchableRecords(await client('projects'), projectKind);
  const perProject = total / projectCount;
  const ids = Array.from({ length: projectCount }, () => randomUUID());
  await projects.write(
    ids.map((id, at) => ({ id, record: { number: `P-${at}`, name: 'Haus', externalId: null } })),
  );
  let added = 0;
  for (const projectId of ids) {
    await documentRecords.readAll(projectId);
    const records = Array.from({ length: perProject }, (_, at) => recordAt(projectId, added + at));
    for (let from = 0; from < records.length; from += 5_000)
      await documentRecords.add(records.slice(from, from + 5_000));
    added += perProject;
  }
  const [projectId = ''] = ids;
  const parts = { documentRecords, projects, clock: systemClock };
  const list = (query: object) => () => documentRecords.list(projectId, { ...query, limit });
  const search = (text: string) => () => searchDocuments(parts, { search: text, limit });
  const operations: Record<string, () => Promise<{ readonly items?: readonly unknown[] }>> = {
    'list, newest first': list({}),
    'list by name': list({ sort: 'name' }),
    'list of one folder': list({ folderName: '02_Aufträge' }),
    'list of one person': list({ uploadedBy: 'user-3' }),
    'search in the project, one found': list({ search: '00077' }),
    'search in the project, all found': list({ search: 'rechn' }),
    'search in the project, none': list({ search: 'gibtesnicht' }),
    'folders and people': async () => ({ items: (await documentRecords.count(projectId)).folders }),
    'search everywhere, one word, one found': search('00077'),
    'search everywhere, one word, all found': search('schlussrechnung'),
    'search everywhere, two words': search('schlussrechnung 00077'),
    'search everywhere, part of a word, all found': search('rechnung'),
    'search everywhere, none, first page': search('gibtesnicht'),
  };
  const costs: Record<string, Cost> = {};
  for (const [name, run] of Object.entries(operations)) {
    let milliseconds = Infinity;
    let cost: Omit<Cost, 'milliseconds' | 'documents'> = { requests: 0, rows: 0, items: 0 };
    for (let round = 0; round < rounds; round += 1) {
      const before = await azurite.scannedRows();
      watch.reset();
      const startedMs = performance.now();
      const { items = [] } = await run();
      milliseconds = Math.min(milliseconds, Math.round(performance.now() - startedMs));
      const rows = (await azurite.scannedRows()) - before;
      cost = { requests: watch.calls.length, rows, items: items.length };
    }
    costs[`${projectCount}: ${name}`] = { documents: added, ...cost, milliseconds };
  }
  return costs;
}

const recordAt = (projectId: string, at: number): NewRecord => ({
  projectId,
  folderName: subfolders[at % 4]!,
  folderPath: '',
  fileName: `2026-04 Schlussrechnung ${String(at).padStart(5, '0')} Gerüstbau.pdf`,
  size: at,
  librarySize: at,
  contentType: 'application/pdf',
  webUrl: `https://example.com/${at}`,
  uploadedByUserId: `user-${at % 20}`,
  uploadedByName: `Person ${at % 20}`,
  uploadedAt: new Date(Date.UTC(2026, 0, 1) + at * 60_000).toISOString(),
  itemId: `item-${at}`,
});

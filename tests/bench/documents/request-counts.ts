import { startAzurite } from '../../../local/stand-ins/azurite.ts';
import { startDocumentService, type DocumentService } from '../../support/document-service.ts';
import { startStorageGate, type StorageGate } from '../../support/storage-gate.ts';
import { fieldsFor, filePart, formOf, sendForm } from '../../support/multipart.ts';

const sizes = [10, 1000, 6000, 20_000];
const perFolder = 5000;

interface Counts {
  readonly project: number;
  readonly operation: string;
  /** Requests to the storage; transactions are among them. */
  storage: number;
  transactions: number;
  /** That queries have scanned, and that point reads have returned. */
  rowsRead: number;
  rowsWritten: number;
  library: number;
}

/**
 * Requests of each operation on the documents of a project, to the storage and to the library, in projects of 10, 1,000,
 * 6,000, and 20,000 documents whose names have five words. A table of 2,000 rows a second needs a second for 2,000 rows read.
 */
export async function requestCounts(): Promise<void> {
  const storage = await startAzurite({ scannedRowsPerSecond: Infinity });
  const gate = await startStorageGate(storage.connectionString);
  const service = await startDocumentService({
    storage,
    storageFor: () => Promise.resolve(gate.connectionString),
  });
  try {
    const rows: Counts[] = [];
    for (const size of sizes) rows.push(...(await countsOf({ service, gate, storage }, size)));
    console.table(rows);
  } finally {
    await service.stop();
    await gate.stop();
  }
}

interface Parts {
  readonly service: DocumentService;
  readonly gate: StorageGate;
  readonly storage: Awaited<ReturnType<typeof startAzurite>>;
}

async function countsOf(parts: Parts, size: number): Promise<Counts[]> {
  const { service } = parts;
  const project = await service.newProject();
  const { id } = project;
  const { folders } = (await service.call('POST', `/documents/projects/${id}/provision`)).body;
  const names = Array.from({ length: size }, (_, index) => fileNameAt(index));
  for (let from = 0; from < size; from += perFolder) {
    const folder = folders[from / perFolder];
    await service.admin('POST', `/items/${folder.id}`, { names: names.slice(from, from + perFolder) });
  }
  const path = `/documents/projects/${id}`;
  const get = async (query: string): Promise<any> => {
    const { status, body } = await service.call('GET', query);
    if (status !== 200) throw new Error(`${query} returned ${status}`);
    return body;
  };
  const refresh = async (): Promise<void> => {
    const { status } = await service.call('POST', `${path}/refresh`);
    if (status !== 200) throw new Error(`refresh returned ${status}`);
  };
  let uploaded = '';
  const upload = async (): Promise<void> => {
    const file = filePart('Neue Schlussrechnung.pdf', Buffer.alloc(1000));
    const { status, body } = await sendForm(
      service,
      id,
      formOf([...fieldsFor('01_Angebote', 'replace'), file]),
    );
    if (status !== 201) throw new Error(`upload returned ${status}`);
    uploaded = body.id;
  };
  const operations: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['refresh, everything new', refresh],
    ['refresh, nothing new', refresh],
    ['upload of a new file', upload],
    ['upload of the same name', upload],
    ['first page, newest first', () => get(path)],
    ['first page of a folder', () => get(`${path}?folderName=01_Angebote`)],
    ['first page by name', () => get(`${path}?sort=name`)],
    ['first page by size', () => get(`${path}?sort=-size`)],
    ['search "rechnung", all of them', () => get(`${path}?search=rechnung`)],
    ['search "0007", few of them', () => get(`${path}?search=0007`)],
    ['all projects, "schluss"', () => get('/documents?search=schluss')],
    ['all projects, "00007"', () => get('/documents?search=00007')],
    ['download', () => service.call('GET', `/documents/${uploaded}/download`)],
    ['deletion', () => service.call('DELETE', `/documents/${uploaded}`)],
  ];
  const rows: Counts[] = [];
  for (const [name, run] of operations) rows.push(await counted(parts, size, name, run));
  return rows;
}

const fileNameAt = (index: number): string =>
  `2026-04 Schlussrechnung ${String(index).padStart(5, '0')} Gerüstbau.pdf`;

async function counted(
  { service, gate, storage }: Parts,
  project: number,
  operation: string,
  run: () => Promise<unknown>,
): Promise<Counts> {
  const counts: Counts = {
    project,
    operation,
    storage: 0,
    transactions: 0,
    rowsRead: 0,
    rowsWritten: 0,
    library: 0,
  };
  gate.onCall = async ({ method, url, body }) => {
    counts.storage += 1;
    if (url.includes('$batch')) {
      counts.transactions += 1;
      counts.rowsWritten += body.match(/ HTTP\/1\.1\r?$/gm)?.length ?? 0;
    } else if (method !== 'GET') counts.rowsWritten += 1;
    else if (url.includes('PartitionKey=')) counts.rowsRead += 1;
    return undefined;
  };
  const scannedBefore = await storage.scannedRows();
  await service.forgetRequests();
  await run();
  gate.onCall = async () => undefined;
  counts.library = (await service.requests()).filter(({ inBatch }) => !inBatch).length;
  counts.rowsRead += (await storage.scannedRows()) - scannedBefore;
  return counts;
}

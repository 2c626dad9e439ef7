// Contacts of a system of record against the whole local stack: two identical complete synchronizations, in batches of
// 1,000. The storage's calls are counted in front of it.
import { readFile } from 'node:fs/promises';
import { startAzurite } from '../../local/stand-ins/azurite.ts';
import { sampleContact } from '../../local/stack/seeds.ts';
import { startStack, type Stack } from '../../local/stack/stack.ts';
import { startStorageGate, type StorageGate } from '../support/storage-gate.ts';

const total = Number(process.env['BENCH_RECORDS'] ?? 50_000);
const perBatch = 1000;

interface Counts {
  reads: number;
  transactions: number;
  rows: number;
  others: number;
}
const none = (): Counts => ({ reads: 0, transactions: 0, rows: 0, others: 0 });

export async function run(): Promise<void> {
  const storage = await startAzurite({ scannedRowsPerSecond: Infinity });
  const gate = await startStorageGate(storage.connectionString);
  const stack = await startStack({
    agent: false,
    storage: () => Promise.resolve(storage),
    serviceSettings: { STORAGE_CONNECTION_STRING: gate.connectionString },
  });
  try {
    // Otherwise it is the one contact that is missing from the synchronization.
    const { baseUrl, tokens } = stack.description;
    await fetch(`${baseUrl}/api/v1/contacts/${sampleContact.id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${tokens.recordsSync}` },
    });
    const rows: Record<string, object> = {};
    for (const name of ['first run', 'second run']) rows[name] = await synchronized(stack, gate);
    console.log(`\n${total.toLocaleString('en')} contacts in batches of ${perBatch.toLocaleString('en')}`);
    console.table(rows);
  } finally {
    await stack.stop();
    await gate.stop();
  }
}

async function synchronized(stack: Stack, gate: StorageGate): Promise<object> {
  const counts = none();
  gate.onCall = async ({ method, url, body }) => {
    if (url.includes('$batch')) {
      counts.transactions += 1;
      counts.rows += body.match(/ HTTP\/1\.1\r?$/gm)?.length ?? 0;
    } else if (method === 'GET' && url.includes('PartitionKey=')) counts.reads += 1;
    else counts.others += 1;
    return undefined;
  };
  const startedMs = performance.now();
  const { id: syncId } = await post(stack, 'syncs', {});
  const outcomes: Record<string, number> = {};
  let [largestBytes, slowestMs, peakMiB] = [0, 0, 0];
  for (let from = 0; from < total; from += perBatch) {
    const items = Array.from({ length: Math.min(perBatch, total - from) }, (_, at) => contactAt(from + at));
    const body = { syncId, items };
    const sentMs = performance.now();
    const result = await post(stack, 'batch', body);
    largestBytes = Math.max(largestBytes, JSON.stringify(body).length);
    slowestMs = Math.max(slowestMs, performance.now() - sentMs);
    peakMiB = Math.max(peakMiB, await residentMiB(stack.host.workerPid));
    for (const name of ['created', 'updated', 'unchanged', 'faults']) {
      outcomes[name] = (outcomes[name] ?? 0) + Number(result[name]);
    }
  }
  const endMs = performance.now();
  const end = await post(stack, `syncs/${String(syncId)}/finish`, {});
  if (end['isFinished'] !== true) throw new Error('the end needs more than one step');
  const per1000 = (count: number): string => (count / (total / 1000)).toFixed(1);
  return {
    outcomes: Object.entries(outcomes)
      .filter(([, count]) => count > 0)
      .map(([name, count]) => `${count} ${name}`)
      .join(', '),
    seconds: ((endMs - startedMs) / 1000).toFixed(0),
    'end, seconds': ((performance.now() - endMs) / 1000).toFixed(1),
    'slowest batch, ms': slowestMs.toFixed(0),
    'largest batch, KiB': (largestBytes / 1024).toFixed(0),
    'storage reads / transactions / others per 1,000': `${per1000(counts.reads)} / ${per1000(counts.transactions)} / ${per1000(counts.others)}`,
    'rows written per 1,000': per1000(counts.rows),
    'rows per transaction': counts.transactions === 0 ? '' : (counts.rows / counts.transactions).toFixed(1),
    'memory of the worker, MiB': peakMiB.toFixed(0),
  };
}

async function post(stack: Stack, path: string, body: object): Promise<Record<string, unknown>> {
  const { baseUrl, tokens } = stack.description;
  const response = await fetch(`${baseUrl}/api/v1/contacts/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens.recordsSync}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Record<string, unknown>;
}

const residentMiB = async (pid: number): Promise<number> =>
  Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

const pick = <T>(list: readonly T[], at: number): T => list[at % list.length]!;
const lastNames = [
  'Müller',
  'Schmidt',
  'Grünwald',
  'Meyer-Lüdenscheidt',
  'Özdemir',
  'Weiß',
  'Krause',
  'Jäger',
];
const firstNames = ['Anna', 'Jörg', 'Karl-Heinz', 'Sabine', 'Mehmet', 'Ute'];
const companies = ['Bau GmbH', 'Bäckerei & Söhne KG', 'Ingenieure', 'Holzbau AG', 'Immobilien'];
const cities = ['Hamburg', 'Köln', 'Bad Oldesloe', 'Bremen', 'München'];

function contactAt(at: number): object {
  const lastName = `${pick(lastNames, at)}${at % 97}`;
  const firstName = pick(firstNames, at);
  return {
    id: `00000000-0000-4000-8000-${String((at * 7919) % 1_000_003).padStart(12, '0')}`,
    externalId: `K-${at}`,
    company: `${pick(lastNames, at + 3)} ${pick(companies, at)}`,
    title: at % 9 === 0 ? 'Dr.' : null,
    firstName,
    lastName,
    street: 'Hauptstraße',
    houseNumber: String(at % 200),
    zip: String(10_000 + (at % 89_999)),
    city: pick(cities, at),
    email: `${firstName}.${lastName}@firma${at % 500}.example`.toLowerCase(),
  };
}

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FolderRequestQueue } from '../../../lib/folder-requests/folder-request-queue.ts';
import { claimFrom, agent } from '../../support/folder-queue.ts';
import {
  costsOfOperations,
  rowsPerSecond,
  newSlowQueue,
  startSlowTables,
  type SlowQueue,
} from '../../support/slow-queue.ts';

// Counts what the table service has to scan for a call, which its limit of 5 s and the 2,000 rows a second of a partition
// are about. For the 5 s of a search, rows take four times as long here, so that its first step is its last, however fast this
// machine is. Of either kind, there are more rows than a step reads, and together more than an operation may scan.
const slowness = 4;
const rowsOfAStep = 4_060;
// Nobody waits for the timer. In two seconds of its minute it compares 1,000 records, so that what is edited by hand in a
// table of an office's year is seen within a minute.
const mostSeconds = new Map([['maintenance, every minute', 2]]);
const waiting = 4_500;
const finished = 4_500;
let azurite: Awaited<ReturnType<typeof startSlowTables>>;
let full: SlowQueue;
let empty: SlowQueue;
/** Requests of its own that were created before all tests. */
let own: readonly string[];

beforeAll(async () => {
  azurite = await startSlowTables();
  full = await newSlowQueue(azurite, { waiting, finished, slowness });
  empty = await newSlowQueue(azurite, { waiting: 0, finished: 0, slowness });
});
afterAll(() => azurite.stop());

async function scannedBy<T>(call: () => Promise<T>): Promise<{ result: T; scanned: number }> {
  const before = await full.scannedRows();
  const result = await call();
  return { result, scanned: (await full.scannedRows()) - before };
}

const list = (query: Partial<Parameters<FolderRequestQueue['list']>[0]>, queue = full.queue) =>
  scannedBy(() => queue.list({ limit: 50, ...query }));

test('every operation takes below a second at 2,000 rows a second, or returns a page and a cursor, and claims cost what they cost in an empty queue', async () => {
  const costs = await costsOfOperations(full);
  const slow = [...costs].filter(
    ([name, { scanned, hasNext }]) => scanned > (mostSeconds.get(name) ?? 1) * rowsPerSecond && !hasNext,
  );
  expect(slow).toEqual([]);
  // Reads that filter are allowed a step that begins before the end of the five seconds.
  const mostRows = (5 * rowsPerSecond) / slowness + rowsOfAStep;
  expect(waiting + finished).toBeGreaterThan(mostRows);
  for (const { scanned } of costs.values()) expect(scanned).toBeLessThanOrEqual(mostRows);
  const gauges = full.log.named('folder_queue_gauges');
  expect(gauges).toHaveLength(1);
  expect(gauges[0]!.fields['pending']).toBeGreaterThanOrEqual(1_000);
  expect(gauges[0]!.fields['oldestPendingSeconds']).toBeGreaterThan(3_600);
  // Exactly the same requests and rows, which is less than the ratio of 1.2 that is allowed.
  const inEmpty = await costsOfOperations(empty);
  for (const name of [...costs.keys()].filter((operation) => operation.startsWith('claim of one server')))
    expect([name, costs.get(name)]).toEqual([name, inEmpty.get(name)]);
});

test('claims and pages scan no more than they return', async () => {
  const ids: string[] = [];
  for (let at = 0; at < 3; at += 1) {
    const facts = { targetPath: `\\\\fs9\\p\\${at}`, requestedByUserId: 'me', projectId: '4711' };
    ids.push((await full.queue.create(facts, full.log)).entry.id);
  }
  own = ids;
  const claim = (servers?: string[]) =>
    scannedBy(() => claimFrom(full.queue, agent('a'), full.log, servers && { servers }));
  const routed = await claim(['fs9']);
  expect([routed.result?.id, routed.scanned <= 8]).toEqual([own[0], true]);
  expect(await claim(['fs2'])).toEqual({ result: null, scanned: 0 });
  const oneOfMany = await claim(['s2000']);
  expect([oneOfMany.result?.id, oneOfMany.scanned]).toEqual([full.waiting[2_000]!.id, 1]);
  // The most that a claim can name, of which it reads some.
  const servers = Array.from({ length: 50 }, (_, at) => 4_400 - at * 75);
  const fifty = await claim(servers.map((at) => `s${at}`));
  expect(servers.map((at) => full.waiting[at]!.id)).toContain(fifty.result?.id);
  expect(fifty.scanned).toBeLessThanOrEqual(24);

  for (const status of [undefined, 'FULFILLED'] as const) {
    const { result, scanned } = await list({ status });
    expect([result.items.length, scanned]).toEqual([50, 51]);
  }
  expect((await list({ status: 'PROCESSING' })).scanned).toBeLessThanOrEqual(5);
  // Pointers, and a record for each.
  const mine = await list({ requestedBy: 'me' });
  expect([mine.result.items.length, mine.scanned <= 6]).toEqual([3, true]);
  expect((await list({ projectId: '4711' })).scanned).toBeLessThanOrEqual(6);
});

test('a search for what is not there scans all rows once', async () => {
  const ofNobody = await list({ agentId: 'nobody' }, full.patient);
  expect(ofNobody.result).toEqual({ items: [], nextCursor: null });
  expect(ofNobody.scanned).toBeLessThanOrEqual(waiting + finished + 20);
});

test('the newest of many PENDING requests are found by bounded reads, and at once when they are listed again', async () => {
  const newest = await list({ status: 'PENDING' }, full.patient);
  expect(newest.result.items.slice(0, 2).map(({ id }) => id)).toEqual([own[2], own[1]]);
  expect(newest.scanned).toBeLessThanOrEqual(4_000);
  expect((await list({ status: 'PENDING' }, full.patient)).scanned).toBeLessThanOrEqual(60);
});

test('300 requests of a period, in the middle of all, are two calls that scan little more than they return', async () => {
  const [from, to] = [full.finished[2_000]!.createdAtMs, full.finished[2_300]!.createdAtMs];
  const period = { fromMs: from, toMs: to, limit: 200 };
  const first = await list(period);
  const second = await list({ ...period, cursor: first.result.nextCursor ?? '' });
  expect(second.result.nextCursor).toBeNull();
  const listed = [...first.result.items, ...second.result.items].map(({ id }) => id);
  const expected = full.finished.slice(2_000, 2_300).map(({ id }) => id);
  expect(listed).toEqual(expected.toReversed());
  // One row more than a page shows whether there is another one.
  expect(first.scanned + second.scanned).toBeLessThanOrEqual(2 * 202);
});

import { TableClient } from '@azure/data-tables';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../../lib/contract/clock.ts';
import type { FolderRequestQueue } from '../../../lib/folder-requests/folder-request-queue.ts';
import type { StoredFolderRequest } from '../../../lib/folder-requests/requests/folder-request.ts';
import { creation } from '../../../lib/folder-requests/table/transitions.ts';
import { startAzurite, type Azurite } from '../../../local/stand-ins/azurite.ts';
import { claimFrom, agent, openQueue, RecordedLog } from '../../support/folder-queue.ts';
import { ended, pendingRequests } from './fixture.ts';

const log = new RecordedLog();
const waiting = 10_000;
const finished = 20_000;
let azurite: Azurite;
let queue: FolderRequestQueue;
/** Another instance, whose searches are never too long. */
let patient: FolderRequestQueue;
let own: readonly string[];
/** Finished requests, oldest first. */
let history: readonly StoredFolderRequest[];
/** Waiting requests, oldest first, each for a server of its own: s0 to s9999. */
let backlog: readonly StoredFolderRequest[];

// Counts what the table service has to scan for a call, which its limit of 5 s and the 2,000 rows a second of a partition
// are about. The tables themselves are fast here.
beforeAll(async () => {
  azurite = await startAzurite({ scannedRowsPerSecond: 10_000_000 });
  const client = TableClient.fromConnectionString(azurite.connectionString, 'FolderRequests', {
    allowInsecureConnection: true,
    retryOptions: { maxRetries: 0 },
  });
  await client.createTable();
  const nowMs = Date.now();
  const targets = (count: number) => Array.from({ length: count }, (_, at) => `\\\\s${at}\\p\\a`);
  history = pendingRequests(targets(finished), { sinceMs: nowMs - 7 * 86_400_000 }).map((request) =>
    ended(request, { status: 'FULFILLED' }),
  );
  backlog = pendingRequests(targets(waiting), { sinceMs: nowMs - 3 * 86_400_000, seed: 8 });
  const rows = [...history, ...backlog].flatMap((request) =>
    creation(request, 'loaded').map(([, row]) => row as unknown as Record<string, unknown>),
  );
  await azurite.load('FolderRequests', rows);
  queue = openQueue(client, { clock: systemClock, seed: 1 });
  patient = openQueue(client, { clock: { ...systemClock, now: () => nowMs }, seed: 2 });
  const ids: string[] = [];
  for (let at = 0; at < 3; at += 1) {
    const facts = { targetPath: `\\\\fs1\\p\\${at}`, requestedByUserId: 'me', projectId: '4711' };
    ids.push((await queue.create(facts, log)).entry.id);
  }
  own = ids;
  await claimFrom(queue, agent('a'), log, { servers: ['nothing'] });
}, 120_000);

afterAll(async () => azurite.stop());

async function scannedBy<T>(call: () => Promise<T>): Promise<{ result: T; scanned: number }> {
  const before = await azurite.scannedRows();
  const result = await call();
  return { result, scanned: (await azurite.scannedRows()) - before };
}

test('behind 10,000 requests for as many servers and 20,000 finished ones, no call scans more than it returns', async () => {
  const claim = (servers?: string[]) =>
    scannedBy(() => claimFrom(queue, agent('a'), log, servers && { servers }));
  const routed = await claim(['fs1']);
  expect([routed.result?.id, routed.scanned <= 8]).toEqual([own[0], true]);
  expect(await claim(['fs2'])).toEqual({ result: null, scanned: 0 });
  const any = await claim();
  expect([any.result?.id, any.scanned <= 8]).toEqual([backlog[0]!.id, true]);
  const oneOfMany = await claim(['s5000']);
  expect([oneOfMany.result?.id, oneOfMany.scanned]).toEqual([backlog[5_000]!.id, 1]);
  // The most that a claim can name; each read finds out where the next lanes are.
  const fifty = await claim(Array.from({ length: 50 }, (_, at) => `s${9_000 - at * 150}`));
  expect([fifty.result?.id, fifty.scanned <= 100]).toEqual([backlog[1_650]!.id, true]);

  const list = (query: Partial<Parameters<FolderRequestQueue['list']>[0]>) =>
    scannedBy(async () => (await queue.list({ limit: 50, ...query })).items.length);
  expect(await list({})).toEqual({ result: 50, scanned: 51 });
  expect(await list({ status: 'FULFILLED' })).toEqual({ result: 50, scanned: 51 });
  expect(await list({ status: 'FAILED' })).toEqual({ result: 0, scanned: 0 });
  expect(await list({ status: 'PROCESSING' })).toEqual({ result: 4, scanned: 4 });
  // Pointers, and a record for each.
  expect((await list({ requestedBy: 'me' })).result).toBe(3);
  expect((await list({ requestedBy: 'me' })).scanned).toBeLessThanOrEqual(6);
  expect((await list({ projectId: '4711' })).scanned).toBeLessThanOrEqual(6);
});

test('what has to search scans a bounded number of rows per call', async () => {
  const list = (query: Partial<Parameters<FolderRequestQueue['list']>[0]>) =>
    scannedBy(() => queue.list({ limit: 50, ...query }));
  // All of them, once, since only the end shows that there is none; in more than one call if that takes over five seconds.
  const ofNobody = await scannedBy(() => patient.list({ agentId: 'nobody', limit: 50 }));
  expect(ofNobody.result).toEqual({ items: [], nextCursor: null });
  expect(ofNobody.scanned).toBeLessThanOrEqual(waiting + finished + 10);
  const newest = await list({ status: 'PENDING' });
  expect(newest.result.items.slice(0, 2).map(({ id }) => id)).toEqual([own[2], own[1]]);
  expect(newest.scanned).toBeLessThanOrEqual(4_000);
  expect((await list({ status: 'PENDING' })).scanned).toBeLessThanOrEqual(60);
  expect((await scannedBy(() => queue.statistics(168))).scanned).toBeLessThanOrEqual(2_100);
  const maintenance = await scannedBy(() => queue.maintenance.run(log));
  expect(maintenance.scanned).toBeLessThanOrEqual(2_100);
  const gauges = log.named('folder_queue_gauges').at(-1)?.fields;
  expect(gauges).toMatchObject({ pending: 1_000, oldestPendingSeconds: expect.any(Number) });
  expect(gauges?.['oldestPendingSeconds']).toBeGreaterThan(2 * 86_400);
});

test('300 requests of a period, in the middle of 30,000, are two calls that scan little more than they return', async () => {
  const from = history[10_000]!.createdAtMs;
  const to = history[10_300]!.createdAtMs;
  const period = { fromMs: from, toMs: to, limit: 200 };
  const first = await scannedBy(() => queue.list(period));
  const second = await scannedBy(() => queue.list({ ...period, cursor: first.result.nextCursor ?? '' }));
  expect(second.result.nextCursor).toBeNull();
  const listed = [...first.result.items, ...second.result.items].map(({ id }) => id);
  const expected = history.filter(({ createdAtMs }) => createdAtMs >= from && createdAtMs < to);
  expect(expected).toHaveLength(300);
  expect(listed).toEqual(expected.map(({ id }) => id).toReversed());
  // One row more than a page shows whether there is another one.
  expect(first.scanned + second.scanned).toBeLessThanOrEqual(2 * 202);
});

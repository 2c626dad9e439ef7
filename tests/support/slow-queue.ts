import { randomBytes } from 'node:crypto';
import { TableClient } from '@azure/data-tables';
import { systemClock } from '../../lib/contract/clock.ts';
import {
  applyClaim,
  pendingFolderRequest,
  applyReport,
  type StoredFolderRequest,
} from '../../lib/folder-requests/requests/folder-request.ts';
import { FolderRequestQueue } from '../../lib/folder-requests/folder-request-queue.ts';
import { RequestIds } from '../../lib/folder-requests/requests/request-id.ts';
import { creation } from '../../lib/folder-requests/table/transitions.ts';
import { type Azurite, startAzurite } from '../../local/stand-ins/azurite.ts';
import { RecordedLog, agent, certain, claimFrom } from './folder-queue.ts';
import { StorageWatch } from './storage-watch.ts';

/** The planning figure for a partition of the table service. */
export const rowsPerSecond = 2_000;

export interface SlowQueue {
  readonly queue: FolderRequestQueue;
  readonly watch: StorageWatch;
  readonly log: RecordedLog;
  /** Finished requests, oldest first. */
  readonly finished: readonly StoredFolderRequest[];
  /** Waiting requests, oldest first, each for a server of its own: s0, s1, and so on. */
  readonly waiting: readonly StoredFolderRequest[];
  /** Another instance, whose searches are never too long. */
  readonly patient: FolderRequestQueue;
  readonly scannedRows: () => Promise<number>;
}

export interface Cost {
  readonly calls: number;
  readonly roundTrips: number;
  readonly returned: number;
  /** Rows that the table service read. Divided by {@link rowsPerSecond}, the seconds that it takes. */
  readonly scanned: number;
  /** Of a list: whether its page leads to another. */
  readonly hasNext: boolean;
}

const own = '\\\\fs1\\projects\\Kunde';

/** Tables with the pages of the real service, whose scans are counted instead of waited for. */
export const startSlowTables = (): Promise<Azurite> => startAzurite({ scannedRowsPerSecond: rowsPerSecond });

/**
 * A queue of one shard on a table of its own, with requests of the last day.
 *
 * @param slowness how many times as long the rows take for the queue's clock as at {@link rowsPerSecond}
 */
export async function newSlowQueue(
  azurite: Azurite,
  { slowness = 1, ...counts }: { waiting: number; finished: number; slowness?: number },
): Promise<SlowQueue> {
  const table = `queue${randomBytes(8).toString('hex')}`;
  const watch = new StorageWatch();
  const spent = new StorageWatch();
  const client = TableClient.fromConnectionString(azurite.connectionString, table, {
    allowInsecureConnection: true,
    retryOptions: { maxRetries: 0 },
    additionalPolicies: [
      ...watch.policies,
      ...spent.policies.map((each) => ({ ...each, policy: { ...each.policy, name: 'spent' } })),
    ],
  });
  await client.createTable();
  const { finished, waiting } = requestsOf(counts);
  await azurite.load(table, rowsOf([...finished, ...waiting]));
  // The time that the rows would have taken, which nobody waits for.
  const now = (): number => Date.now() + ((spent.rowsRead * slowness) / rowsPerSecond) * 1000;
  const startedMs = now();
  const instance = (time: () => number) => {
    const clock = certain({ ...systemClock, now: time });
    const rules = { shards: 1, leaseMs: 300_000, maxExpiredLeases: 5 };
    return new FolderRequestQueue(client, rules, { clock, randomBytes });
  };
  return {
    queue: instance(now),
    patient: instance(() => startedMs),
    watch,
    log: new RecordedLog(),
    finished,
    waiting,
    scannedRows: () => azurite.scannedRows(),
  };
}

function requestsOf(counts: { waiting: number; finished: number }) {
  const ids = new RequestIds(randomBytes);
  const sinceMs = Date.now() - 86_400_000;
  const count = counts.waiting + counts.finished;
  const requests = Array.from({ length: count }, (_, at) => {
    const createdAtMs = sinceMs + Math.floor((at * 86_000_000) / count);
    const targetPath = `\\\\s${at - counts.finished}\\projects\\Kunde`;
    const facts = { targetPath, requestedByUserId: 'user-1', createdAtMs };
    const request = pendingFolderRequest({ id: ids.next(createdAtMs, 0), ...facts });
    if (at >= counts.finished) return request;
    const lease = { nowMs: createdAtMs, leaseMs: 1 };
    const held = applyClaim(request, { agentId: 'earlier', claimToken: 'token' }, lease);
    const outcome = applyReport(held, 'earlier', { status: 'FULFILLED' }, createdAtMs);
    if (!('next' in outcome)) throw new Error('expected the report to be accepted');
    return outcome.next;
  });
  return { finished: requests.slice(0, counts.finished), waiting: requests.slice(counts.finished) };
}

function* rowsOf(requests: Iterable<StoredFolderRequest>): Generator<Record<string, unknown>> {
  for (const request of requests) {
    for (const [, entity] of creation(request, 'loaded')) yield entity;
  }
}

/** What each operation of the queue costs, in the order of a request's life. */
export async function costsOfOperations({
  queue,
  watch,
  log,
  scannedRows,
}: SlowQueue): Promise<ReadonlyMap<string, Cost>> {
  const costs = new Map<string, Cost>();
  const cost = async <T>(name: string, call: () => Promise<T>): Promise<T> => {
    const before = await scannedRows();
    watch.reset();
    const value = await call();
    const { nextCursor = null } = (value ?? {}) as { nextCursor?: string | null };
    const scanned = (await scannedRows()) - before;
    costs.set(name, {
      calls: watch.calls.length,
      roundTrips: watch.roundTrips,
      returned: watch.rowsRead,
      scanned,
      hasNext: nextCursor !== null,
    });
    return value;
  };
  const me = agent('me');
  const routing = { servers: ['fs1'], relative: false };
  const facts = { targetPath: own, requestedByUserId: 'user-2' };
  const claim = async (name: string) => (await cost(name, () => claimFrom(queue, me, log, routing)))!;

  await cost('claim of one server, nothing there', () => claimFrom(queue, me, log, routing));
  await cost('create', () => queue.create(facts, log));
  await cost('create with a key', () => queue.create({ ...facts, idempotencyKey: 'k' }, log));
  const first = await claim('claim of one server');
  const { id, claimToken } = first;
  await cost('heartbeat', () => queue.heartbeat(id, 'me', claimToken, log));
  await cost('list PROCESSING', () => queue.list({ status: 'PROCESSING', limit: 50 }));
  await cost('report', () => queue.report(id, me, { status: 'FAILED', errorMessage: 'no', claimToken }, log));
  await cost('list FAILED', () => queue.list({ status: 'FAILED', limit: 50 }));
  await cost('requeue', () => queue.requeue(id, { userId: 'admin' }, log));
  const again = await claim('claim of one server again');
  const held = { claimToken: again.claimToken, reason: 'stops' };
  await cost('release', () => queue.release(again.id, me, held, log));
  await cost('get', () => queue.get(id));
  await cost('withdraw', () => queue.withdraw(again.id, { userId: 'user-2', mayAny: false }, log));
  await cost('claim of any server', () => claimFrom(queue, me, log));
  await cost('list', () => queue.list({ limit: 50 }));
  await cost('list PENDING', () => queue.list({ status: 'PENDING', limit: 50 }));
  await cost('list FULFILLED', () => queue.list({ status: 'FULFILLED', limit: 50 }));
  for (const status of [undefined, 'PENDING', 'PROCESSING', 'FULFILLED', 'FAILED'] as const) {
    const name = `list ${status ?? ''} of an agent without requests`.replace('  ', ' ');
    await cost(name, () => queue.list({ status, agentId: 'nobody', limit: 50 }));
  }
  await cost('statistics of 168 hours', () => queue.statistics(168));
  await cost('statistics of the agents', () => queue.agentStatistics(24));
  await cost('maintenance, every minute', () => queue.maintenance.run(log));
  return costs;
}

// Many agents on one queue: the service's own code against a simulated table with the published limits, in simulated time
// (docs/scale.md). Nothing here was measured in Azure.

import { idleDelayMs } from '../../agent/backoff.ts';
import { FolderRequestQueue } from '../../lib/folder-requests/folder-request-queue.ts';
import { RecordedLog, agent, certain, claimFrom, seededBytes } from '../support/folder-queue.ts';
import { SimulatedClock } from './scale/simulated-clock.ts';
import { SimulatedTable } from './scale/simulated-table.ts';

interface Load {
  readonly agents: number;
  readonly pollIntervalMs: number;
  readonly instances: number;
  readonly shards: number;
  /** File servers, each served by agents of its own; 0 if every agent serves every request. */
  readonly servers: number;
  readonly requestsPerSecond: number;
}

// A million requests a day, a tenth of them in the busiest hour.
const busyHourPerSecond = 1_000_000 / 10 / 3_600;
const workMs = 2_000;
const measuredSeconds = 20;
const warmUpSeconds = 10;

const base: Load = {
  agents: 10_000,
  pollIntervalMs: 30_000,
  instances: 4,
  shards: 1,
  servers: 0,
  requestsPerSecond: busyHourPerSecond,
};

// As many instances as serve the calls at nine at a time, twice over; one row has all that the plan allows.
const loads: readonly (readonly [string, Load])[] = [
  [
    '100 agents every 3 s, 2 instances, 5 requests/s',
    { ...base, agents: 100, pollIntervalMs: 3_000, instances: 2, requestsPerSecond: 5 },
  ],
  ['1,000 agents every 3 s, 4 instances', { ...base, agents: 1_000, pollIntervalMs: 3_000 }],
  ['10,000 agents every 3 s, 24 instances', { ...base, pollIntervalMs: 3_000, instances: 24 }],
  ['10,000 agents every 30 s, 4 instances', base],
  ['the same, 40 instances', { ...base, instances: 40 }],
  ['the same, 40 instances, 4 shards', { ...base, instances: 40, shards: 4 }],
  ['the same, 4 instances, 1,000 file servers', { ...base, servers: 1_000 }],
  ['the same, 4 instances, 50 requests/s', { ...base, requestsPerSecond: 50 }],
  [
    'the same, 8 instances, 4 shards, 200 requests/s',
    { ...base, instances: 8, shards: 4, requestsPerSecond: 200 },
  ],
];

export async function run(): Promise<void> {
  console.log(
    `\n${measuredSeconds} s of simulated time; ${workMs / 1000} s of work per request; storage requests take 5 to 15 ms`,
  );
  const rows: Record<string, Record<string, string>> = {};
  for (const [name, load] of loads) rows[name] = await simulated(load);
  console.table(rows);
}

async function simulated(load: Load): Promise<Record<string, string>> {
  const clock = new SimulatedClock(Date.UTC(2026, 0, 1));
  const random = uniform(1);
  const table = new SimulatedTable(clock, random);
  const log = new RecordedLog();
  const queues = Array.from(
    { length: load.instances },
    (_, at) =>
      new FolderRequestQueue(
        table.client,
        { shards: load.shards, leaseMs: 60_000, maxExpiredLeases: 5 },
        { clock: certain(clock), randomBytes: seededBytes(at + 1) },
      ),
  );
  const anyQueue = (): FolderRequestQueue => queues[Math.floor(random() * queues.length)]!;
  const startMs = clock.now();
  const endMs = startMs + (warmUpSeconds + measuredSeconds) * 1000;
  let isMeasured = false;
  const waitedMs: number[] = [];
  const count = { claims: 0, calls: 0, failures: 0 };

  const serverOf = (at: number): string | undefined =>
    load.servers === 0 ? undefined : `server-${at % load.servers}`;
  const work = async (at: number): Promise<void> => {
    const me = agent(`agent-${at}`);
    const server = serverOf(at);
    const routing = server === undefined ? undefined : { servers: [server], relative: false };
    await clock.wait(random() * load.pollIntervalMs);
    while (clock.now() < endMs) {
      count.calls += isMeasured ? 1 : 0;
      try {
        const claim = await claimFrom(anyQueue(), me, log, routing);
        if (claim) {
          if (isMeasured) waitedMs.push(clock.now() - Date.parse(claim.createdAt));
          count.claims += isMeasured ? 1 : 0;
          await clock.wait(workMs);
          await anyQueue().report(claim.id, me, { status: 'FULFILLED', claimToken: claim.claimToken }, log);
          continue;
        }
      } catch {
        count.failures += isMeasured ? 1 : 0;
      }
      await clock.wait(idleDelayMs(load.pollIntervalMs, random()));
    }
  };
  const create = async (): Promise<void> => {
    for (let at = 0; clock.now() < endMs; at += 1) {
      const server = serverOf(Math.floor(random() * load.agents));
      const targetPath = server === undefined ? 'Kunde\\Projekt' : `\\\\${server}\\projects\\Kunde`;
      void anyQueue()
        .create({ targetPath, requestedByUserId: `user-${at % 100}` }, log)
        .catch(() => (count.failures += isMeasured ? 1 : 0));
      // Exponential, as independent people are.
      await clock.wait((-Math.log(1 - random()) / load.requestsPerSecond) * 1000);
    }
  };

  for (let at = 0; at < load.agents; at += 1) void work(at);
  void create();
  await clock.run(startMs + warmUpSeconds * 1000);
  table.reset();
  isMeasured = true;
  await clock.run(endMs);
  isMeasured = false;

  const sorted = waitedMs.toSorted((one, other) => one - other);
  const waited = (share: number): string => `${Math.round(sorted[Math.floor(sorted.length * share)] ?? NaN)}`;
  const perSecond = (total: number): string => (total / measuredSeconds).toFixed(0);
  return {
    'claim calls/s': perSecond(count.calls),
    'claims/s': (count.claims / measuredSeconds).toFixed(1),
    'waited ms, median / 99 %': `${waited(0.5)} / ${waited(0.99)}`,
    'storage requests/s': perSecond(table.requests),
    'entities/s': perSecond(table.entities),
    'busiest partition, entities/s': String(table.busiest),
    'throttled, % of requests': ((100 * table.rejected) / table.requests).toFixed(2),
    'conflicts per claim': (table.conflicts / Math.max(1, count.claims)).toFixed(2),
    'failed calls': String(count.failures),
  };
}

/** Numbers in [0, 1), the same for the same seed. */
function uniform(seed: number): () => number {
  const bytes = seededBytes(seed);
  return () => bytes(4).reduce((value, byte) => value * 256 + byte, 0) / 2 ** 32;
}

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ClaimRouting, FolderRequestStatus } from '../../../lib/contract/folder-requests.ts';
import type { FolderRequestQueue } from '../../../lib/folder-requests/folder-request-queue.ts';
import { agentKeyOf, hourMs, hourOf } from '../../../lib/folder-requests/table/outcomes.ts';
import { agent, allRows, claimFrom, faultsOfTable } from '../../support/folder-queue.ts';
import { newQueueWorld, type QueueWorld } from './fixture.ts';
import { type ModelRequest, QueueModel, type Verdict } from './queue-model.ts';

const leaseMs = 60_000;
const maxExpiredLeases = 3;
const rules = { leaseMs, maxExpiredLeases };
const agentIds = ['a', 'b', 'c'];
const users = [
  { requestedByUserId: 'u', requestedByName: 'Max Mustermann' },
  { requestedByUserId: 'v', projectId: '4711' },
];
const targets = {
  relative: 'Kunde',
  short: '\\\\fs1\\p\\a',
  long: '\\\\FS1.firma.example\\p\\a',
  ofOtherDomain: '\\\\fs1.other.example\\p\\a',
  other: '\\\\fs2\\p\\a',
};
const allTargets = Object.values(targets);
const { relative, short, long, ofOtherDomain, other } = targets;
const routings: readonly { readonly routing?: ClaimRouting; readonly served: readonly string[] }[] = [
  { served: allTargets },
  { routing: { servers: ['FS1'] }, served: [short, long, ofOtherDomain] },
  { routing: { servers: ['fs1.Firma.example'], relative: false }, served: [short, long] },
  { routing: { servers: ['fs2'], relative: true }, served: [relative, other] },
  { routing: { servers: [], relative: true }, served: [relative] },
];

/** A step as data, so a failing walk can be shrunk. Each number selects from what exists at that point of the walk. */
interface StepPlan {
  readonly action: number;
  readonly instance: number;
  readonly agent: number;
  readonly request: number;
  /** Whether the request is one of an ended lease, if there is any: few requests are at a time. */
  readonly ofEndedLease: number;
  /** For decisions within the action. */
  readonly chances: readonly [number, number, number, number];
}
/** 0 (included) to 1 (excluded). */
const fraction = fc.nat({ max: 999_999 }).map((value) => value / 1_000_000);
const walk: fc.Arbitrary<StepPlan[]> = fc.noBias(
  fc.array(
    fc.record({
      action: fraction,
      instance: fraction,
      agent: fraction,
      request: fraction,
      ofEndedLease: fraction,
      chances: fc.tuple(fraction, fraction, fraction, fraction),
    }),
    { maxLength: 600, size: 'max' },
  ),
);

// A failing walk is shrunk until the time limit, which is far above what a busy machine needs, because it also ends walks that
// do not fail.
const interruptAfterTimeLimit = 300_000;

/** What a walk must have covered, each at least three times: a step and what came of it. */
const expectedSteps = Object.entries({
  create: ['new', 'repeated', 'idempotency_key_reused'],
  claim: ['claimed', 'nothing'],
  'routed claim': ['claimed', 'nothing'],
  'report FULFILLED': ['done', 'repeated', 'claim_lost', 'not_processing'],
  'report FULFILLED of an ended lease': ['done', 'claim_lost'],
  'report FAILED': ['done', 'repeated', 'claim_lost', 'not_processing'],
  heartbeat: ['done', 'claim_lost'],
  'heartbeat of an ended lease': ['done'],
  release: ['done', 'claim_lost'],
  'release of an ended lease': ['claim_lost'],
  requeue: ['done', 'not_failed'],
  withdraw: ['done', 'not_pending', 'forbidden'],
  withdrawn: ['folder_request_not_found'],
  'hand edit': ['done'],
  maintenance: ['done'],
}).flatMap(([step, results]) => results.map((result) => `${step}: ${result}`));

test.each([
  { shards: 1, seed: 158 },
  { shards: 2, seed: 32 },
])('a random walk with $shards shards agrees with the model', { timeout: 400_000 }, async (given) => {
  const counts = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(walk, async (plans) => {
      const taken: string[] = [];
      try {
        await walked(plans, given.shards, taken);
      } catch (error) {
        throw new Error(`failed after step ${taken.length}: … ${taken.slice(-40).join(', ')}`, {
          cause: error,
        });
      }
      for (const step of taken) counts.set(step, (counts.get(step) ?? 0) + 1);
    }),
    { seed: given.seed, numRuns: 1, interruptAfterTimeLimit },
  );
  for (const step of expectedSteps) expect(counts.get(step) ?? 0, step).toBeGreaterThanOrEqual(3);
});

interface Step {
  readonly world: QueueWorld;
  readonly queue: FolderRequestQueue;
  readonly model: QueueModel;
  readonly shards: number;
  readonly agentId: string;
  readonly request: ModelRequest | undefined;
  readonly random: () => number;
  readonly handEdited: Set<string>;
}

/** Walks on a new table, and adds each step to `taken`. */
async function walked(plans: readonly StepPlan[], shards: number, taken: string[]): Promise<void> {
  const world = await newQueueWorld();
  const model = new QueueModel(leaseMs, maxExpiredLeases);
  const instances = [0, 1, 2].map(() => world.instance({ ...rules, shards }).queue);
  const handEdited = new Set<string>();
  for (const [number, plan] of plans.entries()) {
    const queue = at(instances, plan.instance)!;
    const chances = [...plan.chances];
    const step: Step = {
      world,
      queue,
      model,
      shards,
      agentId: at(agentIds, plan.agent)!,
      request: at(requestsFor(plan, model), plan.request),
      random: () => chances.pop() ?? 0,
      handEdited,
    };
    taken.push(await take(plan.action, number, step));
    if (number % 300 === 299) await compare(step);
  }
  const end = { world, queue: world.instance({ ...rules, shards }).queue, model, shards, handEdited };
  await maintain(end);
  await compare(end);
  // With all entries of the walk, and a read for each request.
  const expected = model.requests.map(({ entry, history }) => ({ ...entry, history }));
  expect(await Promise.all(expected.map(({ id }) => end.queue.get(id)))).toEqual(expected);
}

/** Only the newest requests change, which keeps a mix of statuses. */
function requestsFor({ ofEndedLease }: StepPlan, { requests }: QueueModel): readonly ModelRequest[] {
  const newest = requests.slice(-25);
  const ended = newest.filter(isOfEndedLease);
  return ofEndedLease < 0.4 && ended.length > 0 ? ended : newest;
}

const isOfEndedLease = ({ entry, token }: ModelRequest): boolean =>
  entry.status === 'PENDING' && token !== null;

const at = <T>(items: readonly T[], part: number): T | undefined => items[Math.floor(part * items.length)];

async function take(action: number, number: number, step: Step): Promise<string> {
  const { world, request, random, handEdited } = step;
  // As many requests as keep the agents at work.
  if (action < 0.13 && step.model.requests.length * 12 <= number + 40) return create(step);
  if (action < 0.25) return claim(step, routings[0]!, 'claim');
  if (action < 0.37) return claim(step, at(routings.slice(1), random())!, 'routed claim');
  if (action < 0.39) return maintain(step);
  if (action < 0.48) {
    world.clock.advance(Math.floor(random() * leaseMs * 0.9));
    return 'wait: done';
  }
  if (action < 0.5 && step.model.withdrawn.length > 0) return callWithdrawn(step);
  if (!request || handEdited.has(request.entry.id)) return 'none: none';
  if (action < 0.7) return report(step, request);
  if (action < 0.8) return heartbeat(step, request);
  if (action < 0.86) return release(step, request);
  if (action < 0.92) return requeue(step, request);
  if (action < 0.95) return handEdit(step, request);
  return withdraw(step, request);
}

/** Compares what a call returns, or its rejection, with the model. */
async function agreed(call: Promise<unknown>, verdict: Verdict): Promise<string> {
  if ('code' in verdict) {
    await expect(call).rejects.toMatchObject({ code: verdict.code });
    return verdict.code;
  }
  expect(await call).toEqual(verdict.returns);
  return 'done';
}

async function create({ world, queue, model, random, handEdited }: Step): Promise<string> {
  const key = at(['k1', 'k2', undefined, undefined, undefined], random());
  const facts = {
    ...at(users, random())!,
    targetPath: at(allTargets, random())!,
    ...(key !== undefined && { idempotencyKey: key }),
  };
  const first = model.ofKey(facts);
  if (typeof first === 'object' && handEdited.has(first.entry.id)) return 'none: none';
  const call = queue.create(facts, world.log);
  if (first === 'idempotency_key_reused') return `create: ${await agreed(call, { code: first })}`;
  if (first !== undefined) {
    await agreed(call, { returns: { entry: first.entry, isNew: false } });
    return 'create: repeated';
  }
  const { entry, isNew } = await call;
  expect([entry, isNew]).toEqual([model.create(entry.id, facts, world.clock.now()), true]);
  return 'create: new';
}

async function claim(
  { world, queue, model, shards, agentId }: Step,
  { routing, served }: (typeof routings)[number],
  name: string,
): Promise<string> {
  model.lapse(world.clock.now());
  const claimable = model.waiting().filter(({ entry }) => served.includes(entry.targetPath));
  const claimed = await claimFrom(queue, agent(agentId), world.log, routing);
  if (!claimed) {
    expect(claimable).toEqual([]);
    return `${name}: nothing`;
  }
  // Without routing, the oldest of all shards is approximate: an instance reads first the shards in which it knows of work.
  const shardOf = (id: string): string | undefined => (routing ? undefined : id.at(-1));
  const expected = claimable.find(({ entry }) => shards === 1 || shardOf(entry.id) === shardOf(claimed.id));
  const { claimToken } = claimed;
  expect(claimToken).toMatch(/^[\w-]{22}$/);
  expect(claimed).toEqual(model.claim(expected!, { agentId, claimToken }, world.clock.now()));
  return `${name}: claimed`;
}

/** The token of the last claim, or one that is not valid. */
const someToken = ({ token, oldTokens }: ModelRequest, random: () => number): string =>
  random() < 0.75 ? (token ?? 'none') : (oldTokens.at(-1) ?? 'never issued');

/** Three quarters of the calls are by the agent that has the request, as far as one has. */
const someAgent = ({ entry }: ModelRequest, { agentId, random }: Step): string =>
  random() < 0.75 ? (entry.agentId ?? agentId) : agentId;

const nameOf = (name: string, request: ModelRequest): string =>
  isOfEndedLease(request) ? `${name} of an ended lease` : name;

async function report(step: Step, request: ModelRequest): Promise<string> {
  const { world, queue, model, random } = step;
  const { id, status } = request.entry;
  const agentId = someAgent(request, step);
  const chance = random();
  const claimToken = chance < 0.3 ? undefined : someToken(request, random);
  const failed = {
    status: 'FAILED',
    errorMessage: `no ${chance}`,
    ...(chance < 0.6 && ({ errorCode: 'disk_full', errorParams: { path: '\\\\fs1\\p' } } as const)),
  } as const;
  const outcome = random() < 0.5 ? ({ status: 'FULFILLED' } as const) : failed;
  const sent = { ...outcome, ...(claimToken !== undefined && { claimToken }) };
  const name = nameOf(`report ${outcome.status}`, request);
  const verdict = model.report(request, { agentId, claimToken }, sent, world.clock.now());
  const result = await agreed(queue.report(id, agent(agentId), sent, world.log), verdict);
  return `${name}: ${result === 'done' && status === outcome.status ? 'repeated' : result}`;
}

async function heartbeat(step: Step, request: ModelRequest): Promise<string> {
  const { world, queue, model, random } = step;
  const agentId = someAgent(request, step);
  const claimToken = someToken(request, random);
  const name = nameOf('heartbeat', request);
  const verdict = model.heartbeat(request, { agentId, claimToken }, world.clock.now());
  return `${name}: ${await agreed(queue.heartbeat(request.entry.id, agentId, claimToken, world.log), verdict)}`;
}

async function release(step: Step, request: ModelRequest): Promise<string> {
  const { world, queue, model, random } = step;
  const agentId = someAgent(request, step);
  const claimToken = someToken(request, random);
  const reason = `stops ${random()}`;
  const name = nameOf('release', request);
  const verdict = model.release(request, { agentId, claimToken }, reason, world.clock.now());
  const call = queue.release(request.entry.id, agent(agentId), { claimToken, reason }, world.log);
  return `${name}: ${await agreed(call, verdict)}`;
}

async function requeue({ world, queue, model, random }: Step, request: ModelRequest): Promise<string> {
  const by = { userId: 'admin', name: 'Erika Muster' };
  const targetPath = random() < 0.5 ? undefined : at(allTargets, random());
  const verdict = model.requeue(request, by, targetPath, world.clock.now());
  const call = queue.requeue(request.entry.id, by, world.log, targetPath);
  return `requeue: ${await agreed(call, verdict)}`;
}

async function withdraw({ world, queue, model, random }: Step, request: ModelRequest): Promise<string> {
  const by = { userId: at(['u', 'v'], random())!, mayAny: random() < 0.5 };
  const verdict = model.withdraw(request, by);
  return `withdraw: ${await agreed(queue.withdraw(request.entry.id, by, world.log), verdict)}`;
}

async function callWithdrawn({ world: { log }, queue, model, agentId, random }: Step): Promise<string> {
  const id = at(model.withdrawn, random())!;
  const held = { claimToken: 'none', reason: 'stops' };
  const calls = [
    () => queue.get(id),
    () => queue.report(id, agent(agentId), { status: 'FULFILLED' }, log),
    () => queue.heartbeat(id, agentId, 'none', log),
    () => queue.release(id, agent(agentId), held, log),
    () => queue.requeue(id, { userId: 'admin' }, log),
    () => queue.withdraw(id, { userId: 'admin', mayAny: true }, log),
  ];
  return `withdrawn: ${await agreed(at(calls, random())!(), { code: 'folder_request_not_found' })}`;
}

/** An operator sets the record to PENDING, as docs/repairing-the-queue.md describes. */
async function handEdit({ world, handEdited }: Step, { entry: { id, status } }: ModelRequest) {
  if (status !== 'FAILED') return 'hand edit: none';
  const filter = `id eq '${id}' and status eq 'FAILED'`;
  const records = await Array.fromAsync(world.table.listEntities({ queryOptions: { filter } }));
  expect(records).toHaveLength(1);
  const { partitionKey = '', rowKey = '' } = records[0]!;
  await world.table.updateEntity({ partitionKey, rowKey, status: 'PENDING' }, 'Merge');
  handEdited.add(id);
  return 'hand edit: done';
}

async function maintain({
  world,
  queue,
  model,
  handEdited,
}: Pick<Step, 'world' | 'queue' | 'model' | 'handEdited'>): Promise<string> {
  await queue.maintenance.run(world.log);
  model.lapse(world.clock.now());
  for (const id of handEdited) model.repair(id, world.clock.now());
  handEdited.clear();
  return 'maintenance: done';
}

/** Compares all that the queue shows, and what is in its table, with the model. */
async function compare({
  world,
  queue,
  model,
  shards,
  handEdited,
}: Pick<Step, 'world' | 'queue' | 'model' | 'shards' | 'handEdited'>): Promise<void> {
  const rows = await allRows(world.table);
  expect(faultsOfTable(rows, handEdited)).toEqual([]);
  const newestFirst = model.requests.toSorted((one, other) => (one.entry.id > other.entry.id ? -1 : 1));
  const untouched = newestFirst.filter(({ entry }) => !handEdited.has(entry.id));

  // The columns of docs/http-contract.md.
  const dateOf = (time: string | null) => (time === null ? undefined : new Date(time));
  for (const { entry } of untouched) {
    expect(rows.find(({ rowKey, id }) => rowKey.startsWith('J_') && id === entry.id)).toMatchObject({
      target_path: entry.targetPath,
      requested_by_user_id: entry.requestedByUserId,
      agent_id: entry.agentId ?? '',
      status: entry.status,
      error_message: entry.errorMessage ?? '',
      attempts: entry.attempts,
      created_at: dateOf(entry.createdAt),
      updated_at: dateOf(entry.updatedAt),
      ...(entry.processedAt !== null && { processed_at: dateOf(entry.processedAt) }),
    });
  }

  const { items, nextCursor } = await queue.list({ limit: 200 });
  expect(nextCursor).toBeNull();
  expect(items.map(({ id }) => id)).toEqual(newestFirst.map(({ entry }) => entry.id));
  const listed = new Map(items.map((item) => [item.id, item]));
  for (const { entry } of untouched) expect(listed.get(entry.id)).toEqual(entry);

  // What other instances have written is counted within a minute, by a new one at once.
  const fresh = world.instance({ ...rules, shards }).queue;
  const count = (status: FolderRequestStatus): number =>
    model.requests.filter(({ entry }) => entry.status === status).length;
  const { hours, ...counts } = await fresh.statistics(168);
  const nowMs = world.clock.now();
  const oldest = model.waiting()[0]?.entry.createdAt;
  expect(counts).toEqual({
    pending: count('PENDING'),
    processing: count('PROCESSING'),
    failed: count('FAILED'),
    oldestPendingSeconds: oldest === undefined ? 0 : Math.round((nowMs - Date.parse(oldest)) / 1000),
    unserved: 0,
  });
  const starts = Array.from({ length: 168 }, (_, at) => new Date(hourOf(nowMs) - (167 - at) * hourMs));
  expect(hours.map(({ start }) => start)).toEqual(starts.map((start) => start.toISOString()));
  const outcomes = (of: typeof model.outcomes) => ({
    fulfilled: of.filter(({ status }) => status === 'FULFILLED').length,
    failed: of.filter(({ status }) => status === 'FAILED').length,
  });
  const inHour = Map.groupBy(model.outcomes, ({ atMs }) => hourOf(atMs));
  for (const { start, ...ofHour } of hours)
    expect(ofHour).toEqual(outcomes(inHour.get(Date.parse(start)) ?? []));
  const { byAgent } = await fresh.agentStatistics(168);
  const ofAgents = Map.groupBy(model.outcomes, ({ agentId }) => agentKeyOf(agentId ?? ''));
  expect(byAgent).toEqual(new Map([...ofAgents].map(([key, of]) => [key, outcomes(of)])));

  const sorted = (events: readonly object[]): string[] =>
    events.map((event) => JSON.stringify(event)).toSorted();
  const logged = world.log.events.filter(({ event }) => event !== 'folder_queue_gauges');
  expect(sorted(logged)).toEqual(sorted(model.events));
}

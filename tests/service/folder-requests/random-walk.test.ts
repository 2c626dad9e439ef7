import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FolderRequestStatus } from '../../../lib/contract/folder-requests.ts';
import type { FolderRequestQueue } from '../../../lib/folder-requests/folder-request-queue.ts';
import { claimFrom, agent, allRows, faultsOfTable } from '../../support/folder-queue.ts';
import { newQueueWorld, type QueueWorld } from './fixture.ts';

/**
 * A model of the queue in memory, for a single instance. Written from docs/http-contract.md, not from the rules of the
 * implementation.
 */
class ModelQueue {
  readonly requests: ModelRequest[] = [];
  readonly #leaseMs: number;
  readonly #maxExpired: number;

  constructor(leaseMs: number, maxExpired: number) {
    this.#leaseMs = leaseMs;
    this.#maxExpired = maxExpired;
  }

  create(id: string, targetPath: string): void {
    this.requests.push({
      id,
      targetPath,
      status: 'PENDING',
      agentId: null,
      token: null,
      oldTokens: [],
      attempts: 0,
      expired: 0,
      leaseEndsAtMs: 0,
      errorMessage: null,
    });
  }

  /** Returns requests whose leases have ended to the queue; those that ended too often become FAILED. */
  lapse(nowMs: number): void {
    for (const request of this.requests) {
      if (request.status !== 'PROCESSING' || request.leaseEndsAtMs > nowMs) continue;
      request.expired += 1;
      request.status = 'PENDING';
      if (request.expired < this.#maxExpired) continue;
      request.status = 'FAILED';
      request.errorMessage = expect.stringContaining('lease expired') as string;
    }
  }

  /** The oldest waiting request that the agent of this server, or any, can serve. */
  claim(nowMs: number, server?: string): ModelRequest | undefined {
    this.lapse(nowMs);
    const next = this.requests
      .toSorted((one, other) => (one.id < other.id ? -1 : 1))
      .find(
        ({ status, targetPath }) =>
          status === 'PENDING' && (server === undefined || targetPath.startsWith(`\\\\${server}\\`)),
      );
    if (!next) return undefined;
    next.status = 'PROCESSING';
    next.attempts += 1;
    next.leaseEndsAtMs = nowMs + this.#leaseMs;
    return next;
  }

  requeue(request: ModelRequest): void {
    if (request.token !== null) request.oldTokens.push(request.token);
    Object.assign(request, { status: 'PENDING', agentId: null, token: null, expired: 0, errorMessage: null });
  }
}

interface ModelRequest {
  readonly id: string;
  readonly targetPath: string;
  status: FolderRequestStatus;
  agentId: string | null;
  token: string | null;
  readonly oldTokens: string[];
  attempts: number;
  expired: number;
  leaseEndsAtMs: number;
  errorMessage: string | null;
}

const leastSteps = 3_000;
const leaseMs = 60_000;
const maxExpiredLeases = 3;
const agentIds = ['a', 'b', 'c'];

/** A step as data, so a failing walk can be shrunk. Each number selects from what exists at that point of the walk. */
interface StepPlan {
  readonly action: number;
  readonly instance: number;
  readonly agent: number;
  readonly request: number;
  /** For decisions within the action. */
  readonly chances: readonly [number, number, number];
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
      chances: fc.tuple(fraction, fraction, fraction),
    }),
    { maxLength: 3_000, size: 'max' },
  ),
);

// The seed yields walks of 1,756 and 1,520 steps, which together took 56 to 119 s on two cores with a load of 24.
// A failing walk is shrunk until the time limit: a seeded fault of the queue from 1,756 to 136 steps. The limit is far above
// what a busy machine needs, because it also ends walks that do not fail.
const parameters = { seed: 37, numRuns: 2, interruptAfterTimeLimit: 900_000 };

test('random walks agree with the model', { timeout: 1_000_000 }, async () => {
  const counts = new Map<Action, number>();
  const statuses = new Set<FolderRequestStatus>();
  await fc.assert(
    fc.asyncProperty(walk, async (plans) => {
      const taken: Action[] = [];
      try {
        for (const { status } of await walked(plans, taken)) statuses.add(status);
      } catch (error) {
        throw new Error(`failed at step ${taken.length}: … ${taken.slice(-40).join(', ')}`, { cause: error });
      }
      for (const action of taken) counts.set(action, (counts.get(action) ?? 0) + 1);
    }),
    parameters,
  );
  // The walks covered every transition and status.
  expect([...counts.values()].reduce((total, count) => total + count)).toBeGreaterThanOrEqual(leastSteps);
  for (const action of actions) expect(counts.get(action), action).toBeGreaterThan(20);
  expect(statuses.size).toBe(4);
});

/** Walks on a new table, adds each action to `taken`, and returns the requests of the model. */
async function walked(plans: readonly StepPlan[], taken: Action[]): Promise<ModelRequest[]> {
  const world = await newQueueWorld();
  const model = new ModelQueue(leaseMs, maxExpiredLeases);
  const instances = [0, 1, 2].map(() => world.instance({ leaseMs, maxExpiredLeases }).queue);
  const handEdited = new Set<string>();
  for (const [step, plan] of plans.entries()) {
    const queue = at(instances, plan.instance)!;
    const agentId = at(agentIds, plan.agent)!;
    // Only the newest requests change, which keeps a mix of statuses.
    const request = at(model.requests.slice(-25), plan.request);
    const action = pickAction(plan.action, model.requests.length, step);
    taken.push(action);
    const chances = [...plan.chances];
    const random = () => chances.pop() ?? 0;
    await take(action, { world, queue, model, agentId, request, random, handEdited });
    if (step % 250 === 249) {
      expect(faultsOfTable(await allRows(world.table), handEdited)).toEqual([]);
      await compareAll(queue, model, handEdited);
    }
  }
  await world.instance({ leaseMs, maxExpiredLeases }).queue.maintenance.run(world.log);
  model.lapse(world.clock.now());
  for (const id of handEdited) model.requeue(model.requests.find((request) => request.id === id)!);
  handEdited.clear();
  await compareAll(instances[0]!, model, handEdited);
  expect(faultsOfTable(await allRows(world.table))).toEqual([]);
  return model.requests;
}

const at = <T>(items: readonly T[], part: number): T | undefined => items[Math.floor(part * items.length)];

const actions = [
  'create',
  'claim',
  'claim for a server',
  'report',
  'stale report',
  'heartbeat',
  'requeue',
  'hand edit',
  'maintenance',
  'wait',
] as const;
type Action = (typeof actions)[number];

function pickAction(at: number, size: number, step: number): Action {
  if (at < 0.15) return size * 12 > step + 40 ? 'claim' : 'create';
  if (at < 0.28) return 'claim';
  if (at < 0.4) return 'claim for a server';
  if (at < 0.6) return 'report';
  if (at < 0.68) return 'stale report';
  if (at < 0.78) return 'heartbeat';
  if (at < 0.84) return 'requeue';
  if (at < 0.86) return 'hand edit';
  return at < 0.9 ? 'maintenance' : 'wait';
}

interface Step {
  readonly world: QueueWorld;
  readonly queue: FolderRequestQueue;
  readonly model: ModelQueue;
  readonly agentId: string;
  readonly request: ModelRequest | undefined;
  readonly random: () => number;
  readonly handEdited: Set<string>;
}

async function take(action: Action, step: Step): Promise<void> {
  const { world, queue, model, agentId, request, random, handEdited } = step;
  const { log, clock } = world;
  const rejection = (code: string) => expect.objectContaining({ code });
  if (action === 'create') {
    const targetPath = ['a', '\\\\fs1\\p\\a', '\\\\fs2\\p\\a'][Math.floor(random() * 3)]!;
    const { entry } = await queue.create({ targetPath, requestedByUserId: 'u' }, log);
    model.create(entry.id, targetPath);
    return;
  }
  if (action === 'wait') {
    clock.advance(Math.floor(random() * leaseMs * 0.9));
    return;
  }
  if (action === 'maintenance') {
    await queue.maintenance.run(log);
    model.lapse(clock.now());
    for (const id of handEdited) model.requeue(model.requests.find((request) => request.id === id)!);
    handEdited.clear();
    return;
  }
  if (action === 'claim' || action === 'claim for a server') {
    const server = action === 'claim' ? undefined : random() < 0.5 ? 'fs1' : 'fs2';
    const routing = server === undefined ? undefined : { servers: [server.toUpperCase()] };
    const claim = await claimFrom(queue, agent(agentId), log, routing);
    const expected = model.claim(clock.now(), server);
    expect(claim?.id).toBe(expected?.id);
    if (!claim || !expected) return;
    if (expected.token !== null) expected.oldTokens.push(expected.token);
    Object.assign(expected, { agentId, token: claim.claimToken });
    expect(claim).toMatchObject({ attempts: expected.attempts, agentId, status: 'PROCESSING' });
    expect(Date.parse(claim.leaseExpiresAt)).toBe(clock.now() + leaseMs);
    return;
  }
  if (!request || handEdited.has(request.id)) return;
  const { id, status } = request;
  // A lease that has ended is still its holder's until the next claim.
  const isHeld = status === 'PROCESSING' || (status === 'PENDING' && request.token !== null);
  if (action === 'requeue') {
    const call = queue.requeue(id, { userId: 'admin' }, log);
    if (status !== 'FAILED') await expect(call).rejects.toEqual(rejection('not_failed'));
    else {
      await call;
      model.requeue(request);
    }
    return;
  }
  if (action === 'hand edit') {
    if (status !== 'FAILED') return;
    const filter = `id eq '${id}' and status eq 'FAILED'`;
    for await (const { partitionKey = '', rowKey = '' } of world.table.listEntities({
      queryOptions: { filter },
    })) {
      await world.table.updateEntity({ partitionKey, rowKey, status: 'PENDING' }, 'Merge');
      handEdited.add(id);
    }
    return;
  }
  const claimToken = action === 'stale report' ? (request.oldTokens.at(-1) ?? 'never issued') : request.token;
  if (action === 'heartbeat') {
    const call = queue.heartbeat(id, agentId, claimToken ?? 'none');
    if (!isHeld || request.agentId !== agentId) {
      await expect(call).rejects.toEqual(rejection('claim_lost'));
      return;
    }
    const { leaseExpiresAt } = await call;
    const before = status === 'PROCESSING' ? request.leaseEndsAtMs : 0;
    request.status = 'PROCESSING';
    request.leaseEndsAtMs = Math.max(clock.now() + leaseMs, before + 1);
    expect(Date.parse(leaseExpiresAt)).toBe(request.leaseEndsAtMs);
    return;
  }
  const report =
    random() < 0.5
      ? ({ status: 'FULFILLED' } as const)
      : ({ status: 'FAILED', errorMessage: `no ${random()}` } as const);
  const withToken = action === 'stale report' || (random() < 0.5 && claimToken !== null);
  const call = queue.report(
    id,
    agent(agentId),
    { ...report, ...(withToken && { claimToken: claimToken! }) },
    log,
  );
  if (action === 'stale report') {
    await expect(call).rejects.toEqual(rejection('claim_lost'));
  } else if (isHeld && request.agentId === agentId) {
    await call;
    request.status = report.status;
    request.errorMessage = report.status === 'FAILED' ? report.errorMessage : null;
  } else if (isHeld) {
    await expect(call).rejects.toEqual(rejection('claim_lost'));
  } else if (status === report.status && request.agentId === agentId) {
    expect(await call).toMatchObject({ status, attempts: request.attempts });
  } else {
    await expect(call).rejects.toEqual(rejection('not_processing'));
  }
}

async function compareAll(
  queue: FolderRequestQueue,
  model: ModelQueue,
  handEdited: ReadonlySet<string>,
): Promise<void> {
  const { items } = await queue.list({ limit: 200 });
  const stored = items.filter(({ id }) => !handEdited.has(id));
  const expected = model.requests
    .filter(({ id }) => !handEdited.has(id))
    .toSorted((one, other) => (one.id > other.id ? -1 : 1))
    .slice(0, stored.length);
  expect(items.length).toBe(Math.min(200, model.requests.length));
  expect(
    stored.map(({ id, status, agentId, attempts, errorMessage }) => ({
      id,
      status,
      agentId,
      attempts,
      errorMessage,
    })),
  ).toEqual(
    expected.map(({ id, status, agentId, attempts, errorMessage }) => ({
      id,
      status,
      agentId,
      attempts,
      errorMessage,
    })),
  );
}

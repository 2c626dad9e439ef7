import { expect } from 'vitest';
import type { FolderRequestStatus } from '../../../lib/contract/folder-requests.ts';
import type { FolderRequestQueue } from '../../../lib/folder-requests/folder-request-queue.ts';
import { agent, allRows, faultsOfTable, seededRandom } from '../../support/folder-queue.ts';
import { test, type QueueWorld } from './fixture.ts';

/**
 * The queue as somebody would write it who has no storage, no other instance and all the time in the world. Written
 * from docs/http-contract.md, not from the queue's own rules.
 */
class ModelQueue {
  readonly requests: ModelRequest[] = [];
  readonly #leaseMs: number;
  readonly #maxExpired: number;

  constructor(leaseMs: number, maxExpired: number) {
    this.#leaseMs = leaseMs;
    this.#maxExpired = maxExpired;
  }

  create(id: string, targetPath: string, nowMs: number): void {
    this.requests.push({
      id,
      targetPath,
      createdAtMs: nowMs,
      status: 'PENDING',
      agentId: null,
      token: null,
      oldTokens: [],
      attempts: 0,
      expired: 0,
      visibleAtMs: nowMs,
      errorMessage: null,
    });
  }

  /**
   * Who is next, and who is found to have expired too often on the way; `read` requests are looked at a time, and where
   * none of them is on the agent's `server`, so many more that are.
   */
  claim(nowMs: number, read: number, server?: string): ModelRequest | undefined {
    const fits = ({ targetPath }: ModelRequest): boolean =>
      server === undefined || targetPath.startsWith(`\\\\${server}\\`);
    for (;;) {
      const all = this.requests
        .filter(
          ({ status, visibleAtMs }) =>
            status === 'PENDING' || (status === 'PROCESSING' && visibleAtMs <= nowMs),
        )
        .toSorted((one, other) => one.visibleAtMs - other.visibleAtMs || (one.id < other.id ? -1 : 1));
      const head = all.slice(0, read);
      const further = head.some(fits) ? [] : all.slice(read).filter(fits).slice(0, read);
      const visible = [...head, ...further];
      const isPossible = visible.some(fits);
      let next: ModelRequest | undefined;
      for (const request of visible) {
        const expired = request.expired + (request.status === 'PROCESSING' ? 1 : 0);
        if (request.status === 'PROCESSING' && expired >= this.#maxExpired) {
          request.status = 'FAILED';
          request.errorMessage = expect.stringContaining('lease expired') as string;
          request.expired = expired;
          continue;
        }
        if (next) break;
        if (!fits(request)) continue;
        next = request;
        request.expired = expired;
      }
      if (!next && !isPossible) return undefined;
      if (!next) continue;
      next.status = 'PROCESSING';
      next.attempts += 1;
      next.visibleAtMs = nowMs + this.#leaseMs;
      return next;
    }
  }

  requeue(request: ModelRequest): void {
    if (request.token !== null) request.oldTokens.push(request.token);
    Object.assign(request, { status: 'PENDING', agentId: null, token: null, expired: 0, errorMessage: null });
    request.visibleAtMs = request.createdAtMs;
  }
}

interface ModelRequest {
  readonly id: string;
  readonly targetPath: string;
  readonly createdAtMs: number;
  status: FolderRequestStatus;
  agentId: string | null;
  token: string | null;
  readonly oldTokens: string[];
  attempts: number;
  expired: number;
  visibleAtMs: number;
  errorMessage: string | null;
}

const steps = 1_500;
const leaseMs = 60_000;
const maxExpiredLeases = 3;
const agentIds = ['a', 'b', 'c'];
// What one caller's claim reads; the poison guard works on what was read.
const window = 8;

test.for([1, 2])(
  'a walk of 1,500 random steps with seed %d goes as the model says',
  // 57 s were measured on two cores with a load of 22.
  { timeout: 180_000 },
  async (seed, { world }) => {
    const random = seededRandom(seed);
    const pick = <T>(items: readonly T[]): T | undefined => items[Math.floor(random() * items.length)];
    const model = new ModelQueue(leaseMs, maxExpiredLeases);
    const instances = [0, 1, 2].map(
      () => world.instance({ leaseMs, maxExpiredLeases, routeMemoryMs: 0 }).queue,
    );
    const counts = new Map<string, number>();
    const handEdited = new Set<string>();

    for (let step = 0; step < steps; step += 1) {
      const queue = pick(instances)!;
      const agentId = pick(agentIds)!;
      // Older requests are left alone more and more, so that the table stays small and the states mixed.
      const request = pick(model.requests.slice(-25));
      const move = pickMove(random(), model.requests.length, step);
      counts.set(move, (counts.get(move) ?? 0) + 1);
      await take(move, { world, queue, model, agentId, request, random, handEdited });
      if (step % 250 === 249) {
        expect(faultsOfTable(await allRows(world.table), handEdited)).toEqual([]);
        await compareAll(queue, model, handEdited);
      }
    }
    await world.instance().queue.maintenance.run(world.log);
    for (const id of handEdited) model.requeue(model.requests.find((request) => request.id === id)!);
    handEdited.clear();
    await compareAll(instances[0]!, model, handEdited);
    // The walk has been everywhere.
    for (const move of moves) expect(counts.get(move), move).toBeGreaterThan(10);
    expect(new Set(model.requests.map(({ status }) => status)).size).toBe(4);
  },
);

const moves = [
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
type Move = (typeof moves)[number];

function pickMove(at: number, size: number, step: number): Move {
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

async function take(move: Move, step: Step): Promise<void> {
  const { world, queue, model, agentId, request, random, handEdited } = step;
  const { log, clock } = world;
  const rejection = (code: string) => expect.objectContaining({ code });
  if (move === 'create') {
    const targetPath = ['a', '\\\\fs1\\p\\a', '\\\\fs2\\p\\a'][Math.floor(random() * 3)]!;
    const { entry } = await queue.create({ targetPath, requestedByUserId: 'u' }, log);
    model.create(entry.id, targetPath, Date.parse(entry.createdAt));
    return;
  }
  if (move === 'wait') {
    clock.advance(Math.floor(random() * leaseMs * 0.9));
    return;
  }
  if (move === 'maintenance') {
    await queue.maintenance.run(log);
    for (const id of handEdited) model.requeue(model.requests.find((request) => request.id === id)!);
    handEdited.clear();
    return;
  }
  if (move === 'claim' || move === 'claim for a server') {
    const server = move === 'claim' ? undefined : random() < 0.5 ? 'fs1' : 'fs2';
    const routing = server === undefined ? undefined : { servers: [server.toUpperCase()] };
    const claim = await queue.claim(agent(agentId), log, routing);
    const expected = model.claim(clock.now(), window, server);
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
  if (move === 'requeue') {
    const call = queue.requeue(id, 'admin', log);
    if (status !== 'FAILED') await expect(call).rejects.toEqual(rejection('not_failed'));
    else {
      await call;
      model.requeue(request);
    }
    return;
  }
  if (move === 'hand edit') {
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
  const claimToken = move === 'stale report' ? (request.oldTokens.at(-1) ?? 'never issued') : request.token;
  if (move === 'heartbeat') {
    const call = queue.heartbeat(id, agentId, claimToken ?? 'none');
    if (status !== 'PROCESSING' || request.agentId !== agentId) {
      await expect(call).rejects.toEqual(rejection('claim_lost'));
      return;
    }
    const before = request.visibleAtMs;
    const { leaseExpiresAt } = await call;
    request.visibleAtMs = Math.max(clock.now() + leaseMs, before + 1);
    expect(Date.parse(leaseExpiresAt)).toBe(request.visibleAtMs);
    return;
  }
  const report =
    random() < 0.5
      ? ({ status: 'FULFILLED' } as const)
      : ({ status: 'FAILED', errorMessage: `no ${random()}` } as const);
  const withToken = move === 'stale report' || (random() < 0.5 && claimToken !== null);
  const call = queue.report(
    id,
    agent(agentId),
    { ...report, ...(withToken && { claimToken: claimToken! }) },
    log,
  );
  if (move === 'stale report') {
    await expect(call).rejects.toEqual(rejection('claim_lost'));
  } else if (status === 'PROCESSING' && request.agentId === agentId) {
    await call;
    request.status = report.status;
    request.errorMessage = report.status === 'FAILED' ? report.errorMessage : null;
  } else if (status === 'PROCESSING') {
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

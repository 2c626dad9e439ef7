import * as fc from 'fast-check';
import { describe, expect } from 'vitest';
import type { FolderRequestStatus } from '../../../lib/contract/folder-requests.ts';
import { ServiceError } from '../../../lib/base/service-error.ts';
import {
  applyClaim,
  applyLeaseEnd,
  applyPathCorrection,
  applyRelease,
  applyReport,
  applyRequeue,
  extendLease,
  type StoredFolderRequest as Stored,
} from '../../../lib/folder-requests/requests/folder-request.ts';
import { idOfKey, partitionOf, rowKeys } from '../../../lib/folder-requests/table/keys.ts';
import {
  indexKeysOf,
  pointersTo,
  recordKeyOf,
  type Entity,
} from '../../../lib/folder-requests/table/rows.ts';
import { agent, allRows, claimFrom, faultsOfTable } from '../../support/folder-queue.ts';
import {
  ended,
  newQueueWorld,
  pendingRequests,
  store,
  test,
  type Instance,
  type QueueWorld,
} from './fixture.ts';

const facts = { targetPath: '\\\\fs1\\projects\\a', requestedByUserId: 'user-1', projectId: 'p-1' };
const asAdmin = { userId: 'admin', mayAny: true };

type Kind = keyof typeof rowKeys;

async function rowOf({ table }: QueueWorld, kind: Kind, id: string): Promise<Entity> {
  const rows = await allRows(table);
  const found = rows.find((row) => rowKeys[kind].has(row.rowKey) && row['id'] === id);
  if (!found) throw new Error(`expected a row of the kind ${kind} of ${id}`);
  return found;
}

async function edit(world: QueueWorld, id: string, columns: Record<string, unknown>): Promise<void> {
  const { partitionKey, rowKey } = await rowOf(world, 'record', id);
  await world.table.updateEntity({ partitionKey, rowKey, ...columns }, 'Merge');
}

async function remove(world: QueueWorld, kind: Kind, id: string): Promise<void> {
  const { partitionKey, rowKey } = await rowOf(world, kind, id);
  await world.table.deleteEntity(partitionKey, rowKey);
}

const states: Readonly<
  Record<FolderRequestStatus, (instance: Instance, world: QueueWorld) => Promise<string>>
> = {
  async PENDING({ queue }, { log }) {
    return (await queue.create(facts, log)).entry.id;
  },
  async PROCESSING(instance, world) {
    const id = await states.PENDING(instance, world);
    await claimFrom(instance.queue, agent('a'), world.log);
    return id;
  },
  async FULFILLED(instance, world) {
    const id = await states.PROCESSING(instance, world);
    await instance.queue.report(id, agent('a'), { status: 'FULFILLED' }, world.log);
    return id;
  },
  async FAILED(instance, world) {
    const id = await states.PROCESSING(instance, world);
    await instance.queue.report(id, agent('a'), { status: 'FAILED', errorMessage: 'full' }, world.log);
    return id;
  },
};
const statuses = Object.keys(states) as FolderRequestStatus[];
const edits = statuses.flatMap((from) =>
  statuses.flatMap((to) => (from === to ? [] : [[from, to] as const])),
);

describe.each(edits)('a record that was edited from %s to %s', (from, to) => {
  test('has that status for all calls after the next claim and maintenance', async ({ world }) => {
    const instance = world.instance();
    const { queue } = instance;
    const id = await states[from](instance, world);
    const { id: other } = (await queue.create({ ...facts, targetPath: 'b' }, world.log)).entry;
    await edit(world, id, { status: to });
    const claimed = (await claimFrom(queue, agent('b'), world.log))?.id;
    if (from === 'PENDING') expect(claimed).toBe(other);
    await queue.maintenance.run(world.log);
    const next = [claimed, (await claimFrom(queue, agent('b'), world.log))?.id];
    expect(next.includes(id)).toBe(to === 'PENDING');
    expect(next).toContain(other);
    const now = to === 'PENDING' ? 'PROCESSING' : to;
    expect(await queue.get(id)).toMatchObject({ status: now });
    for (const status of statuses) {
      const listed = (await queue.list({ status, limit: 9 })).items.map((item) => item.id);
      expect(listed.includes(id), status).toBe(status === now);
    }
    expect(world.log.named('folder_request_settled')).toHaveLength(1);
  });
});

test('the agent of a request that was set to PENDING loses its claim', async ({ world }) => {
  const instance = world.instance();
  const id = await states.PROCESSING(instance, world);
  const { claimToken } = { claimToken: String((await rowOf(world, 'record', id))['claim_token']) };
  await edit(world, id, { status: 'PENDING' });
  await expect(instance.queue.heartbeat(id, 'a', claimToken, world.log)).rejects.toMatchObject({
    code: 'claim_lost',
  });
  expect((await claimFrom(instance.queue, agent('b'), world.log))?.id).toBe(id);
});

test('a corrected path is the one that the next agent gets, and decides which agents get it', async ({
  world,
}) => {
  const { queue } = world.instance();
  const { id } = (await queue.create(facts, world.log)).entry;
  await edit(world, id, { target_path: '\\\\fs1\\projects\\b', attempts: 7 });
  const onFs1 = { servers: ['fs1'] };
  const first = await claimFrom(queue, agent('a'), world.log, onFs1);
  expect(first).toMatchObject({ id, targetPath: '\\\\fs1\\projects\\b', attempts: 8 });
  await queue.release(id, agent('a'), { claimToken: first!.claimToken, reason: 'stops' }, world.log);
  await edit(world, id, { target_path: '//fs2/projects/c' });
  expect(await claimFrom(queue, agent('a'), world.log, onFs1)).toBeNull();
  expect(await claimFrom(queue, agent('b'), world.log, { servers: ['fs2'] })).toMatchObject({ id });
});

test.for([
  [{ status: 'pending ' }, 'status: expected PENDING, PROCESSING, FULFILLED, FAILED'],
  [{ target_path: 'a\\..\\b' }, 'target_path: expected the path of a folder'],
  [{ attempts: 'two' }, 'attempts: expected a whole number from 0'],
  [{ id: 'x' }, 'id: expected that of the row'],
  // What fits into no transaction with others.
  [{ agent_id: 'x'.repeat(501) }, 'agent_id: expected at most 500 characters'],
] as const)('an edit to %o is named, and touches no other request', async ([columns, fault], { world }) => {
  const { queue } = world.instance();
  const { entry } = await queue.create(facts, world.log);
  const { entry: other } = await queue.create(facts, world.log);
  const { rowKey } = await rowOf(world, 'record', entry.id);
  const before = await rowOf(world, 'record', entry.id);
  await edit(world, entry.id, columns);
  expect((await claimFrom(queue, agent('a'), world.log))?.id).toBe(other.id);
  expect(await claimFrom(queue, agent('a'), world.log)).toBeNull();
  await queue.maintenance.run(world.log);
  const named = world.log.named('folder_request_invalid').at(-1)?.fields;
  expect(named).toEqual({ id: entry.id, row: rowKey, fault });
  const corrected = Object.fromEntries(Object.keys(columns).map((name) => [name, before[name]]));
  await world.table.updateEntity({ partitionKey: before.partitionKey, rowKey, ...corrected }, 'Merge');
  await queue.maintenance.run(world.log);
  expect((await claimFrom(queue, agent('a'), world.log))?.id).toBe(entry.id);
});

test('columns that a tool has retyped lose nothing, and keep the request from nobody', async ({ world }) => {
  const { queue } = world.instance();
  const numeric = { targetPath: '2026', requestedByUserId: '17', projectId: '4711' };
  const { id } = (await queue.create(numeric, world.log)).entry;
  const { entry: other } = await queue.create(facts, world.log);
  const retyped = {
    target_path: 2026,
    requested_by_user_id: { value: '17', type: 'Int64' },
    project_id: { value: '4711', type: 'Double' },
    attempts: { value: '0', type: 'Int64' },
  };
  await edit(world, id, retyped);
  const claimed = [
    await claimFrom(queue, agent('8'), world.log),
    await claimFrom(queue, agent('8'), world.log),
  ];
  expect(claimed.map((each) => each?.id)).toEqual([id, other.id]);
  expect(claimed[0]).toMatchObject({ targetPath: '2026', attempts: 1 });
  await edit(world, id, { agent_id: 8 });
  const report = { status: 'FULFILLED', claimToken: claimed[0]!.claimToken } as const;
  await queue.report(id, agent('8'), report, world.log);
  await queue.maintenance.run(world.log);
  expect(await queue.get(id)).toMatchObject({ ...numeric, agentId: '8', status: 'FULFILLED' });
  expect(world.log.named('folder_request_invalid')).toEqual([]);
  expect((await queue.list({ limit: 9, projectId: '4711' })).items.map((item) => item.id)).toEqual([id]);
});

test('a failure that is typed into a waiting record is not shown, and not copied into its rows', async ({
  world,
}) => {
  const { queue } = world.instance();
  const { id } = (await queue.create(facts, world.log)).entry;
  await edit(world, id, { error_message: 'x'.repeat(30_000) });
  expect(await queue.get(id)).toMatchObject({ errorMessage: null });
  expect(await claimFrom(queue, agent('a'), world.log)).toMatchObject({ id, errorMessage: null });
  expect(await rowOf(world, 'leased', id)).toMatchObject({ errorMessage: '' });
});

describe('a waiting row without its record', () => {
  test.for([undefined, { servers: ['fs1'] }])(
    'is removed by the claim that meets it: %o',
    async (routing, { world }) => {
      const { queue, watch } = world.instance();
      const ids: string[] = [];
      for (let at = 0; at < 3; at += 1) ids.push((await queue.create(facts, world.log)).entry.id);
      await remove(world, 'record', ids[0]!);
      await remove(world, 'record', ids[1]!);
      expect((await claimFrom(queue, agent('a'), world.log, routing))?.id).toBe(ids[2]);
      const idle = await queue.claim(agent('a'), world.log, routing);
      expect(idle).toMatchObject({ idleMs: expect.any(Number) });
      watch.reset();
      await queue.claim(agent('a'), world.log, routing);
      expect(watch.calls.length).toBeLessThanOrEqual(1);
      expect((await queue.list({ limit: 9 })).items.map(({ id }) => id)).toEqual([ids[2]]);
      expect(await allRows(world.table).then((rows) => rows.filter((row) => row['id'] === ids[0]))).toEqual(
        [],
      );
    },
  );
});

test('a missing row of a request neither keeps it from agents nor from its end', async ({ world }) => {
  const { queue } = world.instance();
  for (const kind of ['waiting', 'lane'] as const) {
    const { id } = (await queue.create(facts, world.log)).entry;
    await remove(world, kind, id);
    await queue.maintenance.run(world.log);
    expect((await claimFrom(queue, agent('a'), world.log))?.id).toBe(id);
    await remove(world, 'leased', id);
    expect(
      await queue.report(id, agent('a'), { status: 'FAILED', errorMessage: 'x' }, world.log),
    ).toMatchObject({
      status: 'FAILED',
    });
    await remove(world, 'failed', id);
    expect(await queue.requeue(id, { userId: 'admin' }, world.log)).toMatchObject({ status: 'PENDING' });
    await remove(world, 'pointer', id);
    await queue.withdraw(id, asAdmin, world.log);
  }
  expect(
    await allRows(world.table).then((rows) => rows.filter(({ rowKey }) => !/^[EOM]/.test(rowKey))),
  ).toEqual([]);
});

test('one of 60 expired requests with a missing row does not stop retention for the others', async ({
  world,
}) => {
  const nowMs = world.clock.now();
  const requests = pendingRequests(
    Array.from({ length: 60 }, () => 'a'),
    { sinceMs: nowMs - 10 * 86_400_000 },
  ).map((request) => ended(request, { status: 'FULFILLED' }));
  await store(world.table, requests);
  await remove(world, 'record', requests[3]!.id);
  await remove(world, 'pointer', requests[25]!.id);
  await remove(world, 'fulfilled', requests[45]!.id);
  await edit(world, requests[50]!.id, { status: 'FAILED' });
  const { queue } = world.instance({ retentionMs: 86_400_000 });
  await queue.maintenance.run(world.log);
  await queue.maintenance.run(world.log);
  const { items } = await queue.list({ limit: 9 });
  // The one without its index row is found by the walk, in its turn.
  expect(items.map(({ id, status }) => [id, status])).toContainEqual([requests[50]!.id, 'FAILED']);
  expect(items.length).toBeLessThanOrEqual(2);
  for (let run = 0; run < 4; run += 1) await queue.maintenance.run(world.log);
  expect((await queue.list({ limit: 9 })).items).toHaveLength(1);
});

test('an operator settles one request, or all, without waiting for the timer', async ({ world }) => {
  const { table, log } = world;
  // More than one run of the timer compares. Most have no row by their requester, which would be a read each.
  const sinceMs = world.clock.now() - 86_400_000;
  const requests = pendingRequests(
    Array.from({ length: 1_001 }, () => 'a'),
    { sinceMs },
  ).map((request, at) =>
    at < 2
      ? request
      : ended({ ...request, requestedByUserId: at === 500 ? 'u' : null }, { status: 'FULFILLED' }),
  );
  const elsewhere = pendingRequests(['a', 'b'], { sinceMs, shards: 2, seed: 8 });
  await store(table, [...requests, ...elsewhere]);
  const changed = [...[0, 1, 500, 1_000].map((at) => requests[at]!), elsewhere[1]!];
  const [first, gone, ofUser, last, other] = changed as [Stored, Stored, Stored, Stored, Stored];
  const removeRows = async ({ id }: Stored, ...keys: readonly (string | undefined)[]): Promise<void> => {
    for (const key of keys) await table.deleteEntity(partitionOf(id), key!);
  };
  const editRecord = async ({ id }: Stored, columns: object): Promise<void> => {
    await table.updateEntity({ partitionKey: partitionOf(id), rowKey: recordKeyOf(id), ...columns }, 'Merge');
  };
  await editRecord(first, { status: 'FAILED' });
  await removeRows(gone, recordKeyOf(gone.id), indexKeysOf(gone)[0]);
  await removeRows(ofUser, ...pointersTo(ofUser));
  await removeRows(last, ...indexKeysOf(last));
  await removeRows(other, indexKeysOf(other)[1]);
  await editRecord(requests[2]!, { attempts: 'two' });
  const { maintenance } = world.instance().queue;
  expect(await maintenance.settle(first.id, log)).toBe('edited');
  expect(await maintenance.settle(first.id, log)).toBe('unchanged');

  const settled = () =>
    log.named('folder_request_settled').map(({ fields }) => [String(fields['id']), fields['change']]);
  expect(await maintenance.settleAll(log)).toBe(1_002);
  const changes = ['edited', 'removed', 'restored', 'restored', 'restored'];
  expect(Object.fromEntries(settled())).toEqual(
    Object.fromEntries(changed.map(({ id }, at) => [id, changes[at]])),
  );
  expect(log.named('folder_request_invalid').map(({ fields }) => fields['id'])).toEqual([requests[2]!.id]);
  await editRecord(requests[2]!, { attempts: 1 });
  expect(await maintenance.settleAll(log)).toBe(1_002);
  expect(settled()).toHaveLength(changed.length);
});

test('rows that the service never writes stop no call, and stay', async ({ world }) => {
  const { table, log, clock } = world;
  const foreign = Object.values(rowKeys).flatMap(({ prefix }) => [`${prefix}0x`, `${prefix}zx`]);
  for (const rowKey of new Set(foreign))
    await table.upsertEntity({ partitionKey: 'fr-0', rowKey, note: 'typed' }, 'Merge');
  const { queue } = world.instance({ retentionMs: 60_000, retryDelaysMs: [1000] });
  const reports = [
    { status: 'FULFILLED' },
    { status: 'FAILED', errorMessage: 'full', mayPass: true },
  ] as const;
  const ids: string[] = [];
  for (const report of reports) {
    const { entry } = await queue.create(facts, log);
    ids.push(entry.id);
    expect(await claimFrom(queue, agent('a'), log)).toMatchObject({ id: entry.id });
    await queue.report(entry.id, agent('a'), report, log);
    expect((await queue.list({ limit: 9, status: report.status })).items).toMatchObject([{ id: entry.id }]);
  }
  clock.advance(1000);
  for (let run = 0; run < 3; run += 1) await queue.maintenance.run(log);
  expect(await claimFrom(queue, agent('a'), log)).toMatchObject({ id: ids[1] });
  expect(await queue.maintenance.settleAll(log)).toBe(2);
  await queue.report(ids[1]!, agent('a'), { status: 'FULFILLED' }, log);
  clock.advance(60_001);
  await queue.maintenance.run(log);
  expect((await queue.list({ limit: 9 })).items).toEqual([]);
  expect(await queue.statistics(24)).toMatchObject({ pending: 0, processing: 0, failed: 0 });
  const keys = new Set((await allRows(table)).map(({ rowKey }) => rowKey));
  expect(foreign.filter((rowKey) => !keys.has(rowKey))).toEqual([]);
  expect(log.named('folder_request_settled')).toEqual([]);
  for (const rowKey of new Set(foreign)) await table.deleteEntity('fr-0', rowKey);
});

describe('any edit or deletion of one row of a request', () => {
  const recordEdits: readonly Readonly<Record<string, unknown>>[] = [
    ...statuses.map((status) => ({ status })),
    { status: 'done' },
    { target_path: '\\\\fs2\\projects\\b' },
    { target_path: 'a:b' },
    { attempts: 0 },
    { attempts: 'two' },
    { transitions: 0 },
    { expired_leases: 3 },
    { id: 'x' },
    { agent_id: 'z' },
    { claim_token: '' },
    { claim_turn: '{' },
    { lease_expires_at: new Date(0) },
    { retry_at: new Date(0) },
    { processed_at: new Date(0) },
    { created_at: 'never' },
    { error_message: 'typed' },
    { index_row: '' },
    { index_row: 'Q_x' },
    { lane_row: 'x' },
    { other_rows: '' },
    { project_id: 'p-2' },
    { requested_by_user_id: '' },
    { requested_by_user_id: 'y'.repeat(501) },
    { last_op: '' },
    { note: 'of an operator' },
  ];
  const rowEdits: readonly Readonly<Record<string, unknown>>[] = [
    { targetPath: 'elsewhere' },
    { agentId: 'z' },
    { claimToken: '' },
    { pair: 'x' },
    { state: 'FAILED' },
    { id: 'x' },
    { otherRows: '' },
    { leaseExpiresAt: new Date(0) },
    { attempts: 'two' },
  ];

  /** Each number selects from what is possible at that point. */
  const plan = fc.record({
    steps: fc.array(fc.nat(), { maxLength: 6 }),
    row: fc.nat(),
    edit: fc.nat(),
    call: fc.nat(),
  });
  const at = <T>(items: readonly T[], number: number): T => items[number % items.length]!;
  const rules = { maxExpiredLeases: 3, retryDelaysMs: [3_600_000] };
  const minuteMs = 60_000;

  type Way = () => { readonly next: Stored } | { readonly rejected: string } | { readonly repeated: true };

  /** The next state of a request, by one of the transitions that are possible. */
  function stepped(request: Stored, number: number, nowMs: number): Stored {
    const holder = { agentId: `agent-${number % 3}`, claimToken: `t${request.transitions}` };
    const held = { agentId: request.agentId ?? '', claimToken: request.claimToken ?? '' };
    const limits = { nowMs, leaseMs: 600_000 };
    const failed = { status: 'FAILED', errorMessage: 'full', mayPass: number % 2 === 0 } as const;
    const by = { userId: 'admin' };
    const ways: readonly Way[] = {
      PENDING: [
        () => ({ next: applyClaim(request, holder, limits) }),
        () => applyPathCorrection(request, by, `\\\\fs1\\projects\\${number % 3}`, nowMs),
      ],
      PROCESSING: [
        () => applyReport(request, held.agentId, { status: 'FULFILLED' }, nowMs),
        () => applyReport(request, held.agentId, failed, nowMs, rules.retryDelaysMs),
        () => applyRelease(request, held, 'stops', nowMs),
        () => extendLease(request, held, limits),
        () => ({ next: applyLeaseEnd(request, nowMs, rules.maxExpiredLeases) }),
      ],
      FAILED: [() => applyRequeue(request, nowMs, by)],
      FULFILLED: [],
    }[request.status];
    const outcome = ways.length === 0 ? undefined : at(ways, number)();
    if (outcome === undefined || !('next' in outcome)) return request;
    return { ...outcome.next, added: [...request.added, ...outcome.next.added] };
  }

  // Of the runs that were tried, those that have found faults.
  test.for([
    { seed: 777, numRuns: 1 },
    { seed: 55, path: '3', numRuns: 1 },
  ])(
    'is repaired by the next maintenance, or named, touches no other request, and costs a bounded number of storage requests: %o',
    async (runs) => {
      await fc.assert(
        fc.asyncProperty(fc.array(plan, { minLength: 24, maxLength: 24 }), async (plans) => {
          const world = await newQueueWorld();
          const { table, log } = world;
          const nowMs = world.clock.now();
          const requests = pendingRequests(
            plans.map((_, number) => `\\\\fs1\\projects\\${number}`),
            { sinceMs: nowMs - minuteMs },
          ).map((request, number) =>
            plans[number]!.steps.reduce<Stored>(
              (state, step, later) => stepped(state, step, nowMs - minuteMs + 100 * later),
              { ...request, projectId: number % 2 === 0 ? 'p-1' : null },
            ),
          );
          await store(table, requests);
          const rows = await allRows(table);
          // Every second one.
          const edited = new Map<string, { readonly row: Entity; readonly edit: object | undefined }>();
          for (const [number, { id }] of requests.entries()) {
            if (number % 2 === 0) continue;
            const { row: ofRow, edit: ofEdit } = plans[number]!;
            const row = at(
              rows.filter((each) => each['id'] === id),
              ofRow,
            );
            const edit = at(
              [undefined, ...(rowKeys.record.has(row.rowKey) ? recordEdits : rowEdits)],
              ofEdit,
            );
            const { partitionKey, rowKey } = row;
            if (edit) await table.updateEntity({ partitionKey, rowKey, ...edit }, 'Merge');
            else await table.deleteEntity(partitionKey, rowKey);
            edited.set(id, { row, edit });
          }

          const { queue, watch } = world.instance(rules);
          await queue.list({ limit: 1 });
          const claimed = new Set<string>();
          const took = new Map<string, string>();
          const bounded = async (
            most: number,
            name: string,
            call: () => Promise<unknown>,
          ): Promise<unknown> => {
            watch.reset();
            const result = await call().catch((error: unknown) => {
              if (!(error instanceof ServiceError)) throw error;
              return error.code;
            });
            expect(watch.calls.length, name).toBeLessThanOrEqual(most);
            expect(result, name).not.toBe('storage_unavailable');
            return result;
          };
          for (const [number, { id, claimToken, agentId }] of requests.entries()) {
            const plan = plans[number]!;
            if (!edited.has(id)) continue;
            const me = agent(agentId ?? 'agent-0');
            const proof = { claimToken: claimToken ?? 'none', reason: 'stops' };
            const calls = {
              get: () => queue.get(id),
              heartbeat: () => queue.heartbeat(id, me.id, proof.claimToken, log),
              report: () => queue.report(id, me, { status: 'FULFILLED', claimToken: proof.claimToken }, log),
              release: () => queue.release(id, me, proof, log),
              requeue: () => queue.requeue(id, { userId: 'admin' }, log),
              free: () => queue.free(id, { userId: 'admin' }, 'gone', log),
              correct: () => queue.correctPath(id, { userId: 'admin', mayAny: true }, 'other', log),
              withdraw: () => queue.withdraw(id, asAdmin, log),
              list: () => queue.list({ status: at(statuses, plan.edit), limit: 50 }),
              claim: async () => {
                const claim = await claimFrom(queue, agent('b'), log);
                if (claim) claimed.add(claim.id);
              },
              nothing: async () => undefined,
            };
            const name = at(Object.keys(calls) as (keyof typeof calls)[], plan.call);
            const { row, edit = 'deleted' } = edited.get(id)!;
            took.set(id, `${row.rowKey} ${JSON.stringify(edit)}, ${name}`);
            took.set(id, `${took.get(id)}: ${JSON.stringify(await bounded(30, took.get(id)!, calls[name]))}`);
          }
          // What compares with one run, and about ten for each repair.
          await bounded(30 + 12 * edited.size, 'maintenance', () => queue.maintenance.run(log));

          const named = new Set(log.named('folder_request_invalid').map(({ fields }) => fields['id']));
          // A fault begins with an id or a key.
          const idIn = (fault: string): string => idOfKey(fault.split(' ')[0]!) ?? fault.slice(0, 36);
          const told = (fault: string): string => `${fault}: ${took.get(idIn(fault))}`;
          // A record with another id in its column is named by that of its key.
          const isNamed = (fault: string): boolean => named.has(idIn(fault)) || fault.startsWith('x: ');
          // Rows by requester and project are compared a few with each run, or all by the command.
          const faults = faultsOfTable(await allRows(table)).filter((fault) => !isNamed(fault));
          expect(faults.filter((fault) => !fault.startsWith('B_')).map(told)).toEqual([]);
          await queue.maintenance.settleAll(log);
          const left = faultsOfTable(await allRows(table)).filter((fault) => !isNamed(fault));
          expect(left.map(told)).toEqual([]);
          const now = new Map((await allRows(table)).map((row) => [row.rowKey, row]));
          for (const row of rows.filter(({ rowKey }) => rowKeys.record.has(rowKey))) {
            const id = String(row['id']);
            if (edited.has(id) || claimed.has(id)) continue;
            expect(now.get(row.rowKey), id).toEqual(row);
          }
        }),
        // A run that fails is not shrunk: it names the edits.
        { ...runs, endOnFailure: true },
      );
    },
  );
});

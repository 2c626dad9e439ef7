import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ClaimedFolderRequest } from '../../../lib/contract/folder-requests.ts';
import { recordOf } from '../../../lib/folder-requests/table/rows.ts';
import { FolderRequestQueue } from '../../../lib/folder-requests/folder-request-queue.ts';
import { connect } from '../../../lib/services.ts';
import { readSettings } from '../../../lib/settings/settings.ts';
import { removeAbandoned } from '../../../lib/project-documents/intents/abandoned-uploads.ts';
import type { UploadIntent } from '../../../lib/project-documents/intents/upload-intent.ts';
import { UploadIntents } from '../../../lib/project-documents/intents/upload-intents.ts';
import { IdempotencyKeys } from '../../../lib/storage/idempotency-keys.ts';
import { SealedText } from '../../../lib/storage/sealed-text.ts';
import { StorageClock } from '../../../lib/storage/storage-clock.ts';
import { Api } from '../../support/api.ts';
import { azuriteConnectionString, newTable, tableClient } from '../../support/azurite.ts';
import {
  agent,
  allRows,
  claimFrom,
  defaultRules,
  RecordedLog,
  seededRandom,
} from '../../support/folder-queue.ts';
import { type StorageCall, type StorageCallKind, StorageWatch } from '../../support/storage-watch.ts';
import type { QueueRules } from '../../../lib/folder-requests/table/queue-parts.ts';
import type { Clock } from '../../../lib/contract/clock.ts';
import { systemClock } from '../../../lib/contract/clock.ts';

/** The clock of an instance that differs from the storage's, which is this machine's. */
const clockAhead = (ms: number): Clock => ({
  now: () => Date.now() + ms,
  wait: (waitMs, signal) => systemClock.wait(waitMs, signal),
});

const uploadIntent: UploadIntent = {
  projectId: 'p',
  folderName: '01_Angebote',
  folderId: 'f',
  fileName: 'Plan.pdf',
  conflictBehavior: 'replace',
  size: 1,
  contentType: null,
  uploadedByUserId: 'u',
  uploadedByName: null,
  startedAt: '',
  before: { at: '', contentTag: null },
};

let table: string;
let log: RecordedLog;

beforeEach(async () => {
  table = await newTable();
  log = new RecordedLog();
});

async function observed(clock: StorageClock, responses: number): Promise<StorageClock> {
  const client = tableClient(table, { additionalPolicies: clock.policies });
  for (let at = 0; at < responses; at += 1) await client.listEntities().byPage({ maxPageSize: 1 }).next();
  return clock;
}

test.each([-300_000, -7_000, 7_000, 300_000])(
  'a difference of %d ms is known after three responses, and logged',
  async (aheadMs) => {
    const clock = await observed(new StorageClock(log, clockAhead(aheadMs)), 2);
    expect(clock.differenceMs).toBe(0);
    await observed(clock, 1);
    // A Date has whole seconds; the responses may take another one on a busy machine.
    expect(Math.abs(clock.differenceMs + aheadMs)).toBeLessThan(2_000);
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(2_000);
    await observed(clock, 3);
    expect(log.named('clock_differs')).toEqual([
      { level: 'warn', event: 'clock_differs', fields: { seconds: Math.round(clock.differenceMs / 1000) } },
    ]);
  },
);

test('a clock that may be right is used as it is', async () => {
  const clock = await observed(new StorageClock(log, clockAhead(0)), 10);
  expect(clock.differenceMs).toBe(0);
  expect(log.events).toEqual([]);
});

test('one response with a wrong date changes nothing, nor do two that differ', async () => {
  const clock = new StorageClock(log);
  const dates = [0, 3_600_000, 0, 3_600_000, 7_200_000, 3_600_000, 0].map((ms) => new Date(Date.now() + ms));
  const client = tableClient(table, {
    additionalPolicies: [
      ...clock.policies,
      {
        position: 'perRetry',
        policy: {
          name: 'wrongDates',
          async sendRequest(request, next) {
            const response = await next(request);
            response.headers.set('date', dates.shift()!.toUTCString());
            return response;
          },
        },
      },
    ],
  });
  while (dates.length > 0) {
    await client.listEntities().byPage({ maxPageSize: 1 }).next();
    expect(clock.differenceMs).toBe(0);
  }
});

describe.each([200, 1_000])(
  'a storage whose front ends differ by up to %d ms in both directions',
  (skewMs) => {
    test.each([0, 300_000])(
      'is never unavailable for a clock of %d ms ahead, and seldom asked again',
      async (aheadMs) => {
        let nowMs = Date.UTC(2026, 10, 29);
        const random = seededRandom(skewMs + aheadMs);
        const clock = new StorageClock(log, { ...systemClock, now: () => nowMs + aheadMs });
        const [policy] = clock.policies;
        let asked = 0;
        const request = async (): Promise<void> => {
          const response = { headers: new Map<string, string>() };
          await policy!.policy.sendRequest({} as never, async () => {
            nowMs += 5 + Math.floor(random() * 10);
            const dateMs = nowMs + Math.round((2 * random() - 1) * skewMs);
            response.headers.set('date', new Date(dateMs).toUTCString());
            nowMs += 5 + Math.floor(random() * 10);
            return response as never;
          });
        };
        for (let at = 0; at < 2_000; at += 1) {
          await request();
          nowMs += Math.floor(random() * 5_000);
          const certainMs = await clock.certainNow(() => {
            asked += 1;
            return request();
          });
          expect(Math.abs(certainMs - nowMs)).toBeLessThan(2_000);
        }
        expect(asked).toBeLessThan(20);
      },
    );
  },
);

test('an instance whose clock is five minutes ahead takes no lease that is alive, one behind hides no request', async () => {
  const instanceAt = async (aheadMs: number): Promise<FolderRequestQueue> => {
    const clock = await observed(new StorageClock(log, clockAhead(aheadMs)), 3);
    const client = tableClient(table, { additionalPolicies: clock.policies });
    return new FolderRequestQueue(client, { ...defaultRules, leaseMs: 60_000 }, { clock, randomBytes });
  };
  const [right, ahead, behind] = await Promise.all([0, 300_000, -300_000].map(instanceAt));
  const facts = { targetPath: 'Kunde\\Projekt', requestedByUserId: 'user' };
  const { entry } = await ahead!.create(facts, log);
  expect((await claimFrom(behind!, agent('b'), log))?.id).toBe(entry.id);
  expect(await claimFrom(ahead!, agent('a'), log)).toBeNull();
  const { entry: second } = await right!.create(facts, log);
  expect((await claimFrom(behind!, agent('b'), log))?.id).toBe(second.id);
});

test('health is unready above a minute of difference', async () => {
  const services = connect(readSettings({ STORAGE_CONNECTION_STRING: azuriteConnectionString() }));
  const tables = [tableClient(table)];
  const healthAt = async (aheadMs: number) => {
    const clock = await observed(new StorageClock(log, clockAhead(aheadMs)), 3);
    return new Api({ ...services, clock, tables }).call('GET', '/health');
  };
  const { status, body } = await healthAt(66_000);
  expect([status, body.code]).toEqual([503, 'clock_differs']);
  expect(body.detail).toMatch(/check clock .* by 6[4-8] s/);
  expect((await healthAt(55_000)).body.code).not.toBe('clock_differs');
});

describe.each([300_000, -300_000])('an instance that starts with a clock of %d ms ahead', (aheadMs) => {
  const leaseMs = 60_000;
  const living = 10;
  /** An instance whose clock has seen no response yet. */
  const freshInstance = (local: Clock = clockAhead(aheadMs)): FolderRequestQueue => {
    const clock = new StorageClock(log, local);
    const client = tableClient(table, { additionalPolicies: clock.policies });
    return new FolderRequestQueue(client, { ...defaultRules, leaseMs }, { clock, randomBytes });
  };
  let claims: ClaimedFolderRequest[];

  beforeEach(async () => {
    const right = freshInstance(clockAhead(0));
    const facts = { targetPath: 'Kunde\\Projekt', requestedByUserId: 'user' };
    await Promise.all(Array.from({ length: living }, () => right.create(facts, log)));
    claims = [];
    for (let at = 0; at < living; at += 1) claims.push((await claimFrom(right, agent('right'), log))!);
  });

  afterEach(async () => {
    const records = (await allRows(tableClient(table))).filter(({ rowKey }) => rowKey.startsWith('J_'));
    expect(records.map(recordOf).map(({ request }) => [request.status, request.expiredLeases])).toEqual(
      Array.from({ length: living }, () => ['PROCESSING', 0]),
    );
    expect(log.named('folder_request_lease_expired')).toEqual([]);
  });

  test('leaves all living leases alone with its first claim', async () => {
    expect(await claimFrom(freshInstance(), agent('fresh'), log)).toBeNull();
  });

  test('leaves them alone with its first maintenance', () => freshInstance().maintenance.run(log));

  test('extends a lease by its whole length with its first heartbeat', async () => {
    const { id, claimToken } = claims[0]!;
    const sentMs = Date.now();
    const { leaseExpiresAt } = await freshInstance().heartbeat(id, 'right', claimToken, new RecordedLog());
    expect(Math.abs(Date.parse(leaseExpiresAt) - leaseMs - sentMs)).toBeLessThan(3_000);
  });

  test('leaves them alone when its clock was right and is set while it runs', async () => {
    let setByMs = 0;
    const local = { ...clockAhead(0), now: () => Date.now() + setByMs };
    const running = freshInstance(local);
    expect(await claimFrom(running, agent('running'), log)).toBeNull();
    setByMs = aheadMs;
    expect(await claimFrom(running, agent('running'), log)).toBeNull();
    await running.maintenance.run(log);
    const { id, claimToken } = claims[0]!;
    const { leaseExpiresAt } = await running.heartbeat(id, 'right', claimToken, new RecordedLog());
    expect(Math.abs(Date.parse(leaseExpiresAt) - leaseMs - Date.now())).toBeLessThan(3_000);
  });
});

describe.each([300_000, -300_000])(
  'a call of an instance that starts with a clock of %d ms ahead',
  (aheadMs) => {
    const scoped = { userId: 'u', scope: 'p', key: 'k' };
    /** Keys and intents of an instance whose clock has seen no response yet. */
    const freshInstance = (ms: number) => {
      const clock = new StorageClock(log, clockAhead(ms));
      const within = { table: tableClient(table, { additionalPolicies: clock.policies }), clock };
      const { values } = readSettings({ STORAGE_CONNECTION_STRING: azuriteConnectionString() });
      const sealed = new SealedText(values.STORAGE_CONNECTION_STRING!, 'test');
      const intents = new UploadIntents({ ...within, sealed });
      const claim = () => new IdempotencyKeys(within.table, clock).claim(scoped, 'Plan.pdf', 'file name');
      const remove = () => new IdempotencyKeys(within.table, clock).removeExpired();
      return { claim, remove, intents, sweep: () => removeAbandoned({ ...within, intents }) };
    };

    test('does not take over the key of a call that runs', async () => {
      expect(await freshInstance(0).claim()).toMatchObject({ state: 'own' });
      const seen = await freshInstance(aheadMs).claim();
      expect(seen).toMatchObject({ state: 'running' });
      expect('retryAfterMs' in seen && seen.retryAfterMs).toBeLessThanOrEqual(22_000);
    });

    test('keeps its own key, which the others read', async () => {
      const own = await freshInstance(aheadMs).claim();
      expect(await freshInstance(0).claim()).toMatchObject({ state: 'running' });
      if (own.state !== 'own') throw new Error(own.state);
      await own.key.beat();
      expect(await freshInstance(0).claim()).toMatchObject({ state: 'running' });
    });

    test('removes no key before its 24 hours, and takes none over', async () => {
      const own = await freshInstance(0).claim();
      if (own.state !== 'own') throw new Error(own.state);
      await own.key.complete('first');
      const createdAt = new Date(Date.now() - 86_400_000 + 150_000);
      const row = { partitionKey: 'upload-keys', rowKey: own.key.id, createdAt };
      await tableClient(table).updateEntity(row, 'Merge');
      expect(await freshInstance(aheadMs).remove()).toBe(0);
      expect(await freshInstance(aheadMs).claim()).toMatchObject({ state: 'done', outcome: 'first' });
    });

    test('writes intents with the time of the storage, and removes none before its time', async () => {
      const direct = { ...uploadIntent, directUploadId: 'u', startedAt: new Date().toISOString() };
      await freshInstance(aheadMs).intents.begin(direct, null);
      const pending = await freshInstance(0).intents.find('p', 'u');
      expect(Math.abs(pending!.aliveAtMs - Date.now())).toBeLessThan(3_000);
      const claimed = await (await freshInstance(aheadMs).intents.find('p', 'u'))!.claim(undefined);
      expect(Math.abs(claimed!.aliveAtMs - Date.now())).toBeLessThan(3_000);
      const dueAt = new Date(Date.now() + 150_000);
      await tableClient(table).updateEntity({ partitionKey: 'direct-uploads', rowKey: 'u', dueAt }, 'Merge');
      expect(await freshInstance(aheadMs).sweep()).toBe(0);
      expect((await allRows(tableClient(table))).map(({ rowKey }) => rowKey)).toContain('u');
    });

    test('creates folder requests in the order of the storage', async () => {
      const clock = new StorageClock(log, clockAhead(aheadMs));
      const client = tableClient(table, { additionalPolicies: clock.policies });
      const queue = new FolderRequestQueue(client, defaultRules, { clock, randomBytes });
      const { entry } = await queue.create({ targetPath: 'Kunde', requestedByUserId: 'user' }, log);
      expect(Math.abs(Date.parse(entry.createdAt) - Date.now())).toBeLessThan(3_000);
    });
  },
);

describe('a clock that is set while the instance runs', () => {
  const leaseMs = 20_000;
  const facts = { targetPath: 'Kunde', requestedByUserId: 'user' };

  /** The time of the storage and, until it is set, of the instance. */
  let storageMs: number;
  beforeEach(() => (storageMs = Math.floor(Date.now() / 1000) * 1000));

  const storageTime: (typeof StorageWatch.prototype.policies)[number] = {
    position: 'perRetry',
    policy: {
      name: 'storageTime',
      async sendRequest(request, next) {
        const response = await next(request);
        response.headers.set('date', new Date(storageMs).toUTCString());
        return response;
      },
    },
  };

  function settableInstance(rules: Partial<QueueRules> = {}) {
    let setByMs = 0;
    const set = (ms: number): void => void (setByMs = ms);
    const clock = new StorageClock(log, { ...systemClock, now: () => storageMs + setByMs });
    const watch = new StorageWatch();
    const additionalPolicies = [...watch.policies, ...clock.policies, storageTime];
    const all = { ...defaultRules, leaseMs, ...rules };
    const client = tableClient(table, { additionalPolicies });
    return { queue: new FolderRequestQueue(client, all, { clock, randomBytes }), watch, set };
  }

  /** Sets the clock before the request to the storage of this kind and number is sent. */
  function setBefore(
    { watch, set }: ReturnType<typeof settableInstance>,
    { kind, number, ms }: { kind: StorageCallKind; number: number; ms: number },
  ): void {
    watch.gate = async (call: StorageCall) => {
      const sent = watch.calls.filter((each) => each.kind === kind).length;
      if (call.kind === kind && sent === number) set(ms);
    };
  }

  test.each([300_000, -300_000])(
    'by %d ms in the middle of a claim: the lease has its length',
    async (ms) => {
      await settableInstance().queue.create(facts, log);
      const instance = settableInstance();
      // The first query reads the leases, the second one what is waiting.
      setBefore(instance, { kind: 'query', number: 2, ms });
      const claim = await claimFrom(instance.queue, agent('a'), log);
      expect(Math.abs(Date.parse(claim!.leaseExpiresAt) - leaseMs - storageMs)).toBeLessThan(1_000);
    },
  );

  test.each([300_000, -300_000])('by %d ms in the middle of a creation: the time is right', async (ms) => {
    const instance = settableInstance();
    // Three times row M makes the time certain; then it is read for the number of shards.
    setBefore(instance, { kind: 'point read', number: 4, ms });
    const { entry } = await instance.queue.create(facts, log);
    expect(Math.abs(Date.parse(entry.createdAt) - storageMs)).toBeLessThan(1_000);
  });

  test('by more than a lease, and less than makes it read anything else: living leases remain', async () => {
    const { queue: right } = settableInstance();
    const { queue, set } = settableInstance();
    expect(await claimFrom(queue, agent('a'), log)).toBeNull();
    const { entry } = await right.create(facts, log);
    expect(await claimFrom(right, agent('a'), log)).not.toBeNull();
    set(leaseMs + 5_000);
    expect(await claimFrom(queue, agent('b'), log)).toBeNull();
    expect(await right.get(entry.id)).toMatchObject({ status: 'PROCESSING', agentId: 'a' });
  });

  test('back, as one response has shown: a lease that has ended is returned by the next claim', async () => {
    const { queue: right } = settableInstance({ leaseMs: 1 });
    const { queue, set } = settableInstance({ leaseMs: 1 });
    expect(await claimFrom(queue, agent('a'), log)).toBeNull();
    await right.create(facts, log);
    expect(await claimFrom(right, agent('a'), log)).not.toBeNull();
    storageMs += 10_000;
    set(-300_000);
    await queue.list({ limit: 1 });
    expect(await claimFrom(queue, agent('b'), log)).toMatchObject({ attempts: 2 });
  });
});

test.each([
  { aheadMs: 300_000, ageMs: 86_400_000 - 150_000, isNew: false },
  { aheadMs: -300_000, ageMs: 86_400_000 + 150_000, isNew: true },
])('the age of a key in another shard is that of the storage, %o', async ({ aheadMs, ageMs, isNew }) => {
  const instanceWith = (shards: number, ms: number) => {
    const clock = new StorageClock(log, clockAhead(ms));
    const client = tableClient(table, { additionalPolicies: clock.policies });
    return new FolderRequestQueue(client, { ...defaultRules, shards }, { clock, randomBytes });
  };
  const keyed = { targetPath: 'Kunde', requestedByUserId: 'user' };
  const keys = ['a', 'b', 'c'].map((idempotencyKey) => ({ ...keyed, idempotencyKey }));
  const right = instanceWith(1, 0);
  for (const facts of keys) await right.create(facts, log);
  const createdAt = new Date(Date.now() - ageMs);
  for (const { partitionKey, rowKey } of await allRows(tableClient(table))) {
    if (rowKey.startsWith('K_'))
      await tableClient(table).updateEntity({ partitionKey, rowKey, createdAt }, 'Merge');
  }
  const raised = instanceWith(16, aheadMs);
  for (const facts of keys) expect((await raised.create(facts, log)).isNew).toBe(isNew);
});

describe('the time is certain', () => {
  // Stopped, because the dates of the responses are.
  const nowMs = Math.floor(Date.now() / 1000) * 1000;
  const stoppedClock = () => new StorageClock(log, { ...systemClock, now: () => nowMs });

  const request = (clock: StorageClock, dates: readonly (Date | null)[]) => {
    const left = [...dates];
    let sent = 0;
    const client = tableClient(table, {
      additionalPolicies: [
        ...clock.policies,
        {
          position: 'perRetry',
          policy: {
            name: 'dates',
            async sendRequest(request, next) {
              sent += 1;
              const response = await next(request);
              const date = left.length > 1 ? left.shift() : left[0];
              if (date) response.headers.set('date', date.toUTCString());
              else response.headers.delete('date');
              return response;
            },
          },
        },
      ],
    });
    return { send: () => client.listEntities().byPage({ maxPageSize: 1 }).next(), sent: () => sent };
  };

  test('with three requests at start, together for all callers, and with none later', async () => {
    const clock = stoppedClock();
    const { send, sent } = request(clock, [new Date(nowMs)]);
    await Promise.all([clock.certainNow(send), clock.certainNow(send)]);
    await clock.certainNow(send);
    expect(sent()).toBe(3);
  });

  test('with as many more as a server with a wrong clock takes', async () => {
    const clock = stoppedClock();
    const now = new Date(nowMs);
    const { send, sent } = request(clock, [now, now, new Date(nowMs + 3_600_000), now]);
    await clock.certainNow(send);
    expect(sent()).toBeGreaterThan(3);
    expect(clock.differenceMs).toBe(0);
  });

  const [right, wrong] = [0, 3_600_000];

  test.each([
    ['none after three that agree with each other', [right, right, right, wrong, wrong, wrong], 6, 0],
    ['two after one that contradicts', [right, right, right, wrong], 4, 2],
    ['two after one that contradicts and one that agrees', [right, right, right, wrong, right], 5, 2],
  ])('with only so many more responses as are missing: %s', async (_, aheadMs, first, more) => {
    const clock = stoppedClock();
    const dates = aheadMs.map((ms) => new Date(nowMs + ms));
    const { send, sent } = request(clock, dates);
    for (let at = 0; at < first; at += 1) await send();
    await clock.certainNow(send);
    expect(sent() - first).toBe(more);
  });

  test.each([
    ['that have no date', [null]],
    ['that never agree', Array.from({ length: 13 }, (_, at) => new Date(nowMs + at * 3_600_000 + 3_600_000))],
  ])('never with responses %s: the storage is unavailable', async (_, dates) => {
    const clock = stoppedClock();
    const { send, sent } = request(clock, dates);
    await expect(clock.certainNow(send)).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect(sent()).toBeLessThanOrEqual(12);
  });
});

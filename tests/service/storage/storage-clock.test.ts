import { randomBytes } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { FolderRequestQueue } from '../../../lib/folder-requests/folder-request-queue.ts';
import { connect } from '../../../lib/services.ts';
import { readSettings } from '../../../lib/settings/settings.ts';
import { StorageClock } from '../../../lib/storage/storage-clock.ts';
import { Api } from '../../support/api.ts';
import { azuriteConnectionString, newTable, tableClient } from '../../support/azurite.ts';
import { agent, defaultRules, RecordedLog } from '../../support/folder-queue.ts';
import type { Clock } from '../../../lib/contract/clock.ts';
import { systemClock } from '../../../lib/contract/clock.ts';

/** The clock of an instance that differs from the storage's, which is this machine's. */
const clockAhead = (ms: number): Clock => ({
  now: () => Date.now() + ms,
  wait: (waitMs, signal) => systemClock.wait(waitMs, signal),
});

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

test('an instance whose clock is five minutes ahead takes no lease that is alive, one behind hides no request', async () => {
  const instanceAt = async (aheadMs: number): Promise<FolderRequestQueue> => {
    const clock = await observed(new StorageClock(log, clockAhead(aheadMs)), 3);
    const client = tableClient(table, { additionalPolicies: clock.policies });
    return new FolderRequestQueue(client, { ...defaultRules, leaseMs: 60_000 }, { clock, randomBytes });
  };
  const [right, ahead, behind] = await Promise.all([0, 300_000, -300_000].map(instanceAt));
  const facts = { targetPath: 'Kunde\\Projekt', requestedByUserId: 'user' };
  const { entry } = await ahead!.create(facts, log);
  expect((await behind!.claim(agent('b'), log))?.id).toBe(entry.id);
  expect(await ahead!.claim(agent('a'), log)).toBeNull();
  const { entry: second } = await right!.create(facts, log);
  expect((await behind!.claim(agent('b'), log))?.id).toBe(second.id);
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

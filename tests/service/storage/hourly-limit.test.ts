import { expect, test } from 'vitest';
import { ServiceError } from '../../../lib/base/service-error.ts';
import { HourlyLimit } from '../../../lib/storage/hourly-limit.ts';
import { newTable, tableClient } from '../../support/azurite.ts';
import { certain } from '../../support/folder-queue.ts';
import { StorageWatch } from '../../support/storage-watch.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const minuteMs = 60_000;

async function limits(max: number) {
  const name = await newTable();
  const clock = new VirtualClock({ nowMs: Date.UTC(2026, 10, 28, 9, 0, 30) });
  const instance = (options = {}) =>
    new HourlyLimit(tableClient(name, options), certain(clock), { what: 'texts', max });
  return { name, clock, instance };
}

/** 'counted', or after how many seconds the next call is possible. */
const outcomeOf = (call: Promise<void>): Promise<string | number | undefined> =>
  call.then(
    () => 'counted',
    (error: unknown) => {
      if (!(error instanceof ServiceError) || error.code !== 'rate_limited') throw error;
      return error.facts.retryAfterSeconds;
    },
  );

test('the limit holds for each period of an hour, and the response says when the next call is possible', async () => {
  const { clock, instance } = await limits(3);
  const limit = instance();
  const call = () => outcomeOf(limit.count('anna'));
  expect([await call(), await call()]).toEqual(['counted', 'counted']);
  clock.advance(20 * minuteMs);
  expect(await call()).toBe('counted');
  // The first two were made in the minute of 09:00, which is an hour ago at 10:01.
  expect(await call()).toBe(40 * 60 + 30);
  clock.advance((40 * 60 + 29) * 1000);
  expect(await call()).toBe(1);
  clock.advance(1000);
  expect([await call(), await call(), await call()]).toEqual(['counted', 'counted', 20 * 60]);
  expect(await outcomeOf(limit.count('bernd'))).toBe('counted');
});

test('several instances together let exactly the limit through', async () => {
  const { instance } = await limits(7);
  const instances = [instance(), instance(), instance()];
  const calls = Array.from({ length: 12 }, (_, at) => outcomeOf(instances[at % 3]!.count('anna')));
  const outcomes = await Promise.all(calls);
  expect(outcomes.filter((outcome) => outcome === 'counted')).toHaveLength(7);
});

test('a call whose response from the storage was lost counts once', async () => {
  const { name, instance } = await limits(2);
  const watch = new StorageWatch();
  let lost = 0;
  const retryOptions = { maxRetries: 2, retryDelayInMs: 1 };
  const limit = instance({ additionalPolicies: watch.policies, retryOptions });
  await limit.count('anna');
  watch.fault = ({ kind }) => (kind === 'write' && (lost += 1) === 1 ? 'lost response' : undefined);
  expect(await outcomeOf(limit.count('anna'))).toBe('counted');
  expect(lost).toBe(2);
  const rows = await Array.fromAsync(tableClient(name).listEntities<{ minutes: string }>());
  expect(rows.map(({ minutes }) => JSON.parse(minutes)[0][1])).toEqual([2]);
});

test('rows of those who no longer call are removed, and a broken row starts again', async () => {
  const { name, clock, instance } = await limits(1);
  const limit = instance();
  await limit.count('anna');
  clock.advance(90 * minuteMs);
  await limit.count('bernd');
  clock.advance(40 * minuteMs);
  await limit.removeExpired();
  const table = tableClient(name);
  const [row, ...others] = await Array.fromAsync(
    table.listEntities<{ partitionKey: string; rowKey: string }>(),
  );
  expect(others).toEqual([]);
  expect(await outcomeOf(limit.count('bernd'))).toBeTypeOf('number');
  await table.updateEntity(
    { partitionKey: row!.partitionKey, rowKey: row!.rowKey, minutes: '{"a":1}' },
    'Merge',
  );
  expect(await outcomeOf(limit.count('bernd'))).toBe('counted');
});

import { describe, expect, test } from 'vitest';
import { QueueTable } from '../../../lib/folder-requests/table/queue-table.ts';
import { newTable, tableClient } from '../../support/azurite.ts';
import { PauselessClock } from '../../support/folder-queue.ts';
import { type Fault, StorageWatch } from '../../support/storage-watch.ts';

const row = { partitionKey: 'fr-0', rowKey: `K_${'0'.repeat(64)}` };

async function watchedTable() {
  const watch = new StorageWatch();
  const client = tableClient(await newTable(), { additionalPolicies: watch.policies });
  await client.createEntity(row);
  watch.reset();
  const clock = new PauselessClock();
  return { watch, clock, table: new QueueTable(client, clock) };
}

const range = { partition: 'fr-0', from: 'K_', to: 'K~', limit: 10 };
const readRow = (table: QueueTable): Promise<unknown> => table.row('fr-0', row.rowKey);
const readRange = (table: QueueTable): Promise<unknown> => table.rows(range);

describe.each([
  ['row', readRow, row],
  ['range', readRange, { rows: [row], mayHaveMore: false }],
] as const)('a read of a %s', (_what, read, expected) => {
  test.each([500, 503, 'reset', 'lost response', 'no token'] as const)(
    'is repeated after %s',
    async (fault) => {
      const { watch, table } = await watchedTable();
      watch.fault = ({ index }) => (index === 0 ? fault : undefined);
      expect(await read(table)).toMatchObject(expected);
      expect(watch.calls).toHaveLength(2);
    },
  );

  test.each([409, 412] as const)('fails if the storage rejects it with %d', async (fault) => {
    const { watch, table } = await watchedTable();
    watch.fault = () => fault;
    await expect(read(table)).rejects.toMatchObject({ statusCode: fault });
    expect(watch.calls).toHaveLength(1);
  });
});

test('only a row that is not there is missing; any other 404 is a failure of the storage', async () => {
  const { watch, table } = await watchedTable();
  expect(await table.row('fr-0', 'Z')).toBeUndefined();
  watch.fault = () => 404;
  await expect(readRow(table)).rejects.toMatchObject({ code: 'storage_unavailable' });
  await expect(readRange(table)).rejects.toMatchObject({ code: 'storage_unavailable' });
});

describe('Retry-After of the storage', () => {
  test('is respected before the next try', async () => {
    const { watch, table, clock } = await watchedTable();
    watch.fault = ({ index }) => (index === 0 ? 'busy' : undefined);
    expect(await readRow(table)).toMatchObject(row);
    expect(clock.waits).toEqual([2_000]);
  });

  test('is the one of the response, without a further try, if it is longer than a call can wait', async () => {
    const { watch, table, clock } = await watchedTable();
    watch.fault = () => 'being deleted';
    const unavailable = { code: 'storage_unavailable', facts: { retryAfterSeconds: 7 } };
    await expect(readRow(table)).rejects.toMatchObject(unavailable);
    await expect(table.commit([['create', row]], async () => false)).rejects.toMatchObject(unavailable);
    expect([watch.calls.length, clock.waits]).toEqual([2, []]);
  });
});

describe('within a budget', () => {
  const limits = { ms: 10_000, requests: 5 };

  test('endless continuation tokens end', async () => {
    const { watch, table, clock } = await watchedTable();
    watch.fault = () => 'empty page';
    const budgeted = table.within(limits, clock);
    await expect(budgeted.rows(range)).rejects.toMatchObject({
      code: 'storage_unavailable',
      facts: { retryAfterSeconds: 5 },
    });
    expect(watch.calls).toHaveLength(5);
  });

  test('nothing is sent after its time', async () => {
    const { watch, table, clock } = await watchedTable();
    const budgeted = table.within(limits, clock);
    clock.advance(9_000);
    expect(await readRow(budgeted)).toMatchObject(row);
    clock.advance(1_000);
    await expect(readRow(budgeted)).rejects.toMatchObject({ code: 'storage_unavailable' });
    await expect(budgeted.commit([['create', row]], async () => false)).rejects.toMatchObject({
      code: 'storage_unavailable',
    });
    expect(watch.calls).toHaveLength(1);
  });

  test('a part has at most what is left of the whole', async () => {
    const { watch, table, clock } = await watchedTable();
    const unavailable = { code: 'storage_unavailable' };
    const whole = table.within({ ms: 10_000, requests: 2 }, clock);
    const part = () => whole.within({ ms: 3_000, requests: Infinity }, clock);
    expect(await readRow(part())).toMatchObject(row);
    clock.advance(3_000);
    expect(await readRow(part())).toMatchObject(row);
    await expect(readRow(part())).rejects.toMatchObject(unavailable);
    expect(watch.calls).toHaveLength(2);
    // There is no time for the pause before another try.
    watch.fault = () => 503;
    const short = table.within({ ms: 150, requests: 9 }, clock).within({ ms: 3_000, requests: 9 }, clock);
    await expect(readRow(short)).rejects.toMatchObject(unavailable);
    expect(watch.calls).toHaveLength(3);
  });
});

describe('a transaction', () => {
  const other = { partitionKey: 'fr-0', rowKey: 'Y' };

  async function committed(faultOfFirst: Fault) {
    const { watch, table } = await watchedTable();
    watch.fault = ({ index }) => (index === 0 ? faultOfFirst : undefined);
    const wasWritten = async () => (await table.row('fr-0', 'Y')) !== undefined;
    const isWritten = await table.commit([['create', other]], wasWritten);
    return { isWritten, calls: watch.calls.map(({ kind }) => kind) };
  }

  test.each([404, 500, 503, 'reset', 'no token'] as const)('is repeated after %s', async (fault) => {
    const calls = ['transaction', 'point read', 'transaction'];
    expect(await committed(fault)).toEqual({ isWritten: true, calls });
  });

  test('whose response is lost is not repeated', async () => {
    const calls = ['transaction', 'point read'];
    expect(await committed('lost response')).toEqual({ isWritten: true, calls });
  });

  test.each([409, 412] as const)('is lost if the storage rejects it with %d', async (fault) => {
    expect(await committed(fault)).toEqual({ isWritten: false, calls: ['transaction'] });
  });
});

test('a transaction that conflicts is lost, without a further request', async () => {
  const { watch, table } = await watchedTable();
  const commit = () => table.commit([['create', row]], async () => (await readRow(table)) !== undefined);
  expect(await commit()).toBe(false);
  expect(watch.calls.map(({ kind }) => kind)).toEqual(['transaction']);
});

test('a transaction and a read that keep failing are sent three times', async () => {
  const { watch, table } = await watchedTable();
  watch.fault = () => 503;
  await expect(table.commit([['create', row]], async () => false)).rejects.toMatchObject({
    code: 'storage_unavailable',
  });
  expect(watch.calls.map(({ kind }) => kind)).toEqual(['transaction', 'transaction', 'transaction']);
  watch.reset();
  await expect(table.row('fr-0', row.rowKey)).rejects.toMatchObject({ code: 'storage_unavailable' });
  expect(watch.calls).toHaveLength(3);
});

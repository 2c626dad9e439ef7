import { expect, test } from 'vitest';
import * as z from 'zod';
import { systemClock } from '../../../lib/contract/clock.ts';
import { Secret } from '../../../lib/contract/secret.ts';
import { IdempotencyKeys } from '../../../lib/storage/idempotency-keys.ts';
import { oncePerKey } from '../../../lib/storage/keyed-results.ts';
import { SealedText } from '../../../lib/storage/sealed-text.ts';
import { newTable, tableClient } from '../../support/azurite.ts';
import { certain } from '../../support/folder-queue.ts';
import { StorageWatch } from '../../support/storage-watch.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const scoped = { userId: 'u', scope: 'p', key: 'k' };
const newKeys = async () => new IdempotencyKeys(tableClient(await newTable()), certain(systemClock));

async function ownKey(keys: IdempotencyKeys) {
  const claimed = await keys.claim(scoped, 'Plan.pdf', 'file name');
  if (claimed.state !== 'own') throw new Error(claimed.state);
  return claimed.key;
}

test('a key is released only while it has no outcome', async () => {
  const keys = await newKeys();
  await (await ownKey(keys)).release();
  const key = await ownKey(keys);
  const released = async () => {
    // For example, because the upload failed after its outcome was written.
    await key.release();
    return keys.claim(scoped, 'Plan.pdf', 'file name');
  };
  await key.complete('first');
  expect(await released()).toMatchObject({ state: 'done', outcome: 'first' });
  await keys.complete(key.id, 'Plan.pdf', 'second');
  expect(await released()).toMatchObject({ state: 'done', outcome: 'second' });
});

test('an expired key that another call takes over while it is removed stays', async () => {
  const clock = new VirtualClock();
  const watch = new StorageWatch();
  const name = await newTable();
  const keys = new IdempotencyKeys(tableClient(name), certain(clock));
  await ownKey(keys);
  clock.advance(25 * 60 * 60_000);
  watch.gate = async ({ kind }) => {
    if (kind !== 'write') return;
    watch.gate = () => undefined;
    await ownKey(keys);
  };
  const client = tableClient(name, { additionalPolicies: watch.policies });
  await new IdempotencyKeys(client, certain(clock)).removeExpired();
  expect((await keys.claim(scoped, 'Plan.pdf', 'file name')).state).toBe('running');
});

test('a key is released neither after another call has taken it over nor when its outcome is unknown', async () => {
  const clock = new VirtualClock();
  const keys = new IdempotencyKeys(tableClient(await newTable()), certain(clock));
  const claim = () => keys.claim(scoped, 'Plan.pdf', 'file name');
  const key = await ownKey(keys);
  clock.advance(20_000);
  const interrupted = await claim();
  if (interrupted.state !== 'interrupted') throw new Error(interrupted.state);
  const taken = await interrupted.takeOver();
  await key.release();
  expect((await claim()).state).toBe('running');

  taken!.leave();
  await taken!.release();
  expect((await claim()).state).toBe('running');
});

test('a key that is released while another call reads it belongs to that call', async () => {
  const watch = new StorageWatch();
  const client = tableClient(await newTable(), { additionalPolicies: watch.policies });
  const keys = new IdempotencyKeys(client, certain(systemClock));
  const key = await ownKey(keys);
  watch.gate = async ({ kind }) => {
    if (kind !== 'point read') return;
    watch.gate = () => undefined;
    await key.release();
  };
  expect((await keys.claim(scoped, 'Plan.pdf', 'file name')).state).toBe('own');
});

test('the heartbeat of a call that has lost its key does not keep the key alive', async () => {
  const clock = new VirtualClock();
  const keys = new IdempotencyKeys(tableClient(await newTable()), certain(clock));
  const claim = () => keys.claim(scoped, 'Plan.pdf', 'file name');
  const lost = await ownKey(keys);
  clock.advance(20_000);
  const interrupted = await claim();
  if (interrupted.state !== 'interrupted') throw new Error(interrupted.state);
  const taken = (await interrupted.takeOver())!;

  // The process of the second call dies, and the first one continues.
  clock.advance(19_000);
  await lost.beat();
  clock.advance(1000);
  expect((await claim()).state).toBe('interrupted');
  await taken.beat();
  expect((await claim()).state).toBe('running');
});

test('an outcome has any length, and belongs to the call that owns the key', async () => {
  const keys = await newKeys();
  const key = await ownKey(keys);
  const outcome = `${'x'.repeat(65_000)}.`;
  await key.complete(outcome);
  const done = await keys.claim(scoped, 'Plan.pdf', 'file name');
  if (done.state !== 'done') throw new Error(done.state);
  expect(done.outcome).toBe(outcome);
  const next = await done.takeOver();
  await key.complete('of the call that lost the key');
  await key.release();
  expect(await keys.claim(scoped, 'Plan.pdf', 'file name')).toMatchObject({ state: 'running' });
  await next!.complete('second');
  expect(await keys.claim(scoped, 'Plan.pdf', 'file name')).toMatchObject({ outcome: 'second' });
});

test('a result that can no longer be read is made again: of another secret, or of another form', async () => {
  const keys = await newKeys();
  const once = <T extends object>(secret: string, schema: z.ZodType<T>, result: T) =>
    oncePerKey(
      { keys, sealed: new SealedText(new Secret(secret), 'test'), clock: systemClock },
      { ...scoped, formerScope: 'former' },
      { subject: 'x' },
      schema,
      async () => result,
    );
  const numbered = z.object({ at: z.number() });
  expect(await once('old', numbered, { at: 1 })).toEqual({ at: 1 });
  expect(await once('old', numbered, { at: 2 })).toEqual({ at: 1 });
  expect(await once('new', numbered, { at: 3 })).toEqual({ at: 3 });
  expect(await once('new', numbered, { at: 4 })).toEqual({ at: 3 });
  const named = z.object({ of: z.string() });
  expect(await once('new', named, { of: 'another release' })).toEqual({ of: 'another release' });
});

/** Calls with one key, each of which makes a higher number. */
async function calls() {
  const clock = new VirtualClock();
  const watch = new StorageWatch();
  const client = tableClient(await newTable(), { additionalPolicies: watch.policies });
  const keys = new IdempotencyKeys(client, certain(clock));
  const results = { keys, sealed: new SealedText(new Secret('x'), 'test'), clock: systemClock };
  let made = 0;
  const make = async () => ({ at: (made += 1) });
  const once = ({ body = 'x', scope = 'new' } = {}, by = make) =>
    oncePerKey(results, { ...scoped, scope, formerScope: 'old' }, body, z.object({ at: z.number() }), by);
  /** A call that runs until `end`. */
  const running = async () => {
    const [begun, made0] = [Promise.withResolvers<void>(), Promise.withResolvers<{ at: number }>()];
    const result = once({}, () => {
      begun.resolve();
      return made0.promise;
    });
    await begun.promise;
    return { result, end: () => made0.resolve({ at: 0 }) };
  };
  return { clock, watch, once, running };
}

test('while a call runs, another one with its key is rejected', async () => {
  const { once, running } = await calls();
  const first = await running();
  await expect(once()).rejects.toMatchObject({ code: 'request_in_progress' });
  first.end();
  expect([await first.result, await once()]).toEqual([{ at: 0 }, { at: 0 }]);
});

test('of two calls that take over the key of a silent one, the slower one is rejected', async () => {
  const { clock, watch, once, running } = await calls();
  const silent = await running();
  clock.advance(20_000);
  let writes = 0;
  let faster: Promise<unknown> | undefined;
  watch.gate = async ({ kind }) => {
    if (kind !== 'write' || faster !== undefined) return;
    writes += 1;
    // After its insert, which the row of the silent call rejects.
    if (writes === 2) await (faster = once());
  };
  await expect(once()).rejects.toMatchObject({ code: 'request_in_progress' });
  expect(await faster).toEqual({ at: 1 });
  silent.end();
  await silent.result;
});

test.each([
  ['counts for the same body', 'x', 0, 1],
  ['is none of another body', 'y', 0, 2],
  ['is forgotten after a day', 'x', 25, 2],
])('a result of the former scope %s', async (_what, body, hours, at) => {
  const { clock, once } = await calls();
  await once({ scope: 'old' });
  clock.advance(hours * 60 * 60_000);
  expect(await once({ body })).toEqual({ at });
});

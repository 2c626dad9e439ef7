import { expect, test } from 'vitest';
import { TreeWork } from '../files/tree-work.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('the first failure aborts the others, and is thrown when all in flight have ended', async () => {
  const work = new TreeWork(undefined);
  const slow = Promise.withResolvers<void>();
  const ends: string[] = [];
  const calls: Record<string, () => Promise<void>> = {
    slow: async () => {
      await slow.promise;
      ends.push('slow');
      throw work.signal.reason;
    },
    failing: async () => {
      throw new Error('first');
    },
  };
  const ended = work
    .end(work.all(['slow', 'failing'], (name) => work.run(calls[name]!)))
    .catch((error: unknown) => ends.push(String(error)));
  await settled();
  expect(work.signal.aborted).toBe(true);
  expect(ends).toEqual([]);
  slow.resolve();
  await ended;
  expect(ends).toEqual(['slow', 'Error: first']);
});

test('the caller aborts all, and at most 64 calls are in flight over all directories', async () => {
  const caller = new AbortController();
  const work = new TreeWork(caller.signal);
  let [inFlight, most] = [0, 0];
  const call = async () => {
    most = Math.max(most, (inFlight += 1));
    await settled();
    inFlight -= 1;
  };
  const directory = () => work.all(Array.from({ length: 50 }), () => work.run(call));
  await work.end(work.all(Array.from({ length: 10 }), directory));
  expect(most).toBe(64);
  caller.abort();
  expect(work.signal.aborted).toBe(true);
});

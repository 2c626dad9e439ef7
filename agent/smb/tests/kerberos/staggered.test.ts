import { expect, test } from 'vitest';
import { firstOfStaggered } from '../../kerberos/index.ts';

/** The first candidate is too slow, the second one succeeds at once. */
async function race() {
  const slow = Promise.withResolvers<string>();
  const attempts: string[] = [];
  const discarded: string[] = [];
  const first = await firstOfStaggered(
    ['slow', 'good', 'third', 'fourth'],
    (candidate) => {
      attempts.push(candidate);
      return candidate === 'slow' ? slow.promise : Promise.resolve(candidate);
    },
    { delayMs: 1, discard: (value) => discarded.push(value) },
  );
  expect(first).toEqual({ candidate: 'good', value: 'good' });
  return { slow, attempts, discarded };
}

test('what succeeds after the end is discarded', async () => {
  const { slow, discarded } = await race();
  slow.resolve('late');
  await new Promise(setImmediate);
  expect(discarded).toEqual(['late']);
});

test('what fails after the end has no successor', async () => {
  const { slow, attempts } = await race();
  slow.reject(new Error('unreachable'));
  await new Promise(setImmediate);
  expect(attempts).toEqual(['slow', 'good']);
});

import { expect, test } from 'vitest';
import { systemClock } from '../../../lib/contract/clock.ts';

test('a wait ends as soon as its signal is aborted, also if that was before it', async () => {
  const caller = new AbortController();
  const waits = [systemClock.wait(600_000, AbortSignal.abort()), systemClock.wait(600_000, caller.signal)];
  caller.abort();
  // Otherwise the limit of the test ends it.
  expect(await Promise.all(waits)).toEqual([undefined, undefined]);
});

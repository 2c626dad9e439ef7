import { expect, test } from 'vitest';
import { withHeartbeat } from '../../../lib/storage/heartbeat.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

test('ends only after the heartbeat in flight, which must not arrive after later writes', async () => {
  const clock = new VirtualClock();
  const beat = Promise.withResolvers<void>();
  const sent = Promise.withResolvers<void>();
  const work = Promise.withResolvers<string>();
  const events: string[] = [];
  const sender = {
    async beat() {
      sent.resolve();
      await beat.promise;
      events.push('heartbeat');
    },
  };
  const ended = withHeartbeat(clock, sender, () => work.promise).then((result) => events.push(result));
  await clock.untilWaiting();
  clock.advance(5_000);
  await sent.promise;
  work.resolve('work');
  // Long enough for every promise that does not wait for the heartbeat.
  await new Promise((resolve) => setImmediate(resolve));
  expect(events).toEqual([]);
  beat.resolve();
  await ended;
  expect(events).toEqual(['heartbeat', 'work']);
});

test('beats once in five seconds, as long as the work lasts', async () => {
  const clock = new VirtualClock();
  const work = Promise.withResolvers<void>();
  let beats = 0;
  const sender = { beat: () => Promise.resolve((beats += 1)) };
  const ended = withHeartbeat(clock, sender, () => work.promise);
  for (const expected of [0, 1, 2, 3]) {
    await clock.untilWaiting();
    await new Promise((resolve) => setImmediate(resolve));
    expect(beats).toBe(expected);
    clock.advance(5_000);
  }
  await clock.untilWaiting();
  work.resolve();
  await ended;
  expect(beats).toBe(4);
});

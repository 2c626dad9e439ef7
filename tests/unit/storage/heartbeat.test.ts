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

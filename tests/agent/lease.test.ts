import { once } from 'node:events';
import { afterEach, describe, expect, test } from 'vitest';
import { ClaimLost, leaseOf } from '../../agent/claims/lease.ts';
import type { Claim } from '../../agent/claims/service-client.ts';
import { startService } from '../support/agent-service.ts';
import { misbehaviors } from '../support/fake-folder-service.ts';
import { logLines } from '../support/log-lines.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function claimed({ leaseMs = 300_000, requestTimeoutMs = 15_000 } = {}) {
  const clock = new VirtualClock();
  const { service, client, stop } = await startService({ leaseMs, clock, requestTimeoutMs });
  const id = service.add('a');
  const claim = (await client.claim()) as Claim;
  const { log, lines } = logLines();
  let endsAtMs = claim.leaseEndsAtMs;
  const heartbeat = client.heartbeat.bind(client);
  client.heartbeat = async (...call) => (endsAtMs = await heartbeat(...call));
  const lease = leaseOf(claim, { service: client, clock, random: () => 0.5, log });
  cleanups.push(stop, () => lease.end());
  return { clock, service, client, id, lease, endsAtMs: () => endsAtMs, lines };
}

/** Advances the clock to the next heartbeat and waits for its response. */
async function beat({ clock, service }: Awaited<ReturnType<typeof claimed>>, ms: number): Promise<void> {
  await clock.untilWaiting();
  const before = service.count('heartbeat');
  clock.advance(ms);
  await service.until(() => service.count('heartbeat') > before);
}

describe('heartbeats', () => {
  test('begin before the work, and continue once a minute while the claim is held', async () => {
    const held = await claimed();
    await held.lease.start();
    expect(held.service.count('heartbeat')).toBe(1);
    for (let minute = 1; minute <= 5; minute += 1) {
      await beat(held, 60_000);
      expect(held.service.count('heartbeat')).toBe(1 + minute);
    }
    expect(held.lease.lost.aborted).toBe(false);
  });

  test('are more frequent when the lease is short', async () => {
    const held = await claimed({ leaseMs: 30_000 });
    await held.lease.start();
    await beat(held, 10_000);
    expect(held.service.calls.at(-1)).toMatchObject({ route: 'heartbeat', status: 200 });
  });

  test('end when the work does', async () => {
    const held = await claimed();
    await held.lease.start();
    await held.clock.untilWaiting();
    held.lease.end();
    held.clock.advance(60_000);
    // A heartbeat would be sent before the second of these calls.
    for (let call = 0; call < 2; call += 1) expect(await held.client.claim()).toBeNull();
    expect(held.service.count('heartbeat')).toBe(1);
    expect(held.clock.pending).toBe(0);
    expect(held.lease.lost.aborted).toBe(false);
  });
});

test('a heartbeat that is under way when the work ends is no error', async () => {
  const held = await claimed();
  await held.lease.start();
  await held.clock.untilWaiting();
  const arrived = new Promise<void>((resolve) => held.service.misbehave('heartbeat', () => resolve()));
  held.clock.advance(60_000);
  await arrived;
  held.lease.end();
  for (let call = 0; call < 2; call += 1) expect(await held.client.claim()).toBeNull();
  expect(held.lines.filter((line) => !line.includes('"level":"debug"'))).toEqual([]);
});

describe('the claim is lost', () => {
  test('when the service reports it', async () => {
    const held = await claimed();
    await held.lease.start();
    held.service.giveToOther(held.id);
    const lost = once(held.lease.lost, 'abort');
    await beat(held, 60_000);
    await lost;
    expect(held.lease.lost.reason).toBeInstanceOf(ClaimLost);
    expect(String(held.lease.lost.reason)).toContain('claim_lost');
  });

  test('before the lease ends if no heartbeat succeeds, but not after the first failure', async () => {
    const held = await claimed();
    await held.lease.start();
    held.service.goDown();
    const lost = once(held.lease.lost, 'abort');
    await held.clock.untilWaiting();
    held.clock.advance(60_000);
    await held.clock.untilWaiting();
    expect(held.lease.lost.aborted).toBe(false);
    // No work on the request is allowed in the last ten seconds of the lease.
    const endsInMs = held.endsAtMs() - held.clock.now();
    held.clock.advance(endsInMs - 10_000);
    await lost;
    expect(String(held.lease.lost.reason)).toContain('no heartbeat succeeded');
  });

  // Work ends ten seconds before the lease, or with the last quarter of a shorter one. Nothing is due before the end, because a
  // failed heartbeat is repeated every ten seconds at the latest.
  test.each([
    { leaseMs: 300_000, marginMs: 10_000 },
    { leaseMs: 24_000, marginMs: 6_000 },
  ])('$marginMs ms before a lease of $leaseMs ms ends, not earlier', async ({ leaseMs, marginMs }) => {
    const held = await claimed({ leaseMs });
    // The end that the agent assumes differs from the lease by the rounding of the response's time.
    await held.lease.start();
    const lastsMs = held.endsAtMs() - held.clock.now();
    const workMs = lastsMs - Math.min(marginMs, lastsMs / 4);
    held.service.goDown();
    const until = held.clock.now() + workMs;
    while (held.clock.now() < until - 1) {
      await held.clock.untilWaiting();
      expect(held.lease.lost.aborted).toBe(false);
      held.clock.advance(Math.min(1000, until - 1 - held.clock.now()));
    }
    await held.clock.untilWaiting();
    expect(held.lease.lost.aborted).toBe(false);
    const lost = once(held.lease.lost, 'abort');
    held.clock.advance(2);
    await lost;
    expect(held.endsAtMs() - held.clock.now()).toBeGreaterThan(marginMs * 0.9);
  });

  test(
    'when the work must end and the response to a heartbeat is still missing',
    { timeout: 20_000 },
    async () => {
      // The heartbeat at the start waits as long as work is allowed, 1.5 s, and not as long as other requests.
      const held = await claimed({ leaseMs: 2_000, requestTimeoutMs: 60_000 });
      held.service.misbehave('heartbeat', misbehaviors.silence());
      await held.lease.start();
      expect(held.lease.lost.reason).toBeInstanceOf(ClaimLost);
    },
  );

  test('not if a heartbeat succeeds again in time', async () => {
    const held = await claimed();
    await held.lease.start();
    held.service.misbehave(
      'heartbeat',
      misbehaviors.htmlPage(502),
      misbehaviors.reset(),
      misbehaviors.retryAfter(503, 1),
    );
    for (let failed = 1; failed <= 3; failed += 1) await beat(held, 60_000);
    await beat(held, 10_000);
    expect(held.service.calls.at(-1)).toMatchObject({ route: 'heartbeat', status: 200 });
    expect(held.lease.lost.aborted).toBe(false);
    const warnings = held.lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 'warn');
    expect(warnings).toEqual(
      ['502', 'ECONNRESET', '503'].map((reason) =>
        expect.objectContaining({
          reason: expect.stringContaining(reason),
          msg: 'a heartbeat failed; retrying until the lease ends',
        }),
      ),
    );
  });

  // A timer of Node goes on where it was, so it ends a minute after the machine is awake again.
  test('within a second after a sleep in which it has ended, although timers stand still meanwhile', async () => {
    const held = await claimed();
    await held.lease.start();
    await held.clock.untilWaiting();
    const lost = once(held.lease.lost, 'abort');
    held.clock.jump(600_000);
    held.clock.advance(1_000);
    await lost;
    expect(held.service.count('heartbeat')).toBe(1);
  });

  test('when it ends by the time that was waited, although the clock was set back', async () => {
    const held = await claimed();
    await held.lease.start();
    await held.clock.untilWaiting();
    held.clock.jump(-3_600_000);
    held.service.misbehave('heartbeat', ...Array.from({ length: 60 }, () => misbehaviors.reset()));
    for (let second = 0; second < 300 && !held.lease.lost.aborted; second += 1) {
      await held.clock.untilWaiting();
      held.clock.advance(1_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(held.lease.lost.aborted).toBe(true);
  });

  test('when a fault of this program ends the heartbeats', async () => {
    const held = await claimed();
    await held.lease.start();
    await held.clock.untilWaiting();
    held.client.heartbeat = () => Promise.reject(new TypeError('a fault'));
    const lost = once(held.lease.lost, 'abort');
    held.clock.advance(60_000);
    await lost;
    expect(held.lines.join('')).toContain('unexpected error in the heartbeats');
  });

  test('when the machine sleeps past the end of the lease', async () => {
    const held = await claimed();
    await held.lease.start();
    await held.clock.untilWaiting();
    const lost = once(held.lease.lost, 'abort');
    held.clock.advance(8 * 3_600_000);
    await lost;
    expect(held.service.count('heartbeat')).toBe(1);
  });
});

describe('work starts only after a heartbeat', () => {
  test('and waits for one that fails first', async () => {
    const held = await claimed();
    held.service.misbehave('heartbeat', misbehaviors.htmlPage(502), misbehaviors.reset());
    let isStarted = false;
    const started = held.lease.start().then(() => (isStarted = true));
    for (let failed = 1; failed <= 2; failed += 1) {
      await held.clock.untilWaiting();
      expect(isStarted).toBe(false);
      held.clock.advance(10_000);
    }
    await started;
    expect(held.service.count('heartbeat')).toBe(3);
    expect(held.lease.lost.aborted).toBe(false);
  });

  test('or not at all if the agent is to release the request', async () => {
    const held = await claimed();
    held.service.misbehave('heartbeat', misbehaviors.htmlPage(502));
    const release = new AbortController();
    const started = held.lease.start(release.signal);
    await held.clock.untilWaiting();
    release.abort();
    await started;
    expect(held.service.count('heartbeat')).toBe(1);
  });

  test('a claim whose response was slow is extended first', async () => {
    const held = await claimed({ leaseMs: 15_000 });
    await held.lease.start();
    expect(held.service.count('heartbeat')).toBe(1);
    expect(held.lease.lost.aborted).toBe(false);
  });

  test('and is given up when the extension fails', async () => {
    const held = await claimed({ leaseMs: 15_000 });
    held.service.misbehave('heartbeat', misbehaviors.htmlPage(504));
    await held.lease.start();
    expect(held.lease.lost.reason).toBeInstanceOf(ClaimLost);
  });
});

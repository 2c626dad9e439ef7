import { afterEach, beforeEach, expect, test } from 'vitest';
import { releaseRequest } from '../../agent/claim-end.ts';
import type { Claim } from '../../agent/service-client.ts';
import { startService } from '../support/agent-service.ts';
import { misbehaviors } from '../support/fake-folder-service.ts';
import { logLines } from '../support/log-lines.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

let clock: VirtualClock;
let parts: Awaited<ReturnType<typeof startService>>;
let lines: string[];
let release: (isEnding: boolean) => Promise<void>;

beforeEach(async () => {
  clock = new VirtualClock({ rushing: true });
  parts = await startService({ clock });
  parts.service.add('a');
  const claim = (await parts.client.claim()) as Claim;
  const logged = logLines();
  lines = logged.lines;
  release = (isEnding) =>
    releaseRequest(
      claim,
      'why',
      { service: parts.client, clock, random: () => 0.5, maxBackoffMs: 30_000, log: logged.log },
      isEnding,
    );
});
afterEach(() => parts.stop());

test('a release is repeated with back-off until the service accepts it', async () => {
  parts.service.misbehave('release', misbehaviors.htmlPage(502), misbehaviors.reset());
  await release(false);
  expect(parts.service.count('release')).toBe(3);
  expect(parts.service.releases).toHaveLength(1);
  expect(clock.waits).toEqual([500, 1000]);
});

test('after half a minute, the request is left to its lease, and the log has the reason', async () => {
  parts.service.misbehave('release', ...Array.from({ length: 9 }, () => misbehaviors.htmlPage(502)));
  await release(false);
  expect(parts.service.releases).toEqual([]);
  expect(clock.waits).toEqual([500, 1000, 2000, 4000, 8000]);
  expect(lines.at(-1)).toContain('claimable again when its lease expires');
  expect(lines.at(-1)).toContain('502');
});

test('a release for a claim that has ended is not repeated', async () => {
  parts.service.misbehave('release', misbehaviors.json(409, { code: 'claim_lost', detail: 'it is over' }));
  await release(false);
  expect(parts.service.count('release')).toBe(1);
  expect(lines.at(-1)).toContain('the claim had ended before the release');
});

test('an agent that ends immediately tries once', async () => {
  parts.service.misbehave('release', misbehaviors.htmlPage(502));
  await release(true);
  expect(parts.service.count('release')).toBe(1);
  expect(clock.waits).toEqual([]);
});

test('an agent that ends immediately does not wait out the usual timeout of 15 s', async () => {
  parts.service.misbehave('release', misbehaviors.silence());
  await release(true);
  expect(lines.at(-1)).toContain('no response within 5000 ms');
});

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deliverReport, releaseRequest, reportLimitMs } from '../../agent/claims/claim-end.ts';
import type { Claim } from '../../agent/claims/service-client.ts';
import { startService } from '../support/agent-service.ts';
import { misbehaviors } from '../support/fake-folder-service.ts';
import { logLines } from '../support/log-lines.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

let clock: VirtualClock;
let service: Awaited<ReturnType<typeof startService>>['service'];
let stop: () => Promise<void>;
let id: string;
let lines: string[];
let deliver: () => Promise<boolean>;
let release: (isEnding: boolean) => Promise<void>;

beforeEach(async () => {
  clock = new VirtualClock({ rushing: true });
  const started = await startService({ clock });
  ({ service, stop } = started);
  id = service.add('a');
  const claim = (await started.client.claim()) as Claim;
  const logged = logLines();
  ({ lines } = logged);
  const parts = { service: started.client, clock, random: () => 0.5, maxBackoffMs: 30_000, log: logged.log };
  deliver = () => deliverReport(claim, { status: 'FULFILLED' }, parts, new AbortController().signal);
  release = (isEnding) => releaseRequest(claim, 'why', parts, isEnding);
});
afterEach(() => stop());

describe('a report', () => {
  test('is repeated with back-off until the service accepts it', async () => {
    service.misbehave(
      'report',
      misbehaviors.htmlPage(502),
      misbehaviors.reset(),
      misbehaviors.retryAfter(429, 60),
      misbehaviors.json(401, {}),
    );
    expect(await deliver()).toBe(true);
    expect(service.get(id).status).toBe('FULFILLED');
    expect(clock.waits).toEqual([500, 1000, 62_000, 4000]);
  });

  test('is given up after ten minutes with an error in the log', async () => {
    service.goDown();
    const startedMs = clock.now();
    expect(await deliver()).toBe(false);
    expect(clock.now() - startedMs).toBeGreaterThan(reportLimitMs - 30_000);
    expect(clock.now() - startedMs).toBeLessThanOrEqual(reportLimitMs);
    expect(lines.at(-1)).toContain('"level":"error"');
  });

  test.each([
    ['the claim is lost', misbehaviors.json(409, { code: 'claim_lost' })],
    ['the request is done', misbehaviors.json(409, { code: 'not_processing' })],
    ['the request no longer exists', misbehaviors.json(404, { code: 'folder_request_not_found' })],
    ['the service rejects it as invalid', misbehaviors.json(400, { code: 'invalid_request' })],
  ])('is not repeated when %s', async (_, misbehavior) => {
    service.misbehave('report', misbehavior);
    expect(await deliver()).toBe(false);
    expect(clock.waits).toEqual([]);
  });

  test('for a request that another agent has claimed is rejected and changes nothing', async () => {
    service.giveToOther(id);
    expect(await deliver()).toBe(false);
    expect(service.get(id)).toMatchObject({ status: 'PROCESSING', agentId: 'other' });
  });
});

describe('a release', () => {
  test('is repeated with back-off until the service accepts it', async () => {
    service.misbehave('release', misbehaviors.htmlPage(502), misbehaviors.reset());
    await release(false);
    expect(service.count('release')).toBe(3);
    expect(service.releases).toHaveLength(1);
    expect(clock.waits).toEqual([500, 1000]);
  });

  test('after half a minute leaves the request to its lease, and the log has the reason', async () => {
    service.misbehave('release', ...Array.from({ length: 9 }, () => misbehaviors.htmlPage(502)));
    await release(false);
    expect(service.releases).toEqual([]);
    expect(clock.waits).toEqual([500, 1000, 2000, 4000, 8000]);
    expect(lines.at(-1)).toContain('claimable again when its lease expires');
    expect(lines.at(-1)).toContain('502');
  });

  test('for a claim that has ended is not repeated', async () => {
    service.misbehave('release', misbehaviors.json(409, { code: 'claim_lost', detail: 'it is over' }));
    await release(false);
    expect(service.count('release')).toBe(1);
    expect(lines.at(-1)).toContain('the claim had ended before the release');
  });

  test('of an agent that ends immediately is tried once', async () => {
    service.misbehave('release', misbehaviors.htmlPage(502));
    await release(true);
    expect(service.count('release')).toBe(1);
    expect(clock.waits).toEqual([]);
  });

  test('of an agent that ends immediately does not wait out the usual timeout of 15 s', async () => {
    service.misbehave('release', misbehaviors.silence());
    await release(true);
    expect(lines.at(-1)).toContain('no response within 5000 ms');
  });
});

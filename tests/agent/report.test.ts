import { afterEach, describe, expect, test } from 'vitest';
import { deliverReport, reportLimitMs } from '../../agent/claim-end.ts';
import type { Claim } from '../../agent/service-client.ts';
import { startService } from '../support/agent-service.ts';
import { misbehaviors } from '../support/fake-folder-service.ts';
import { logLines } from '../support/log-lines.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function claimed() {
  const clock = new VirtualClock({ rushing: true });
  const { service, client, stop } = await startService({ clock });
  cleanups.push(stop);
  const id = service.add('a');
  const claim = (await client.claim()) as Claim;
  const { log, lines } = logLines();
  const parts = { service: client, clock, random: () => 0.5, maxBackoffMs: 30_000, log };
  const deliver = () => deliverReport(claim, { status: 'FULFILLED' }, parts, new AbortController().signal);
  return { clock, service, id, deliver, lines };
}

describe('a report', () => {
  test('is repeated with back-off until the service accepts it', async () => {
    const { service, id, deliver, clock } = await claimed();
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
    const { service, deliver, clock, lines } = await claimed();
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
    const { service, deliver, clock } = await claimed();
    service.misbehave('report', misbehavior);
    expect(await deliver()).toBe(false);
    expect(clock.waits).toEqual([]);
  });

  test('for a request that another agent has claimed is rejected and changes nothing', async () => {
    const { service, id, deliver } = await claimed();
    service.giveToOther(id);
    expect(await deliver()).toBe(false);
    expect(service.get(id)).toMatchObject({ status: 'PROCESSING', agentId: 'other' });
  });
});

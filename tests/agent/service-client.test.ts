import dns from 'node:dns';
import { mkdtemp, writeFile } from 'node:fs/promises';
import type { LookupFunction } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../lib/contract/clock.ts';
import { serviceVerdict } from '../../agent/base/failure.ts';
import { type Claim, ServiceClient } from '../../agent/claims/service-client.ts';
import { ServiceFailure } from '../../agent/base/service-failure.ts';
import { readAgentSettings } from '../../agent/settings/settings.ts';
import type { Environment } from '../../lib/contract/settings-table.ts';
import { DelayProxy } from '../../agent/smb/tests/support/delay-proxy.ts';
import {
  FakeFolderService,
  type FakeFolderServiceOptions,
  type Misbehavior,
  misbehaviors,
} from '../support/fake-folder-service.ts';
import { closedPort } from '../../agent/smb/tests/support/closed-port.ts';
import { requires } from '../../agent/smb/tests/support/requires.ts';
import { startSlowListener } from '../../agent/smb/tests/support/slow-listener.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(options: FakeFolderServiceOptions = {}, env: Environment = {}) {
  const service = await FakeFolderService.start(options);
  const settings = readAgentSettings(
    {
      FOLDER_AGENT_API_BASE_URL: `${service.url}/`,
      FOLDER_AGENT_API_KEY: service.key,
      FOLDER_AGENT_SMB_SERVER: 'fs',
      FOLDER_AGENT_SMB_USERNAME: 'u',
      FOLDER_AGENT_SMB_PASSWORD: 'p',
      FOLDER_AGENT_TEMPLATE_PATH: '\\\\fs\\t',
      ...env,
    },
    'host',
  );
  const client = new ServiceClient(settings.service, '1.2.3', systemClock);
  cleanups.push(
    () => service.stop(),
    async () => client.close(),
  );
  return { service, client };
}

async function failureOf(call: Promise<unknown>): Promise<ServiceFailure> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ServiceFailure)) throw new Error(`no ServiceFailure but ${String(error)}`);
  return error;
}

const newerClaim = {
  id: '019b0000-0000-7000-8000-000000000001',
  targetPath: 'a',
  attempts: 1,
  requestedByUserId: null,
  claimToken: 'x'.repeat(32),
  leaseExpiresAt: new Date(Date.now() + 3_600_000).toISOString().replace('Z', '+00:00'),
  anythingNew: true,
};

describe('a claim', () => {
  test('is null when nothing is claimable; otherwise it has the request and the end of its lease', async () => {
    const { service, client } = await start();
    expect(await client.claim()).toBeNull();
    const id = service.add('a\\b');
    const before = Date.now();
    const claim = await client.claim();
    expect(claim?.request).toMatchObject({ id, targetPath: 'a\\b', attempts: 1 });
    expect(claim?.target).toEqual({ path: { kind: 'relative', segments: ['a', 'b'], text: 'a\\b' } });
    // Up to two seconds are lost because the Date header has whole seconds only.
    expect(claim?.leaseEndsAtMs).toBeGreaterThan(before + 297_000);
    expect(claim?.leaseEndsAtMs).toBeLessThanOrEqual(Date.now() + 300_000);
  });

  test.each([-3_600_000, 3_600_000])(
    'has the same lease when the clock of the service is off by %i ms',
    async (clockSkewMs) => {
      const { service, client } = await start({ clockSkewMs });
      service.add('a');
      const before = Date.now();
      const claim = await client.claim();
      expect(claim?.leaseEndsAtMs).toBeGreaterThan(before + 297_000);
      expect(claim?.leaseEndsAtMs).toBeLessThanOrEqual(Date.now() + 300_000);
    },
  );

  test('that its signal ends fails with the reason of the signal', async () => {
    const { service, client } = await start();
    const ending = new AbortController();
    const reason = new Error('a second signal');
    service.misbehave('claim', () => ending.abort(reason));
    await expect(client.claim({ signal: ending.signal })).rejects.toBe(reason);
  });

  test('is read with times of any offset and with fields that this agent does not know', async () => {
    const { service, client } = await start();
    service.misbehave('claim', misbehaviors.json(200, newerClaim));
    expect((await client.claim())?.request.leaseExpiresAt).toBe(newerClaim.leaseExpiresAt);
  });

  test('can be made, extended, and reported with a base URL that ends in /api/v1', async () => {
    const service = await FakeFolderService.start();
    cleanups.push(() => service.stop());
    const { client } = await start(
      {},
      {
        FOLDER_AGENT_API_BASE_URL: `${service.url}/api/v1/`,
        FOLDER_AGENT_API_KEY: service.key,
      },
    );
    const id = service.add('a');
    const claim = await client.claim();
    if (!claim) throw new Error('nothing claimed');
    await client.heartbeat(claim);
    await client.report(claim, { status: 'FAILED', errorMessage: 'no' });
    expect(service.get(id)).toMatchObject({ status: 'FAILED', errorMessage: 'no' });
  });

  test('can be reported with a name that is no well-formed text', async () => {
    const { service, client } = await start();
    const id = service.add('a');
    const claim = (await client.claim())!;
    // The stand-in accepts what the service accepts.
    const errorParams = { path: 'a\udc00' };
    await client.report(claim, { status: 'FAILED', errorMessage: 'in a\ud800', errorParams });
    expect(service.get(id)).toMatchObject({ errorMessage: 'in a\ufffd' });
  });
});

describe('a failed call', () => {
  test.each([
    ['an HTML page with 502', misbehaviors.htmlPage(502), 'undecodable', 'again'],
    ['an HTML page with 200', misbehaviors.htmlPage(200), 'undecodable', 'again'],
    [
      'a redirect',
      ((_, response) => void response.writeHead(302).end()) satisfies Misbehavior,
      'undecodable',
      'again',
    ],
    ['an HTML page with 403', misbehaviors.htmlPage(403), 'undecodable', 'again'],
    ['JSON that is not a claim', misbehaviors.json(200, { hello: 1 }), 'undecodable', 'again'],
    [
      'a response longer than any of the service',
      misbehaviors.json(200, { ...newerClaim, anythingNew: 'x'.repeat(1_000_000) }),
      'undecodable',
      'again',
    ],
    ['a reset connection', misbehaviors.reset(), 'unreachable', 'again'],
    ['a lost response', misbehaviors.lostResponse(), 'unreachable', 'again'],
    ['503', misbehaviors.retryAfter(503, 7), 'rejected', 'again'],
    ['a 404 that is not about a request', misbehaviors.json(404, {}), 'rejected', 'again'],
    ["the gateway's 401", misbehaviors.json(401, { statusCode: 401 }), 'rejected', 'again'],
    ["the gateway's 403", misbehaviors.json(403, { statusCode: 403, message: 'quota' }), 'rejected', 'again'],
    ["the gateway's 400", misbehaviors.json(400, { statusCode: 400 }), 'rejected', 'again'],
    [
      '401 invalid_agent_key',
      misbehaviors.json(401, { code: 'invalid_agent_key' }),
      'rejected',
      'key-rejected',
    ],
    ['400', misbehaviors.json(400, { code: 'invalid_request' }), 'rejected', 'dropped'],
    ['409 claim_lost', misbehaviors.json(409, { code: 'claim_lost' }), 'rejected', 'claim-lost'],
  ] as const)('by %s is classified', async (_, misbehavior, kind, verdict) => {
    const { service, client } = await start();
    service.add('a');
    service.misbehave('claim', misbehavior);
    const failure = await failureOf(client.claim());
    expect([failure.kind, serviceVerdict(failure)]).toEqual([kind, verdict]);
    expect(service.requestIds).toEqual([failure.requestId]);
  });

  test('by a refused connection is classified', async () => {
    const { port, release } = await closedPort();
    cleanups.push(release);
    const { client } = await start({}, { FOLDER_AGENT_API_BASE_URL: `http://127.0.0.1:${port}` });
    const failure = await failureOf(client.claim());
    expect([failure.kind, serviceVerdict(failure)]).toEqual(['unreachable', 'again']);
    expect(failure.message).toContain('ECONNREFUSED');
  });

  test('by a report whose response has another status is classified', async () => {
    const { service, client } = await start();
    service.add('a');
    const claim = (await client.claim()) as Claim;
    service.misbehave('report', misbehaviors.json(200, { status: 'PROCESSING' }));
    const failure = await failureOf(client.report(claim, { status: 'FULFILLED' }));
    expect([failure.kind, serviceVerdict(failure)]).toEqual(['undecodable', 'again']);
  });

  test('includes the wait of Retry-After', async () => {
    const { service, client } = await start();
    service.misbehave('claim', misbehaviors.retryAfter(429, 42));
    expect(await failureOf(client.claim())).toMatchObject({ status: 429, retryAfterMs: 42_000 });
  });

  test('without a response ends at the timeout of the call, and the next call succeeds', async () => {
    const { service, client } = await start();
    service.misbehave('claim', misbehaviors.silence());
    const failure = await failureOf(client.claim({ timeoutMs: 200 }));
    expect(failure.message).toBe('no response within 200 ms');
    expect(serviceVerdict(failure)).toBe('again');
    // On another route: on a busy machine the claim may end before it reaches the service.
    expect(await client.health()).toMatchObject({ version: 'fake' });
  });

  test('by a response that stops in the middle ends at the configured timeout', async () => {
    const { service, client } = await start({}, { FOLDER_AGENT_REQUEST_TIMEOUT_MS: '200' });
    service.misbehave('claim', (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"id":');
    });
    expect((await failureOf(client.claim())).message).toBe('no response within 200 ms');
  });

  test('by a wrong key does not show the key', async () => {
    const { client } = await start({}, { FOLDER_AGENT_API_KEY: 'wrong-key-9137' });
    const failure = await failureOf(client.claim());
    expect(serviceVerdict(failure)).toBe('key-rejected');
    expect(JSON.stringify([failure, failure.message, failure.stack, client])).not.toContain('wrong-key-9137');
    expect((await failureOf(client.checkKey())).code).toBe('invalid_agent_key');
  });

  test.each([
    [{ statusCode: 403, message: 'Access denied to agent-key' }],
    [{ error: { code: '403', message: 'Access denied to agent-key' } }],
  ])('by a gateway has its words, and not the key: %j', async (body) => {
    const { service, client } = await start({ key: 'agent-key' }, { FOLDER_AGENT_API_KEY: 'agent-key' });
    service.misbehave('claim', misbehaviors.json(403, body));
    expect((await failureOf(client.claim())).message).toBe(
      'responded 403 "Access denied to …": the response is from a proxy or gateway, not from the service',
    );
  });

  test('by an abort signal is not a failure of the service', async () => {
    const { service, client } = await start();
    service.misbehave('claim', misbehaviors.silence());
    const stopping = new AbortController();
    const call = client.claim({ signal: stopping.signal });
    stopping.abort(new Error('stopped'));
    await expect(call).rejects.toThrow('stopped');
  });
});

test('the key is checked without changing anything', async () => {
  const { service, client } = await start();
  service.add('a');
  await client.checkKey();
  expect(await client.health()).toMatchObject({ version: 'fake' });
  expect(service.count('claim')).toBe(0);
});

requires('linux').test('a call over a slow network to a name of several addresses succeeds', async () => {
  const { service } = await start();
  const slow = await startSlowListener(Number(new URL(service.url).port));
  cleanups.push(() => slow.stop());
  const { client } = await start({}, { FOLDER_AGENT_API_BASE_URL: `http://localhost:${slow.port}` });
  const lookup = vi
    .spyOn(dns, 'lookup')
    .mockImplementation((...call: unknown[]) => slow.lookup(...(call as Parameters<LookupFunction>)));
  cleanups.push(async () => lookup.mockRestore());
  await slow.slowDown();
  const startedMs = performance.now();
  expect(await client.health()).toMatchObject({ version: 'fake' });
  expect(lookup).toHaveBeenCalledTimes(1);
  // Else the listener was not slow.
  expect(performance.now() - startedMs).toBeGreaterThan(500);
});

describe('TLS', () => {
  const certificate = async () => {
    const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
    });
    const folder = await mkdtemp(join(tmpdir(), 'agent-ca-'));
    const bundle = join(folder, 'ca.pem');
    await writeFile(bundle, cert);
    return { tls: { key, cert }, bundle };
  };

  test('a private certificate authority is rejected, unless it is in the configured bundle', async () => {
    const { tls, bundle } = await certificate();
    const untrusted = await start({ tls });
    expect((await failureOf(untrusted.client.claim())).message).toMatch(
      /authority that this machine does not know \(DEPTH_ZERO_SELF_SIGNED_CERT\)/,
    );
    const trusted = await start({ tls }, { FOLDER_AGENT_CA_BUNDLE_PATH: bundle });
    expect(await trusted.client.claim()).toBeNull();
  });

  test('the insecure switch accepts any certificate', async () => {
    const { tls } = await certificate();
    const { client } = await start({ tls }, { FOLDER_AGENT_ALLOW_INSECURE_TLS: '1' });
    expect(await client.claim()).toBeNull();
  });
});

test('a half-open connection costs one timeout, and the next call succeeds', async () => {
  const { service } = await start();
  const proxy = await DelayProxy.start(service.port);
  cleanups.push(() => proxy.stop());
  const { client } = await start(
    {},
    {
      FOLDER_AGENT_API_BASE_URL: `http://127.0.0.1:${proxy.port}`,
      FOLDER_AGENT_API_KEY: service.key,
    },
  );
  expect(await client.claim()).toBeNull();
  // The kept-alive connection is not closed but loses everything that is sent from now on.
  proxy.goSilent();
  expect((await failureOf(client.claim({ timeoutMs: 300 }))).message).toBe('no response within 300 ms');
  proxy.forward();
  expect(await client.claim()).toBeNull();
});

import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import {
  exportJWK,
  exportPKCS8,
  exportSPKI,
  generateKeyPair,
  importPKCS8,
  SignJWT,
  type CryptoKey,
  type JWTPayload,
} from 'jose';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { RecordedLog } from '../support/folder-queue.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { UserTokenVerifier } from '../../lib/callers/user-token.ts';
import type { EventLog } from '../../lib/base/event-log.ts';
import type { RejectionReason } from '../../lib/callers/rejection-reasons.ts';
import type { ServiceError } from '../../lib/base/service-error.ts';

const tenantId = '11111111-1111-4111-8111-111111111111';
const clientId = '22222222-2222-4222-8222-222222222222';
const startMs = Date.parse('2026-11-20T10:00:00Z');
const nowSeconds = startMs / 1000;
let clock: VirtualClock;

// The provider's key set over TLS, with a switch for its response and a count of requests.
const provider = {
  response: 'keys' as 'keys' | 'html' | 'error' | 'silence' | 'no keys' | 'redirect',
  kid: 'k1',
  requests: 0,
};
let server: Server;
let authorityHost: string;
let signingKey: CryptoKey;
let publicPem: string;

beforeAll(async () => {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  signingKey = privateKey;
  publicPem = await exportSPKI(publicKey);
  const key = await exportJWK(publicKey);
  const keySet = (): string => JSON.stringify({ keys: [{ ...key, kid: provider.kid, use: 'sig' }] });
  const certificate = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  });
  setDefaultCACertificates([...getCACertificates(), certificate.cert]);
  server = createServer({ key: certificate.private, cert: certificate.cert }, (request, response) => {
    provider.requests += 1;
    if (request.url !== `/${tenantId}/discovery/v2.0/keys`) return response.writeHead(404).end();
    if (provider.response === 'silence') return undefined;
    // With a body that would do.
    if (provider.response === 'error') return response.writeHead(500).end(keySet());
    if (provider.response === 'redirect') return response.writeHead(302, { location: '/elsewhere' }).end();
    const html = provider.response === 'html';
    response.setHeader('content-type', html ? 'text/html' : 'application/json');
    const noKeys = provider.response === 'no keys';
    return response.end(html ? '<html>proxy</html>' : noKeys ? '{"keys":[]}' : keySet());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  authorityHost = `https://localhost:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

beforeEach(() => {
  provider.response = 'keys';
  provider.kid = 'k1';
  provider.requests = 0;
  clock = new VirtualClock({ nowMs: startMs });
});

const systemOfRecord = '33333333-3333-4333-8333-333333333333';
const verifier = (host = authorityHost, log?: EventLog): UserTokenVerifier =>
  new UserTokenVerifier(
    {
      authorityHost: host,
      tenantId,
      clientId,
      scope: 'access_as_user',
      applications: [systemOfRecord],
    },
    clock,
    log,
  );

const claims = (changes: Record<string, unknown> = {}): JWTPayload => ({
  iss: `${authorityHost}/${tenantId}/v2.0`,
  aud: clientId,
  tid: tenantId,
  oid: 'user-1',
  scp: 'access_as_user',
  roles: ['BackOffice', 'canCreateActivities', 'Emperor'],
  name: 'Erika Muster',
  given_name: 'Erika',
  preferred_username: 'erika@example.com',
  iat: nowSeconds - 60,
  nbf: nowSeconds - 60,
  exp: nowSeconds + 3600,
  ...changes,
});

/** Of an application, without a user; of version 2 unless `changes` say otherwise. */
const appClaims = (changes: Record<string, unknown> = {}): JWTPayload => ({
  iss: `${authorityHost}/${tenantId}/v2.0`,
  aud: clientId,
  tid: tenantId,
  azp: systemOfRecord,
  idtyp: 'app',
  oid: 'service-principal-1',
  sub: 'service-principal-1',
  roles: ['Records.Sync'],
  iat: nowSeconds - 60,
  nbf: nowSeconds - 60,
  exp: nowSeconds + 3600,
  ...changes,
});
const version1 = (): Record<string, unknown> => ({
  iss: `https://sts.windows.net/${tenantId}/`,
  aud: `api://${clientId}`,
  azp: undefined,
  appid: systemOfRecord,
});

const sign = (payload: JWTPayload, header: { kid?: string } = { kid: 'k1' }): Promise<string> =>
  new SignJWT(payload).setProtectedHeader({ alg: 'RS256', ...header }).sign(signingKey);

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

async function rejectionOf(authorization: string | null, checker = verifier()): Promise<ServiceError> {
  // Operations that accept applications reject whatever the others reject, except valid tokens of applications.
  const outcome = await checker.verify(authorization, 'Records.Sync').catch((error: unknown) => error);
  expect(outcome).toHaveProperty('code');
  return outcome as ServiceError;
}

describe('a token that verifies', () => {
  test('becomes a user with the permissions that the service defines', async () => {
    const user = await verifier().verify(`Bearer ${await sign(claims())}`);
    expect(user).toMatchObject({
      kind: 'user',
      oid: 'user-1',
      name: 'Erika Muster',
      email: 'erika@example.com',
    });
    expect([...user.permissions].toSorted()).toEqual(['BackOffice', 'canCreateActivities']);
    expect(JSON.stringify(user)).not.toContain('eyJ');
  });

  test.each([
    ['the issuer of version 1', () => ({ iss: `https://sts.windows.net/${tenantId}/` })],
    [
      "the issuer of version 1 in Microsoft's cloud of China",
      () => ({ iss: `https://sts.chinacloudapi.cn/${tenantId}/` }),
    ],
    ['the audience as a URI', () => ({ aud: `api://${clientId}` })],
    ['additional scopes', () => ({ scp: 'Files.Read access_as_user' })],
    ['an expiry 59 s ago', () => ({ exp: nowSeconds - 59 })],
    ['a start in 59 s', () => ({ nbf: nowSeconds + 59 })],
  ])('may have %s', async (_what, changes) => {
    await expect(verifier().verify(`Bearer ${await sign(claims(changes()))}`)).resolves.toHaveProperty(
      'oid',
      'user-1',
    );
  });

  test('requires one request for the key set, regardless of how many tokens arrive concurrently', async () => {
    const checker = verifier();
    const token = `Bearer ${await sign(claims())}`;
    await Promise.all(Array.from({ length: 50 }, () => checker.verify(token)));
    await checker.verify(token);
    expect(provider.requests).toBe(1);
  });
});

describe('with a list of clients', () => {
  const page = '44444444-4444-4444-8444-444444444444';
  const listed = (): UserTokenVerifier =>
    new UserTokenVerifier(
      {
        authorityHost,
        tenantId,
        clientId,
        scope: 'access_as_user',
        clients: [page],
        applications: [systemOfRecord],
      },
      clock,
    );

  test.each([
    ['azp in version 2', () => ({ azp: page })],
    ['azp in capitals', () => ({ azp: page.toUpperCase() })],
    ['appid in version 1', () => ({ ...version1(), appid: page })],
  ])('a token of one of them verifies by %s', async (_what, changes) => {
    await expect(listed().verify(`Bearer ${await sign(claims(changes()))}`)).resolves.toHaveProperty('oid');
  });

  test.each<[string, () => Record<string, unknown>]>([
    ['of another client', () => ({ azp: clientId })],
    ['of a system of record', () => ({ azp: systemOfRecord })],
    ['without a client', () => ({})],
  ])('a token %s is rejected', async (_what, changes) => {
    const { facts, message } = await rejectionOf(`Bearer ${await sign(claims(changes()))}`, listed());
    expect([facts.rejectedFor, message]).toEqual([
      'unlisted_client',
      expect.stringContaining('IDP_TOKEN_CLIENT_IDS'),
    ]);
  });

  test('a system of record needs no entry in it', async () => {
    const token = `Bearer ${await sign(appClaims())}`;
    expect(await listed().verify(token, 'Records.Sync')).toHaveProperty('clientId', systemOfRecord);
  });
});

describe('a token of an application', () => {
  test.each([
    ['version 2', () => ({})],
    ['version 2 without idtyp', () => ({ idtyp: undefined })],
    ['version 2 with further roles', () => ({ roles: ['Other', 'Records.Sync'] })],
    ['version 2 with its client in capitals', () => ({ azp: systemOfRecord.toUpperCase() })],
    ['version 1', version1],
  ])('of %s verifies only where the operation accepts applications', async (_what, changes) => {
    const token = `Bearer ${await sign(appClaims(changes()))}`;
    expect(await verifier().verify(token, 'Records.Sync')).toEqual({
      kind: 'application',
      clientId: systemOfRecord,
    });
    await expect(verifier().verify(token)).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  test.each<[string, () => Record<string, unknown>]>([
    ['of another client', () => ({ azp: clientId })],
    ['without a client', () => ({ azp: undefined })],
    ['with its client in the claim of the other version', () => ({ azp: undefined, appid: systemOfRecord })],
    [
      'of version 1 with the client of version 2',
      () => ({ ...version1(), appid: undefined, azp: systemOfRecord }),
    ],
    ['whose client is a list', () => ({ azp: [systemOfRecord] })],
    ['without a permission', () => ({ roles: undefined })],
    ['with other permissions', () => ({ roles: ['Administrator', 'records.sync'] })],
    ['whose permission is a text', () => ({ roles: 'Records.Sync' })],
    ['that declares itself a user token', () => ({ idtyp: 'user' })],
    ['with the scope of a user', () => ({ scp: 'access_as_user' })],
    ['with an empty scope', () => ({ scp: '' })],
    ['without an object id', () => ({ oid: undefined })],
  ])('%s is rejected', async (_what, changes) => {
    expect((await rejectionOf(`Bearer ${await sign(appClaims(changes()))}`)).code).toBe('unauthenticated');
  });

  test('is rejected if the service knows no applications', async () => {
    const checker = new UserTokenVerifier(
      { authorityHost, tenantId, clientId, scope: 'access_as_user' },
      clock,
    );
    expect((await rejectionOf(`Bearer ${await sign(appClaims())}`, checker)).code).toBe('unauthenticated');
  });
});

// Those of its claims are below.
test.each<[reason: RejectionReason, authorization: () => Promise<string | null>]>([
  ['no_token', async () => null],
  ['no_token', async () => ' '],
  ['no_bearer_token', async () => `Basic ${await sign(claims())}`],
  ['malformed_token', async () => 'Bearer a.b.c'],
  [
    'malformed_token',
    async () =>
      `Bearer ${encoded({ alg: 'RS256', kid: 'k1', crit: ['x'], x: 1 })}.${encoded(claims())}.${'a'.repeat(342)}`,
  ],
  ['malformed_token', async () => `Bearer ${'a'.repeat(16_385)}`],
  ['wrong_algorithm', async () => `Bearer ${encoded({ alg: 'none', kid: 'k1' })}.${encoded(claims())}.`],
  ['unknown_signing_key', async () => `Bearer ${await sign(claims(), { kid: 'another' })}`],
  [
    'wrong_signature',
    async () => {
      const [header, payload, signature] = (await sign(claims())).split('.');
      return `Bearer ${header}.${payload}.${signature!.startsWith('A') ? 'B' : 'A'}${signature!.slice(1)}`;
    },
  ],
  ['wrong_kind', async () => `Bearer ${await sign(claims({ idtyp: 'app' }))}`],
  ['wrong_kind', async () => `Bearer ${await sign(appClaims({ idtyp: 'user' }))}`],
  ['wrong_scope', async () => `Bearer ${await sign(claims({ scp: 'Files.Read' }))}`],
  ['missing_claim', async () => `Bearer ${await sign(claims({ oid: '' }))}`],
  ['unlisted_client', async () => `Bearer ${await sign(appClaims({ azp: clientId }))}`],
  ['missing_permission', async () => `Bearer ${await sign(appClaims({ roles: ['Emperor'] }))}`],
])('operators learn that a call is rejected for %s', async (reason, authorization) => {
  const { code, facts } = await rejectionOf(await authorization());
  expect([code, facts.rejectedFor]).toEqual(['unauthenticated', reason]);
});

describe.each([
  ['user', claims],
  ['application', appClaims],
])('a token of one %s is rejected', (_kind, claims) => {
  test.each<[string, RejectionReason, () => Record<string, unknown>]>([
    ['of another tenant', 'wrong_tenant', () => ({ tid: clientId })],
    ['of an issuer of another tenant', 'wrong_tenant', () => ({ iss: `${authorityHost}/${clientId}/v2.0` })],
    [
      'of an issuer that only has the right prefix',
      'wrong_tenant',
      () => ({ iss: `${authorityHost}/${tenantId}/v2.0/evil` }),
    ],
    ['for another audience', 'wrong_audience', () => ({ aud: 'https://graph.microsoft.com' })],
    ['that expired 61 s ago', 'expired', () => ({ exp: nowSeconds - 61 })],
    ['that starts in 61 s', 'not_yet_valid', () => ({ nbf: nowSeconds + 61 })],
    ['that never expires', 'missing_claim', () => ({ exp: undefined })],
  ])('%s', async (_what, rejectedFor, changes) => {
    const { code, facts } = await rejectionOf(`Bearer ${await sign(claims(changes()))}`);
    expect([code, facts.rejectedFor]).toEqual(['unauthenticated', rejectedFor]);
    expect(facts.headers?.['www-authenticate']).toMatch(/^Bearer error="invalid_token"/);
  });

  test('without a signature (alg none)', async () => {
    const token = `${encoded({ alg: 'none', kid: 'k1' })}.${encoded(claims())}.`;
    expect((await rejectionOf(`Bearer ${token}`)).code).toBe('unauthenticated');
  });

  test('signed as HS256 with the public key as the secret', async () => {
    const token = await new SignJWT(claims())
      .setProtectedHeader({ alg: 'HS256', kid: 'k1' })
      .sign(new TextEncoder().encode(publicPem));
    expect((await rejectionOf(`Bearer ${token}`)).code).toBe('unauthenticated');
  });

  test('signed as RS512 with the key of the provider', async () => {
    const key = await importPKCS8(await exportPKCS8(signingKey), 'RS512');
    const token = await new SignJWT(claims()).setProtectedHeader({ alg: 'RS512', kid: 'k1' }).sign(key);
    expect((await rejectionOf(`Bearer ${token}`)).code).toBe('unauthenticated');
  });

  test('signed with a key that the provider never had, under its kid', async () => {
    const { privateKey } = await generateKeyPair('RS256');
    const token = await new SignJWT(claims())
      .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
      .sign(privateKey);
    expect((await rejectionOf(`Bearer ${token}`)).code).toBe('unauthenticated');
  });

  test('with its own key in the header', async () => {
    const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
    const token = await new SignJWT(claims())
      .setProtectedHeader({ alg: 'RS256', kid: 'k1', jwk: await exportJWK(publicKey) })
      .sign(privateKey);
    expect((await rejectionOf(`Bearer ${token}`)).code).toBe('unauthenticated');
  });

  test('with a payload changed after signing', async () => {
    const [header, , signature] = (await sign(claims())).split('.');
    const token = [header, encoded(claims({ iat: nowSeconds - 61 })), signature].join('.');
    expect((await rejectionOf(`Bearer ${token}`)).code).toBe('unauthenticated');
  });
});

describe('a token is rejected', () => {
  test.each<[string, () => Record<string, unknown>]>([
    ['that is app-only', () => ({ scp: undefined, roles: ['Administrator'] })],
    ['with an empty scope', () => ({ scp: ' ' })],
    ['with other scopes only', () => ({ scp: 'Files.Read access_as_user.read xaccess_as_user' })],
    ['with the scope in a different case', () => ({ scp: 'Access_As_User' })],
    ['that declares itself an app token', () => ({ idtyp: 'app' })],
    ['without a user id', () => ({ oid: undefined })],
    ['with a user id that is not a string', () => ({ oid: 7 })],
    ['that is valid, but longer than any of Entra ID', () => ({ groups: 'g'.repeat(20_000) })],
  ])('%s', async (_what, changes) => {
    const { code, facts } = await rejectionOf(`Bearer ${await sign(claims(changes()))}`);
    expect(code).toBe('unauthenticated');
    expect(facts.headers?.['www-authenticate']).toMatch(/^Bearer error="invalid_token"/);
  });

  test.each([
    ['no header', null, /^Bearer$/],
    ['an empty header', ' ', /^Bearer$/],
    ['another scheme', 'Basic dXNlcjpwdw==', /invalid_token/],
    ['no token', 'Bearer ', /invalid_token/],
    ['two tokens', 'Bearer a.b.c d.e.f', /invalid_token/],
    ['something that is not a token', 'Bearer abc', /invalid_token/],
    ['a very long header', `Bearer ${'a'.repeat(20_000)}`, /invalid_token/],
  ])('%s', async (_what, authorization, challenge) => {
    const { code, facts } = await rejectionOf(authorization);
    expect(code).toBe('unauthenticated');
    expect(facts.headers?.['www-authenticate']).toMatch(challenge);
  });

  test('and is not quoted in the error', async () => {
    const token = await sign(claims({ exp: nowSeconds - 3600 }));
    const { message, facts } = await rejectionOf(`Bearer ${token}`);
    expect(`${message}${JSON.stringify(facts.headers)}`).not.toContain(token.slice(0, 20));
  });
});

describe('the key set of the provider', () => {
  test("an unusable response is the provider's fault, and is tried again after five seconds", async () => {
    const checker = verifier();
    const token = `Bearer ${await sign(claims())}`;
    for (const response of ['html', 'error', 'no keys'] as const) {
      provider.response = response;
      provider.requests = 0;
      for (let at = 0; at < 3; at += 1) {
        expect((await rejectionOf(token, checker)).code).toBe('identity_provider_error');
      }
      expect(provider.requests).toBe(1);
      clock.advance(5 * 1000);
    }
    provider.response = 'keys';
    await expect(checker.verify(token)).resolves.toHaveProperty('oid', 'user-1');
  });

  // A redirect is not followed, so it costs one request.
  test.each(['html', 'error', 'no keys', 'redirect'] as const)(
    'a good set stays in use for days when the provider returns: %s',
    async (response) => {
      const log = new RecordedLog();
      const checker = verifier(authorityHost, log);
      const token = `Bearer ${await sign(claims({ exp: nowSeconds + 5 * 86_400 }))}`;
      await checker.verify(token);
      provider.response = response;
      clock.advance(3 * 86_400 * 1000);
      await expect(checker.verify(token)).resolves.toHaveProperty('oid', 'user-1');
      await expect
        .poll(() => log.named('key_set_not_refreshed'))
        .toMatchObject([{ fields: { ageHours: 72 } }]);
      expect(provider.requests).toBe(2);
      await expect(checker.verify(token)).resolves.toHaveProperty('oid', 'user-1');
      // The provider fails, but only callers could say with which token.
      const unknown = `Bearer ${await sign(claims({ exp: nowSeconds + 5 * 86_400 }), { kid: 'invented' })}`;
      clock.advance(30 * 1000);
      expect((await rejectionOf(unknown, checker)).code).toBe('unauthenticated');
      expect(provider.requests).toBe(3);
    },
  );

  test('300 unknown kids cause one request, also while the provider fails', async () => {
    const checker = verifier();
    await checker.verify(`Bearer ${await sign(claims())}`);
    clock.advance(30 * 1000);
    provider.response = 'error';
    for (let at = 0; at < 300; at += 1) {
      const token = await sign(claims(), { kid: `x${at}` });
      expect((await rejectionOf(`Bearer ${token}`, checker)).code).toBe('unauthenticated');
    }
    expect(provider.requests).toBe(2);
  });

  test('a new key is used as soon as a token names it', async () => {
    const checker = verifier();
    await checker.verify(`Bearer ${await sign(claims())}`);
    provider.kid = 'k2';
    clock.advance(30 * 1000);
    const token = `Bearer ${await sign(claims(), { kid: 'k2' })}`;
    await expect(checker.verify(token)).resolves.toHaveProperty('oid', 'user-1');
  });

  test('a clock that was set back does not postpone the next fetch', async () => {
    const checker = verifier();
    const early = { iat: nowSeconds - 86_400, nbf: nowSeconds - 86_400 };
    await checker.verify(`Bearer ${await sign(claims(early))}`);
    provider.kid = 'k2';
    clock.advance(-3600 * 1000);
    const token = `Bearer ${await sign(claims(early), { kid: 'k2' })}`;
    await expect(checker.verify(token)).resolves.toHaveProperty('oid', 'user-1');
  });

  test('is not fetched again within 30 s, or 5 s if there is none', async () => {
    const [checker, withoutSet] = [verifier(), verifier()];
    const token = `Bearer ${await sign(claims())}`;
    const unknown = `Bearer ${await sign(claims(), { kid: 'invented' })}`;
    await checker.verify(token);
    clock.advance(29_999);
    await rejectionOf(unknown, checker);
    expect(provider.requests).toBe(1);
    provider.response = 'error';
    await rejectionOf(token, withoutSet);
    clock.advance(4_999);
    await rejectionOf(token, withoutSet);
    expect(provider.requests).toBe(2);
  });

  test('is fetched again in the background after a day', async () => {
    const checker = verifier();
    const token = `Bearer ${await sign(claims({ exp: nowSeconds + 5 * 86_400 }))}`;
    await checker.verify(token);
    clock.advance(86_400 * 1000);
    await checker.verify(token);
    expect(provider.requests).toBe(1);
    clock.advance(1 * 1000);
    provider.response = 'silence';
    await expect(checker.verify(token)).resolves.toHaveProperty('oid', 'user-1');
    await expect.poll(() => provider.requests).toBe(2);
  });

  test('a provider that cannot be reached is unavailable', async () => {
    const checker = verifier('https://localhost:1');
    expect((await rejectionOf(`Bearer ${await sign(claims())}`, checker)).code).toBe(
      'identity_provider_unavailable',
    );
  });

  test('a provider that does not respond is unavailable after the timeout', async () => {
    provider.response = 'silence';
    const timeout = new AbortController();
    const requested = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(timeout.signal);
    onTestFinished(() => requested.mockRestore());
    const rejection = rejectionOf(`Bearer ${await sign(claims())}`);
    await expect.poll(() => provider.requests).toBe(1);
    expect(requested.mock.calls).toEqual([[5000]]);
    timeout.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
    const { code, cause } = await rejection;
    expect([code, (cause as Error).name]).toEqual(['identity_provider_unavailable', 'TimeoutError']);
  });
});

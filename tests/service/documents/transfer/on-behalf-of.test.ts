import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { tokenFaults } from '../../../../local/stand-ins/identity-provider/identity-provider.ts';
import { people } from '../../../support/document-service.ts';
import { startRecorder } from '../../../support/identity.ts';
import { useDocuments } from '../support/documents.ts';

const { service, warmProject, upload, filesOf } = useDocuments();

beforeEach(() => {
  service.idp.recover();
  service.idp.exchanges.length = 0;
});

/** Each token of the identity provider is a new assertion, for which nothing is cached yet. */
const provision = async (projectId: string, token: string) => {
  const response = await fetch(`${service.origin}/api/v1/documents/projects/${projectId}/provision`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as any };
};
let serial = 0;
const freshToken = (person = people.projectManager) =>
  service.idp.accessToken(person, { claims: { jti: `fresh-${(serial += 1)}` } });

test('one exchange for concurrent and later requests of one sign-in, and another for the next sign-in', async () => {
  const project = await service.newProject();
  const token = await freshToken();
  const responses = await Promise.all(Array.from({ length: 8 }, () => provision(project.id, token)));
  expect(responses.every(({ status }) => status === 200)).toBe(true);
  await provision(project.id, token);
  expect(service.idp.exchanges).toHaveLength(1);
  await provision(project.id, await freshToken());
  expect(service.idp.exchanges).toHaveLength(2);
});

test('concurrent requests of two users are never mixed', async () => {
  const project = await warmProject();
  const users = [people.projectManager, people.backOffice];
  const uploads = Array.from({ length: 16 }, async (_, index) => {
    const as = users[index % 2]!;
    return { as, response: await upload(project.id, randomBytes(2000), { name: `${index}.txt`, as }) };
  });
  for (const { as, response } of await Promise.all(uploads)) {
    expect(response.status).toBe(201);
    expect(response.body.uploadedByUserId).toBe(as.oid);
  }
  const files = await filesOf(project);
  expect(files).toHaveLength(16);
  for (const { path, modifiedBy } of files) {
    const index = Number.parseInt(path.split('/').at(-1)!, 10);
    expect(modifiedBy).toBe(users[index % 2]!.oid);
  }
});

describe('rejections of the identity provider', () => {
  test.each([
    ['consentMissing', 403, 'consent_missing'],
    ['consentMissingPlain', 403, 'consent_missing'],
    ['blockedByPolicy', 403, 'forbidden'],
    ['sessionRevoked', 401, 'sign_in_again'],
    ['signatureRejected', 502, 'identity_provider_error'],
    ['tenantRestricted', 403, 'forbidden'],
    ['userNotAssigned', 403, 'forbidden'],
    ['secretExpired', 503, 'identity_provider_unavailable'],
    ['throttled', 503, 'identity_provider_unavailable'],
  ] as const)('%s: %i %s', async (fault, status, code) => {
    const project = await service.newProject();
    service.idp.fail(tokenFaults[fault], { times: 10 });
    const response = await provision(project.id, await freshToken());
    expect([response.status, response.body.code]).toEqual([status, code]);
    expect(JSON.stringify(response.body)).not.toMatch(/AADSTS|Trace/);
  });

  test.each(['interactionRequired', 'deviceRequired'] as const)(
    'a claims challenge reaches the caller: %s',
    async (fault) => {
      const project = await service.newProject();
      service.idp.fail(tokenFaults[fault]);
      const { status, headers, body } = await provision(project.id, await freshToken());
      expect([status, body.code]).toEqual([401, 'interaction_required']);
      const challenge = /^Bearer error="insufficient_claims", claims="([^"]+)"$/.exec(
        headers.get('www-authenticate') ?? '',
      );
      expect(Buffer.from(challenge?.[1] ?? '', 'base64').toString()).toBe(tokenFaults[fault].claims);
    },
  );

  test('a claims challenge of the library also reaches the caller', async () => {
    const project = await service.newProject();
    const claims = '{"access_token":{"nbf":{"essential":true,"value":"1"}}}';
    await service.fault({ kind: 'insufficient-claims', claims });
    const { status, headers, body } = await provision(project.id, await freshToken());
    expect([status, body.code]).toEqual([401, 'interaction_required']);
    const challenge = /claims="([^"]+)"/.exec(headers.get('www-authenticate') ?? '');
    expect(Buffer.from(challenge?.[1] ?? '', 'base64').toString()).toBe(claims);
  });

  test.each([
    ['unreachable', 503, 'identity_provider_unavailable'],
    ['page', 503, 'identity_provider_unavailable'],
  ] as const)('%s: %i %s', async (outage, status, code) => {
    const project = await service.newProject();
    service.idp.fail(outage, { times: 10 });
    const response = await provision(project.id, await freshToken());
    expect([response.status, response.body.code]).toEqual([status, code]);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('a redirect: 503, and no other address receives the secret or the token of the user', async () => {
    const project = await service.newProject();
    const elsewhere = await startRecorder();
    service.idp.redirectTokens(elsewhere.url);
    const { status, body } = await provision(project.id, await freshToken());
    expect([status, body.code]).toEqual([503, 'identity_provider_unavailable']);
    expect(elsewhere.bodies).toEqual([]);
  });

  test("the provider's Retry-After is passed on to the caller", async () => {
    const project = await service.newProject();
    service.idp.fail(tokenFaults.throttled, { times: 10 });
    const { headers } = await provision(project.id, await freshToken());
    expect(headers.get('retry-after')).toBe('7');
  });

  test('a provider that never responds: 503, because the service gives up', { timeout: 60_000 }, async () => {
    const project = await service.newProject();
    service.idp.fail('silent', { times: 10 });
    const { status, body } = await provision(project.id, await freshToken());
    expect([status, body.code]).toEqual([503, 'identity_provider_unavailable']);
  });

  test("one user's failure blocks no other user, and that user only while it lasts", async () => {
    const project = await service.newProject();
    const failing = await freshToken(people.backOffice);
    service.idp.fail(tokenFaults.throttled, { oid: people.backOffice.oid, times: 3 });
    const [bad, good] = await Promise.all([
      provision(project.id, failing),
      provision(project.id, await freshToken(people.management)),
    ]);
    expect([bad.status, good.status]).toEqual([503, 200]);
    service.idp.recover();
    expect((await provision(project.id, failing)).status).toBe(200);
  });

  test('a library that no longer accepts a cached token gets a new one, once', async () => {
    const project = await service.newProject();
    const token = await freshToken();
    await provision(project.id, token);
    service.idp.exchanges.length = 0;
    await service.fault(
      { kind: 'error', status: 401, code: 'InvalidAuthenticationToken' },
      { host: 'graph' },
    );
    expect((await provision(project.id, token)).status).toBe(200);
    expect(service.idp.exchanges).toHaveLength(1);
    await service.fault(
      { kind: 'error', status: 401, code: 'InvalidAuthenticationToken' },
      { host: 'graph', times: null },
    );
    const { status, body } = await provision(project.id, token);
    expect([status, body.code]).toEqual([401, 'sign_in_again']);
  });
});

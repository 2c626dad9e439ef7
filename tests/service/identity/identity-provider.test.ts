import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { OnBehalfOf } from '../../../lib/callers/on-behalf-of.ts';
import { UserTokenVerifier } from '../../../lib/callers/user-token.ts';
import { Secret } from '../../../lib/contract/secret.ts';
import { connect } from '../../../lib/services.ts';
import { readSettings } from '../../../lib/settings/settings.ts';
import {
  applications,
  people,
  tokenFaults,
  type IdentityProvider,
} from '../../../local/stand-ins/identity-provider/identity-provider.ts';
import { startTestIdentityProvider } from '../../support/identity.ts';

let provider: IdentityProvider;
beforeAll(async () => {
  provider = await startTestIdentityProvider();
});
afterAll(() => provider.stop());
beforeEach(() => provider.recover());

const verifier = () =>
  new UserTokenVerifier({
    authorityHost: provider.url,
    tenantId: provider.registration.tenantId,
    clientId: provider.registration.clientId,
    scope: 'access_as_user',
    applications: [applications.recordsSync.clientId],
  });

const onBehalfOf = (scopes = ['Files.ReadWrite.All', 'Sites.Read.All']) =>
  new OnBehalfOf({
    authorityHost: provider.url,
    tenantId: provider.registration.tenantId,
    clientId: provider.registration.clientId,
    clientSecret: new Secret(provider.registration.clientSecret),
    scopes,
  });

const signedIn = async (person = people.backOffice) =>
  verifier().verify(`Bearer ${await provider.accessToken(person)}`);

/** The exchange as Entra ID documents it, with `changes`; undefined omits a parameter. */
async function exchange(changes: Record<string, string | undefined> = {}) {
  const { tenantId, clientId, clientSecret } = provider.registration;
  const form = {
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    client_id: clientId,
    client_secret: clientSecret,
    assertion: await provider.accessToken(people.backOffice),
    scope: 'https://graph.microsoft.com/Files.ReadWrite.All',
    requested_token_use: 'on_behalf_of',
    ...changes,
  };
  const response = await fetch(`${provider.url}/${tenantId}/oauth2/v2.0/token`, {
    method: 'POST',
    body: new URLSearchParams(
      Object.entries(form).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

test.each(Object.entries(people))(
  'the token of %s passes the verifier with exactly its roles',
  async (_, person) => {
    const user = await signedIn(person);
    expect(user).toMatchObject({ oid: person.oid, name: person.name, email: person.email });
    expect([...user.permissions]).toEqual(person.roles);
  },
);

test('a token of version 1.0 is also valid', async () => {
  const token = await provider.accessToken(people.management, { version: '1.0' });
  expect((await verifier().verify(`Bearer ${token}`)).oid).toBe(people.management.oid);
});

describe('an application (B6)', () => {
  const { clientId, clientSecret } = applications.recordsSync;
  const right = () => ({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
    scope: `api://${provider.registration.clientId}/.default`,
    assertion: undefined,
    requested_token_use: undefined,
  });

  test('gets a token of its own, which verifies in either version and cannot be exchanged', async () => {
    const { status, body } = await exchange(right());
    expect([status, body['token_type']]).toEqual([200, 'Bearer']);
    const token = String(body['access_token']);
    expect(decodeJwt(token)).toMatchObject({ azp: clientId, roles: ['Records.Sync'] });
    expect(decodeJwt(token)).not.toHaveProperty('scp');
    const older = await provider.appToken(applications.recordsSync, { version: '1.0' });
    for (const each of [token, older]) {
      const caller = await verifier().verify(`Bearer ${each}`, 'Records.Sync');
      expect(caller).toEqual({ kind: 'application', clientId });
      expect((await exchange({ assertion: each })).body['error_codes']).toEqual([50013]);
    }
  });

  test.each([
    [700016, () => ({ client_id: provider.registration.clientId })],
    [7000215, () => ({ client_secret: applications.noRole.clientSecret })],
    [7000218, () => ({ client_secret: undefined })],
    [1002012, () => ({ scope: `api://${provider.registration.clientId}/access_as_user` })],
    [500011, () => ({ scope: 'https://graph.microsoft.com/.default' })],
    [
      501051,
      () => ({ client_id: applications.noRole.clientId, client_secret: applications.noRole.clientSecret }),
    ],
  ])('is rejected with AADSTS%d', async (number, changes) => {
    const { body } = await exchange({ ...right(), ...changes() });
    expect(body['error_codes']).toEqual([number]);
  });
});

test('a token must have the scope of IDP_API_SCOPE', async () => {
  const { callers } = connect(
    readSettings({
      STORAGE_CONNECTION_STRING: 'UseDevelopmentStorage=true',
      IDP_AUTHORITY_HOST: provider.url,
      IDP_TENANT_ID: provider.registration.tenantId,
      IDP_API_CLIENT_ID: provider.registration.clientId,
      IDP_API_SCOPE: 'Projects.Use',
    }),
  );
  const verify = async (scp: string) =>
    callers
      .userTokens()
      .verify(`Bearer ${await provider.accessToken(people.backOffice, { claims: { scp } })}`);
  await expect(verify('Projects.Use profile')).resolves.toMatchObject({ oid: people.backOffice.oid });
  await expect(verify('access_as_user')).rejects.toMatchObject({
    code: 'unauthenticated',
    message: 'The access token was rejected: the token does not carry the scope Projects.Use (scp).',
  });
});

test('the exchange by MSAL returns a Graph token of the same user with the requested scopes', async () => {
  const token = await onBehalfOf().tokenFor(await signedIn(people.projectManager));
  expect(await provider.verifyGraphToken(token)).toMatchObject({
    aud: 'https://graph.microsoft.com',
    oid: people.projectManager.oid,
    scp: 'Files.ReadWrite.All Sites.Read.All',
  });
  // Not a token of this API, which must reject it.
  await expect(verifier().verify(`Bearer ${token}`)).rejects.toMatchObject({ code: 'unauthenticated' });
});

test('.default means all consented scopes', async () => {
  const { body } = await exchange({ scope: 'https://graph.microsoft.com/.default' });
  expect(body['scope']).toBe(provider.registration.consentedScopes.join(' '));
});

const another = { ...people.noRole, oid: '0d000000-0000-4000-8000-00000000000d' };
test.each<[string, () => Promise<Record<string, string | undefined>>, number, string, number]>([
  ['no assertion', async () => ({ assertion: undefined }), 400, 'invalid_request', 900144],
  ['no scope', async () => ({ scope: undefined }), 400, 'invalid_request', 900144],
  ['another grant', async () => ({ grant_type: 'password' }), 400, 'unsupported_grant_type', 70003],
  ['another use', async () => ({ requested_token_use: 'other' }), 400, 'invalid_request', 900441],
  ['an unknown client', async () => ({ client_id: 'x' }), 400, 'unauthorized_client', 700016],
  ['a wrong secret', async () => ({ client_secret: 'wrong' }), 401, 'invalid_client', 7000215],
  ['no secret', async () => ({ client_secret: undefined }), 401, 'invalid_client', 7000218],
  ['a scope without consent', async () => ({ scope: 'Mail.Read' }), 400, 'invalid_grant', 65001],
  ['another resource', async () => ({ scope: 'https://other.test/x' }), 400, 'invalid_resource', 500011],
  ['.default with others', async () => ({ scope: '.default User.Read' }), 400, 'invalid_scope', 70011],
  [
    'an expired assertion',
    async () => ({ assertion: await provider.accessToken(another, { lifetimeSeconds: -1 }) }),
    400,
    'invalid_grant',
    500133,
  ],
  [
    'an assertion for another audience',
    async () => ({ assertion: await provider.accessToken(another, { claims: { aud: 'other' } }) }),
    400,
    'invalid_grant',
    500131,
  ],
  [
    'an app-only assertion',
    async () => ({ assertion: await provider.accessToken(another, { claims: { scp: undefined } }) }),
    400,
    'invalid_grant',
    50013,
  ],
])('%s is rejected as by Entra ID', async (_, changes, status, error, number) => {
  const response = await exchange(await changes());
  expect(response).toMatchObject({ status, body: { error, error_codes: [number] } });
  expect(response.body['error_description']).toMatch(new RegExp(`^AADSTS${number}: `));
});

test.each([
  ['consentMissing', 'consent_missing'],
  ['consentMissingPlain', 'consent_missing'],
  ['interactionRequired', 'interaction_required'],
  ['sessionRevoked', 'sign_in_again'],
  ['userNotAssigned', 'forbidden'],
  ['secretExpired', 'identity_provider_unavailable'],
  ['throttled', 'identity_provider_unavailable'],
] as const)('the switch %s reaches the caller as %s, once', async (name, code) => {
  const user = await signedIn();
  const exchanges = onBehalfOf();
  provider.fail(tokenFaults[name]);
  await expect(exchanges.tokenFor(user)).rejects.toMatchObject({ code });
  await expect(exchanges.tokenFor(user)).resolves.toBeTypeOf('string');
});

test('a switch for one user does not affect the others', async () => {
  const [first, second] = [await signedIn(people.backOffice), await signedIn(people.management)];
  provider.fail(tokenFaults.sessionRevoked, { oid: people.backOffice.oid });
  const exchanges = onBehalfOf();
  await expect(exchanges.tokenFor(second)).resolves.toBeTypeOf('string');
  await expect(exchanges.tokenFor(first)).rejects.toMatchObject({ code: 'sign_in_again' });
});

test.each([
  ['unreachable', 'identity_provider_unavailable'],
  ['page', 'identity_provider_unavailable'],
] as const)('an outage (%s) is %s', async (outage, code) => {
  provider.fail(outage);
  await expect(onBehalfOf().tokenFor(await signedIn())).rejects.toMatchObject({ code });
});

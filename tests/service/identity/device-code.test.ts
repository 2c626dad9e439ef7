import { decodeJwt } from 'jose';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { UserTokenVerifier } from '../../../lib/callers/user-token.ts';
import {
  type IdentityProvider,
  people,
  verificationClientId,
} from '../../../local/stand-ins/identity-provider/identity-provider.ts';
import { People, SignIn } from '../../../tools/verify/sign-in.ts';
import { startRecorder, startTestIdentityProvider } from '../../support/identity.ts';

let provider: IdentityProvider;
let now: number;
beforeAll(async () => {
  provider = await startTestIdentityProvider({ now: () => new Date(now) });
});
afterAll(() => provider.stop());
beforeEach(() => {
  now = Date.now();
  provider.deviceFlow.intervalSeconds = 5;
});
afterEach(() => {
  vi.restoreAllMocks();
  provider.recover();
});

const apiScopes = () => [`${provider.registration.clientId}/access_as_user`];

/** What a person does on the page of the provider, with the code that the command shows. */
async function enter(message: string, choice: string): Promise<number> {
  const [, page, code] = /open the page (\S+) and enter the code (\S+)/.exec(message) ?? [];
  const query = new URLSearchParams({ code: code ?? '', login_hint: choice });
  return (await fetch(`${page}?${query.toString()}`)).status;
}

function signIn(choice: string, clientId = verificationClientId, { registration, url } = provider) {
  const shown: string[] = [];
  const person = new SignIn({
    tenantId: registration.tenantId,
    authorityHost: url,
    clientId,
    show(message) {
      shown.push(message);
      void enter(message, choice);
    },
  });
  return { person, shown };
}

describe('the endpoints of the device code, as RFC 8628 and Entra ID describe them (B7)', () => {
  const post = async (path: string, form: Record<string, string>) => {
    const { tenantId } = provider.registration;
    const response = await fetch(`${provider.url}/${tenantId}/oauth2/v2.0/${path}`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: verificationClientId, ...form }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, any> };
  };
  const begin = async () => (await post('devicecode', { scope: apiScopes().join(' ') })).body;
  const poll = async (deviceCode: string) => {
    const grantType = 'urn:ietf:params:oauth:grant-type:device_code';
    const { status, body } = await post('token', { grant_type: grantType, device_code: deviceCode });
    return status === 200 ? 'token' : `${status} ${body['error']}`;
  };

  test('pending, too early and then slower, approved, and redeemed', async () => {
    const { device_code: code, interval, expires_in: expiresIn, message } = await begin();
    expect([interval, expiresIn]).toEqual([5, 900]);
    expect(await poll(code)).toBe('400 authorization_pending');
    now += 4000;
    expect(await poll(code)).toBe('400 slow_down');
    // 5 seconds more than the interval.
    now += 9999;
    expect(await poll(code)).toBe('400 slow_down');
    now += 15_000;
    expect(await poll(code)).toBe('400 authorization_pending');
    expect(await enter(message, people.management.email)).toBe(200);
    now += 15_000;
    expect(await poll(code)).toBe('token');
    now += 15_000;
    expect(await poll(code)).toBe('400 bad_verification_code');
  });

  test('declined; expired; a code that nobody has; a code that was decided', async () => {
    const declined = await begin();
    expect(await enter(declined['message'], 'cancel')).toBe(200);
    expect(await enter(declined['message'], people.management.email)).toBe(400);
    expect(await poll(declined['device_code'])).toBe('400 authorization_declined');
    const late = await begin();
    now += 900_000;
    expect(await enter(late['message'], people.management.email)).toBe(400);
    expect(await poll(late['device_code'])).toBe('400 expired_token');
    expect(await poll('none')).toBe('400 bad_verification_code');
  });

  test.each([
    [
      'a registration that is no public client',
      { client_id: 'c0ffee00-0000-4000-8000-0000000000aa' },
      'invalid_client',
    ],
    [
      'a permission without consent',
      { scope: 'https://graph.microsoft.com/Mail.ReadWrite' },
      'invalid_grant',
    ],
    ['no scope', { scope: '' }, 'invalid_request'],
  ])('%s is rejected', async (_what, form, error) => {
    const { status, body } = await post('devicecode', { scope: apiScopes().join(' '), ...form });
    expect([status >= 400, body['error']]).toEqual([true, error]);
  });
});

describe('a command', () => {
  beforeEach(() => (provider.deviceFlow.intervalSeconds = 0));

  test('signs in once, for the API and for Graph, and the tokens are good there', async () => {
    const { person, shown } = signIn(people.administrator.email);
    const token = await person.token(apiScopes());
    const { tenantId, clientId } = provider.registration;
    const caller = await new UserTokenVerifier({
      authorityHost: provider.url,
      tenantId,
      clientId,
      scope: 'access_as_user',
      applications: [],
    }).verify(`Bearer ${token}`);
    expect(caller.oid).toBe(people.administrator.oid);
    expect(decodeJwt(token)).toMatchObject({ azp: verificationClientId, roles: ['Administrator'] });
    const graph = await provider.verifyGraphToken(await person.token(['Files.ReadWrite.All', 'User.Read']));
    expect(graph).toMatchObject({
      oid: people.administrator.oid,
      aud: 'https://graph.microsoft.com',
      scp: expect.stringContaining('Files.ReadWrite.All'),
    });
    expect(await person.token(apiScopes())).toBe(token);
    expect(shown).toHaveLength(1);
  });

  test('waits while the person has not decided', async () => {
    let answers = 0;
    let message = '';
    const person = new SignIn({
      tenantId: provider.registration.tenantId,
      authorityHost: provider.url,
      clientId: verificationClientId,
      show: (text) => (message = text),
    });
    const redeem = provider.deviceFlow.redeem.bind(provider.deviceFlow);
    vi.spyOn(provider.deviceFlow, 'redeem').mockImplementation((form) => {
      try {
        return redeem(form);
      } catch (error) {
        answers += 1;
        if (answers === 3) void enter(message, people.management.email);
        throw error;
      }
    });
    expect(decodeJwt(await person.token(apiScopes()))['oid']).toBe(people.management.oid);
    expect(answers).toBeGreaterThanOrEqual(3);
  });

  test.each([
    ['declines', 'cancel', verificationClientId, /^The sign-in was declined\.$/],
    [
      'uses a client that is not public',
      people.management.email,
      'c0ffee00-0000-4000-8000-0000000000aa',
      /public client flows/,
    ],
  ])('whose person %s says so', async (_what, choice, clientId, reason) => {
    await expect(signIn(choice, clientId).person.token(apiScopes())).rejects.toThrow(reason);
  });

  test('whose code expires says so', async () => {
    const person = new SignIn({
      tenantId: provider.registration.tenantId,
      authorityHost: provider.url,
      clientId: verificationClientId,
      show: () => (now += 900_000),
    });
    await expect(person.token(apiScopes())).rejects.toThrow(/The code has expired: run the command again/);
  });

  test('whose registration has no consent says so', async () => {
    await expect(signIn('x').person.token(['Mail.ReadWrite'])).rejects.toThrow(/consent to the permissions/);
  });

  test('whose identity provider does not respond says so', async () => {
    const provider = await startTestIdentityProvider();
    const { person } = signIn(people.management.email, verificationClientId, provider);
    await provider.stop();
    await expect(person.token(apiScopes())).rejects.toThrow('The identity provider cannot be reached.');
  });

  test('whose identity provider redirects says so, and no other address receives the code', async () => {
    const elsewhere = await startRecorder();
    const { person } = signIn(people.management.email);
    provider.redirectTokens(elsewhere.url);
    await expect(person.token(apiScopes())).rejects.toThrow('The identity provider cannot be reached.');
    expect(elsewhere.bodies).toEqual([]);
  });

  test('takes the token of a variable where there is one, and else names what is missing', async () => {
    const withToken = new People({}, { ACCEPT_TOKEN: 'given' });
    expect(await withToken.apiToken('ACCEPT_TOKEN')()).toBe('given');
    const without = new People({ tenant: provider.registration.tenantId, api: 'x' }, {});
    expect(() => without.apiToken('ACCEPT_TOKEN')()).toThrow(
      '--client or VERIFICATION_CLIENT_ID is missing, or ACCEPT_TOKEN with a token.',
    );
  });
});

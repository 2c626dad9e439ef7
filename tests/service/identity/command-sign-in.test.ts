import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { UserTokenVerifier } from '../../../lib/callers/user-token.ts';
import {
  type IdentityProvider,
  people,
  tokenFaults,
  verificationClientId,
} from '../../../local/stand-ins/identity-provider/identity-provider.ts';
import { browserHere } from '../../../tools/verify/browser.ts';
import { People } from '../../../tools/verify/people.ts';
import { SignIn, type SignInOptions } from '../../../tools/verify/sign-in.ts';
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

describe('a command that shows a code', () => {
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

  test('shows the code on the screen, and afterwards Ctrl-C is the command’s again', async () => {
    const { tenantId, clientId } = provider.registration;
    const flags = { tenant: tenantId, client: verificationClientId, api: clientId, 'device-code': true };
    vi.spyOn(console, 'error').mockImplementation((message: string) => {
      void enter(message, people.administrator.email);
    });
    const before = process.listenerCount('SIGINT');
    const token = await new People(flags, { IDP_AUTHORITY_HOST: provider.url }).apiToken('ACCEPT_TOKEN')();
    expect(decodeJwt(token)['oid']).toBe(people.administrator.oid);
    expect(process.listenerCount('SIGINT')).toBe(before);
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

/** What a browser does with the address, where the person chooses somebody, or "cancel". @returns the last page */
async function browse(url: string, choice: string): Promise<string> {
  const page = await (await fetch(`${url}&login_hint=${encodeURIComponent(choice)}`)).text();
  const [, action] = /<form method="post" action="([^"]+)">/.exec(page) ?? [];
  if (action === undefined) return page;
  const body = new URLSearchParams();
  for (const [, name = '', value = ''] of page.matchAll(/name="([^"]+)" value="([^"]*)"/g))
    body.set(name, value);
  return (await fetch(action, { method: 'POST', body })).text();
}

describe('a command in a browser', () => {
  const started = (openBrowser: (url: string) => Promise<unknown>, more: Partial<SignInOptions> = {}) => {
    const shown: string[] = [];
    const opened: string[] = [];
    const person = new SignIn({
      tenantId: provider.registration.tenantId,
      authorityHost: provider.url,
      clientId: verificationClientId,
      show(message) {
        shown.push(message);
        if (message.includes('enter the code')) void enter(message, people.management.email);
      },
      async openBrowser(url) {
        opened.push(url);
        await openBrowser(url);
      },
      ...more,
    });
    return { person, shown, opened };
  };
  const choosing = (choice: string) => async (url: string) => void browse(url, choice);

  test('signs in once, with PKCE and an answer to loopback, and without a code', async () => {
    const { person, shown, opened } = started(choosing(people.administrator.email));
    const token = await person.token(apiScopes());
    const graph = await provider.verifyGraphToken(await person.token(['Files.ReadWrite.All']));
    expect([decodeJwt(token)['oid'], graph['oid']]).toEqual([
      people.administrator.oid,
      people.administrator.oid,
    ]);
    expect(opened).toHaveLength(1);
    expect(shown).toEqual([expect.stringContaining(opened[0]!)]);
    const query = Object.fromEntries(new URL(opened[0]!).searchParams);
    expect(query).toMatchObject({
      code_challenge_method: 'S256',
      prompt: 'select_account',
      response_mode: 'form_post',
    });
    expect(query['redirect_uri']).toMatch(/^http:\/\/localhost:\d+$/);
    expect(query['scope']).toContain('offline_access');
  });

  test('shows a code where no browser opens', async () => {
    provider.deviceFlow.intervalSeconds = 0;
    const { person, shown } = started(() => Promise.reject(new Error('no xdg-open')));
    expect(decodeJwt(await person.token(apiScopes()))['oid']).toBe(people.management.oid);
    expect(shown).toEqual([expect.stringMatching(/enter the code [A-Z]{9}/)]);
  });

  test('does not ask for a code when the person declines', async () => {
    const { person, shown } = started(choosing('cancel'));
    await expect(person.token(apiScopes())).rejects.toThrow(/^The sign-in was declined\.$/);
    expect(shown).toHaveLength(1);
  });

  test.each([
    ['time is up', { browserTimeoutMs: 50 }, undefined, /^The browser has not signed in within 1 minutes\./],
    ['Ctrl-C is pressed', {}, AbortSignal.timeout(50), /^The sign-in was ended\./],
  ])('whose page shows an error names what it means when %s', async (_when, more, signal, first) => {
    const { person, opened } = started(async () => undefined, more);
    const text = await person.token(apiScopes(), signal).catch((error: Error) => error.message);
    expect(text).toMatch(first);
    const numbers = [50011, 50105, 53003, 530034, 65001, 700016];
    expect(numbers.filter((number) => !text.includes(`AADSTS${number}`))).toEqual([]);
    const address = new URL(opened[0]!).searchParams.get('redirect_uri')!;
    await expect(fetch(address)).rejects.toThrow('fetch failed');
  });

  test.each([
    ['blockedByPolicy', /AADSTS53003.*where a browser opens/],
    ['userNotAssigned', /AADSTS50105.*assign-role\.sh/],
    ['delegatedAdminBlocked', /AADSTS530034.*account of the tenant itself/],
    ['authenticationFlowBlocked', /AADSTS530036.*where a browser opens.*without --device-code/],
    ['page', /a web page responds: that of a proxy.*HTTPS_PROXY/],
    ['portal', /a web page responds: that of a proxy.*sign in to the network/],
  ] as const)('says what to do about %s, in a browser and by a code', async (name, reason) => {
    provider.deviceFlow.intervalSeconds = 0;
    const fault = name === 'page' || name === 'portal' ? name : tokenFaults[name];
    const { oid } = people.management;
    provider.fail(fault, { oid, times: 2 });
    const inBrowser = started(choosing(people.management.email)).person;
    await expect(inBrowser.token(apiScopes())).rejects.toThrow(reason);
    await expect(signIn(people.management.email).person.token(apiScopes())).rejects.toThrow(reason);
  });

  test('whose first request gets the page of a proxy says so, and opens nothing', async () => {
    const elsewhere = await startRecorder();
    const { person, opened } = started(async () => undefined, { authorityHost: elsewhere.url.slice(0, -1) });
    await expect(person.token(apiScopes())).rejects.toThrow(/sign-in failed|web page responds/);
    expect(opened).toEqual([]);
  });

  test.each([
    ['another verifier', { code_verifier: 'x'.repeat(43) }, {}, 501481],
    ['another redirect URI', { redirect_uri: 'http://localhost:2' }, {}, 50011],
    ['a page', {}, { origin: 'https://evil.example' }, 9002326],
    ['the second redemption', {}, {}, 54005],
  ])('gets no token for %s', async (what, changes, headers, number) => {
    const { tenantId } = provider.registration;
    const verifier = 'v'.repeat(43);
    const query = new URLSearchParams({
      client_id: verificationClientId,
      response_type: 'code',
      response_mode: 'query',
      redirect_uri: 'http://localhost:1',
      scope: apiScopes().join(' '),
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      login_hint: people.management.email,
    });
    const base = `${provider.url}/${tenantId}/oauth2/v2.0`;
    const { headers: answer } = await fetch(`${base}/authorize?${query.toString()}`, { redirect: 'manual' });
    const form = {
      grant_type: 'authorization_code',
      client_id: verificationClientId,
      code: new URL(answer.get('location')!).searchParams.get('code')!,
      redirect_uri: 'http://localhost:1',
      code_verifier: verifier,
      ...changes,
    };
    const redeem = async () => {
      const response = await fetch(`${base}/token`, {
        method: 'POST',
        headers,
        body: new URLSearchParams(form),
      });
      return ((await response.json()) as { error_codes?: number[] }).error_codes;
    };
    if (what === 'the second redemption') await redeem();
    expect(await redeem()).toEqual([number]);
  });

  test.each(['https://localhost:1', 'http://localhost:1/other', 'http://127.0.0.1:1'])(
    'is not answered at %s',
    async (redirectUri) => {
      let page = '';
      const { person } = started(async (url) => {
        const other = new URL(url);
        other.searchParams.set('redirect_uri', redirectUri);
        page = await browse(other.href, people.management.email);
        await browse(url, people.management.email);
      });
      await person.token(apiScopes());
      expect(page).toContain('AADSTS50011');
    },
  );
});

describe('the browser of this machine', () => {
  test.each([
    ['a Linux desktop', { DISPLAY: ':0' }, 'linux', true],
    ['Wayland', { WAYLAND_DISPLAY: 'wayland-0' }, 'linux', true],
    ['no screen, such as Azure Cloud Shell', {}, 'linux', false],
    ['SSH to a Mac', { SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' }, 'darwin', false],
    ['SSH with forwarded windows', { SSH_TTY: '/dev/pts/0', DISPLAY: 'localhost:10.0' }, 'linux', false],
    ['a Mac', {}, 'darwin', true],
    ['Windows', {}, 'win32', true],
  ] as const)('%s', (_what, env, platform, isHere) => {
    expect(browserHere(env, platform) !== undefined).toBe(isHere);
  });

  test('opens an address as one argument, and a command that fails or is missing has opened nothing', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'browser-'));
    const env = { PATH: `${folder}:/usr/bin:/bin`, DISPLAY: ':0', FOLDER: folder };
    const address = 'https://localhost/authorize?a=1&b=$(x) c';
    const command = (text: string) =>
      writeFile(join(folder, 'xdg-open'), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    await command('printf %s "$1" >"$FOLDER/opened"');
    await browserHere(env, 'linux')!(address);
    expect(await readFile(join(folder, 'opened'), 'utf8')).toBe(address);
    await command('exit 3');
    await expect(browserHere(env, 'linux')!(address)).rejects.toThrow('xdg-open ends with 3');
    await expect(browserHere({ ...env, PATH: folder + '/none' }, 'linux')!(address)).rejects.toThrow(
      'ENOENT',
    );
    await rm(folder, { recursive: true });
  });
});

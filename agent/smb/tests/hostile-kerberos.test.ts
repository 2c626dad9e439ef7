import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SmbAccount, SmbClient, type SmbErrorCode } from '../index.ts';
import { apReply, krbError } from './support/scripted-realm/messages.ts';
import { gssToken, type ScriptedAcceptor } from './support/scripted-realm/acceptor.ts';
import { ScriptedKdc, scriptedUser } from './support/scripted-realm/kdc.ts';
import type { KerberosScript, LegResponse } from './support/scripted-server/kerberos-logon.ts';
import { scriptedAccount } from './support/scripted-server/security.ts';
import { ScriptedServer } from './support/scripted-server/server.ts';
import { status } from './support/scripted-server/responses.ts';
import { rejection } from './contract/index.ts';

const host = 'files.firma.test';
const ntlmMechanism = Buffer.from('060a2b06010401823702020a', 'hex');
const microsoftMechanism = Buffer.from('06092a864882f712010202', 'hex');

let kdc: ScriptedKdc;
const ends: (() => Promise<void>)[] = [];
beforeEach(async () => {
  kdc = await ScriptedKdc.start();
  ends.push(() => kdc.stop());
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function against(script: Partial<KerberosScript> = {}) {
  const server = await ScriptedServer.start({ kerberos: { serviceKey: kdc.serviceKey, ...script } });
  ends.push(() => server.stop());
  const { name: username, password } = scriptedUser;
  const kerberos = { realm: kdc.realm, username, secret: { password }, kdcs: kdc.kdcs };
  const account = new SmbAccount({ mechanism: 'kerberos', kerberos });
  const client = new SmbClient({
    host,
    address: '127.0.0.1',
    port: server.port,
    account,
    timeouts: { closeMs: 100 },
  });
  ends.push(() => client.close());
  return { server, client, account, share: client.share('projects') };
}

const whenProving =
  (change: (response: LegResponse, acceptor: ScriptedAcceptor, leg: number) => Partial<LegResponse>) =>
  (response: LegResponse, leg: number, acceptor: ScriptedAcceptor): LegResponse => ({
    ...response,
    ...change(response, acceptor, leg),
  });

describe('an honest server', () => {
  const scripts: Record<string, [Partial<KerberosScript>, legs: number]> = {
    'accepts immediately': [{}, 1],
    'adds no key': [{ acceptor: { sendsSubkey: false } }, 1],
    'names the mechanism as Windows 2000 did': [
      { respond: whenProving(() => ({ mechanism: microsoftMechanism })) },
      1,
    ],
    'omits state and mechanism': [
      { respond: whenProving(() => ({ mechanism: undefined, state: undefined })) },
      1,
    ],
    'requests the checksums of the mechanism list': [{ requestsMic: true }, 2],
    'requests more without a reason': [
      {
        requestsMic: true,
        respond: whenProving(({ state }) => ({ state: state === 3 ? 1 : state })),
      },
      2,
    ],
    'sends its checksum unsolicited': [
      {
        respond: whenProving((_response, acceptor) => ({
          mic: acceptor.sign(Buffer.from('301606092a864886f71201020206092a864882f712010202', 'hex')),
        })),
      },
      1,
    ],
    'has a different clock': [{ acceptor: { now: () => Date.now() + 7_200_000 } }, 3],
  };
  test.each(Object.entries(scripts))('%s', async (_, [script, legs]) => {
    const { server, client, share } = await against(script);
    expect((await share.stat('file.txt')).size).toBe(100_000);
    expect(await client.connect()).toMatchObject({ mechanism: 'Kerberos', cipher: 'AES-128-GCM' });
    expect(server.faults).toEqual([]);
    expect(server.commands.filter((command) => command === 1)).toHaveLength(legs);
    expect(server.connections).toBe(1);
  });
});

test('a connection and one call take four round trips: negotiate, the logon, the share, the call', async () => {
  const { server, share } = await against();
  await share.stat('file.txt');
  // The call is a compound of two: CREATE and CLOSE.
  expect(server.commands).toEqual([0, 1, 3, 5, 6]);
});

describe('a dishonest server', () => {
  let earlier: Buffer;
  const cases: Record<string, [Partial<KerberosScript>, SmbErrorCode]> = {
    'omits its proof': [{ respond: whenProving(() => ({ token: undefined })) }, 'PROTOCOL'],
    'omits its proof and requests more': [
      { respond: whenProving(() => ({ token: undefined, status: status.moreProcessing, state: 1 })) },
      'PROTOCOL',
    ],
    'changes its proof': [
      {
        respond: whenProving(({ token }) => {
          const changed = Buffer.from(token!);
          changed[changed.length - 20]! ^= 1;
          return { token: changed };
        }),
      },
      'INTEGRITY',
    ],
    'lacks the session key': [
      {
        respond: whenProving((_response, { authenticator: { time, microseconds } }) => ({
          token: gssToken(
            0x0200,
            apReply(
              { encryptionType: 18, value: Buffer.alloc(32) },
              { time, microseconds, subkey: undefined },
            ),
          ),
        })),
      },
      'INTEGRITY',
    ],
    'replays an earlier proof': [{ respond: whenProving(() => ({ token: earlier })) }, 'INTEGRITY'],
    'sends a wrong checksum of the mechanism list': [
      {
        requestsMic: true,
        respond: whenProving(({ mic }) => ({ mic: mic && Buffer.from(mic).fill(0, 16, 17) })),
      },
      'DOWNGRADE',
    ],
    "returns the client's own checksum": [
      {
        requestsMic: true,
        respond: whenProving(({ mic }, acceptor) => ({
          mic:
            mic &&
            acceptor.sign(Buffer.from('301606092a864886f71201020206092a864882f712010202', 'hex'), {
              fromAcceptor: false,
            }),
        })),
      },
      'DOWNGRADE',
    ],
    'requests checksums and sends none': [
      { requestsMic: true, respond: whenProving(() => ({ mic: undefined })) },
      'DOWNGRADE',
    ],
    'sends a checksum over another list': [
      { respond: whenProving((_response, acceptor) => ({ mic: acceptor.sign(Buffer.from('3000', 'hex')) })) },
      'DOWNGRADE',
    ],
    'picks NTLM, which was not offered': [
      {
        respond: whenProving(() => ({ mechanism: ntlmMechanism, status: status.moreProcessing, state: 1 })),
      },
      'LOGON_REJECTED',
    ],
    'succeeds with an incomplete state': [{ respond: whenProving(() => ({ state: 1 })) }, 'PROTOCOL'],
    'never completes the logon': [
      {
        requestsMic: true,
        respond: whenProving(() => ({ status: status.moreProcessing, state: 1, token: undefined })),
      },
      'PROTOCOL',
    ],
    'rejects without a reason': [
      { respond: whenProving(() => ({ status: status.moreProcessing, state: 2, token: undefined })) },
      'LOGON_REJECTED',
    ],
    'always rejects the clock': [
      {
        acceptor: {
          now: (
            (hours) => () =>
              Date.now() + (hours += 3) * 3_600_000
          )(0),
        },
      },
      'KERBEROS_UNAVAILABLE',
    ],
  };
  test.each(Object.entries(cases))('%s', async (_, [script, code]) => {
    const good = await against({ respond: (response) => ((earlier = response.token!), response) });
    await good.client.connect();
    const { server, share } = await against(script);
    await rejection(share.stat('file.txt'), code);
    // No other request was sent on a connection whose server is not authenticated.
    expect(new Set(server.commands)).toEqual(new Set([0, 1]));
  });

  test('requests more without its proof: no second token is sent', async () => {
    const respond = whenProving(() => ({ token: undefined, status: status.moreProcessing, state: 1 }));
    const { server, share } = await against({ respond });
    const error = await rejection(share.stat('file.txt'), 'PROTOCOL');
    expect(error.message).toContain('without a challenge');
    expect(server.commands).toEqual([0, 1]);
  });

  test.each([
    ['the year 1970', 0],
    ['the year 9999', Date.UTC(9999, 11, 31)],
  ])('claims that it is %s', async (_, serverTime) => {
    const error = krbError({ code: 37, serverTime, realm: kdc.realm, service: { type: 2, parts: ['x'] } });
    const { server, share } = await against({
      respond: whenProving(() => ({
        status: status.moreProcessing,
        state: 1,
        token: gssToken(0x0300, error),
      })),
    });
    await rejection(share.stat('file.txt'), 'KERBEROS_UNAVAILABLE');
    expect(server.commands.filter((command) => command === 1)).toHaveLength(1);
  });

  test('relays the request to the genuine server but lacks the session key', async () => {
    // A relay receives a valid proof but lacks the key that signs the response.
    const { share } = await against({
      respond: (response, _leg, acceptor) => {
        Object.defineProperty(acceptor, 'sessionKey', { value: () => Buffer.alloc(32) });
        return response;
      },
    });
    await rejection(share.stat('file.txt'), 'INTEGRITY');
  });
});

describe('a ticket that the server cannot read', () => {
  test.each([
    [
      'reports it as a Kerberos error',
      (): Partial<LegResponse> => {
        const error = krbError({
          code: 41,
          serverTime: Date.now(),
          realm: kdc.realm,
          service: { type: 2, parts: ['x'] },
        });
        return { status: 0xc000_006d, state: 2, token: gssToken(0x0300, error) };
      },
    ],
    [
      'reports a failed logon',
      (): Partial<LegResponse> => ({ status: 0xc000_006d, state: undefined, token: undefined }),
    ],
  ])('a server that %s gets one retry with a new ticket, then the error is reported', async (_, reject) => {
    const { server, client, account } = await against({ respond: whenProving(() => reject()) });
    const error = await rejection(client.connect(), 'KERBEROS_UNAVAILABLE');
    expect(error.retryable).toBe(true);
    expect(error.message).toContain(`cifs/${host}`);
    expect(error.message).not.toContain('password');
    expect(server.connections).toBe(2);
    // One ticket for the realm, two for the service; the password was used once.
    expect(account.kerberos!.exchanges).toBe(4);
    expect(kdc.requests.filter(({ preauth }) => preauth.has(2))).toHaveLength(1);
  });

  test('a server that rejects the logon for another reason gets no other ticket', async () => {
    const reject = { status: 0xc000_0192, state: undefined, token: undefined };
    const { server, client } = await against({ respond: whenProving(() => reject) });
    const error = await rejection(client.connect(), 'SERVER_BUSY');
    expect(error).toMatchObject({ retryable: true, statusName: 'NETLOGON_NOT_STARTED' });
    expect(server.connections).toBe(1);
  });

  test('the call succeeds when the server accepts the new ticket', async () => {
    let rejections = 0;
    const { server, share } = await against({
      respond: (response) => {
        if ((rejections += 1) > 1) return response;
        return {
          status: 0xc000_006d,
          state: undefined,
          mechanism: undefined,
          token: undefined,
          mic: undefined,
        };
      },
    });
    await share.stat('file.txt');
    expect(server.connections).toBe(2);
  });
});

test('a server named by its address is logged on to by NTLM, and no KDC is asked for it', async () => {
  const server = await ScriptedServer.start();
  ends.push(() => server.stop());
  const { name, password } = scriptedUser;
  const reasons: string[] = [];
  const { user: username, domain } = scriptedAccount;
  const account = new SmbAccount({
    mechanism: 'negotiate',
    kerberos: { realm: kdc.realm, username: name, secret: { password }, kdcs: kdc.kdcs },
    ntlm: { username, password: scriptedAccount.password, domain },
    onFallback: (_host, { message }) => reasons.push(message),
  });
  const client = new SmbClient({ host: '127.0.0.1', port: server.port, account });
  ends.push(() => client.close());
  expect(await client.connect()).toMatchObject({ mechanism: 'NTLM' });
  expect(reasons).toEqual(['127.0.0.1 is an address, and Kerberos needs a name']);
  expect(kdc.requests).toEqual([]);
});

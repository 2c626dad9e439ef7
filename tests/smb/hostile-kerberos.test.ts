import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SmbAccount, SmbClient, type SmbErrorCode } from '../../agent/smb/index.ts';
import { apReply, krbError } from '../support/scripted-realm/messages.ts';
import { gssToken, type ScriptedAcceptor } from '../support/scripted-realm/acceptor.ts';
import { ScriptedKdc, scriptedUser } from '../support/scripted-realm/kdc.ts';
import type { KerberosScript, LegAnswer } from '../support/scripted-server/kerberos-logon.ts';
import { ScriptedServer } from '../support/scripted-server/server.ts';
import { status } from '../support/scripted-server/answers.ts';
import { refusal } from './contract/index.ts';

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

const whenAnswering =
  (change: (answer: LegAnswer, acceptor: ScriptedAcceptor, leg: number) => Partial<LegAnswer>) =>
  (answer: LegAnswer, leg: number, acceptor: ScriptedAcceptor): LegAnswer => ({
    ...answer,
    ...change(answer, acceptor, leg),
  });

describe('an honest server', () => {
  const scripts: Record<string, [Partial<KerberosScript>, legs: number]> = {
    'accepts at once': [{}, 1],
    'has no key of its own to add': [{ acceptor: { sendsSubkey: false } }, 1],
    'names the mechanism as Windows 2000 did': [
      { answer: whenAnswering(() => ({ mechanism: microsoftMechanism })) },
      1,
    ],
    'says nothing about state and mechanism': [
      { answer: whenAnswering(() => ({ mechanism: undefined, state: undefined })) },
      1,
    ],
    'asks for the checksums of the mechanism list': [{ requestsMic: true }, 2],
    'asks for more without saying why': [
      {
        requestsMic: true,
        answer: whenAnswering(({ state }) => ({ state: state === 3 ? 1 : state })),
      },
      2,
    ],
    'sends its checksum unasked': [
      {
        answer: whenAnswering((_answer, acceptor) => ({
          mic: acceptor.sign(Buffer.from('301606092a864886f71201020206092a864882f712010202', 'hex')),
        })),
      },
      1,
    ],
    'has another clock': [{ acceptor: { now: () => Date.now() + 7_200_000 } }, 3],
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
    'leaves its proof out': [{ answer: whenAnswering(() => ({ token: undefined })) }, 'PROTOCOL'],
    'leaves its proof out and asks for more': [
      { answer: whenAnswering(() => ({ token: undefined, status: status.moreProcessing, state: 1 })) },
      'PROTOCOL',
    ],
    'changes its proof': [
      {
        answer: whenAnswering(({ token }) => {
          const changed = Buffer.from(token!);
          changed[changed.length - 20]! ^= 1;
          return { token: changed };
        }),
      },
      'INTEGRITY',
    ],
    'does not know the session key': [
      {
        answer: whenAnswering((_answer, { authenticator: { time, microseconds } }) => ({
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
    'repeats a proof of before': [{ answer: whenAnswering(() => ({ token: earlier })) }, 'INTEGRITY'],
    'has a wrong checksum of the mechanism list': [
      {
        requestsMic: true,
        answer: whenAnswering(({ mic }) => ({ mic: mic && Buffer.from(mic).fill(0, 16, 17) })),
      },
      'DOWNGRADE',
    ],
    'sends our own checksum back': [
      {
        requestsMic: true,
        answer: whenAnswering(({ mic }, acceptor) => ({
          mic:
            mic &&
            acceptor.sign(Buffer.from('301606092a864886f71201020206092a864882f712010202', 'hex'), {
              fromAcceptor: false,
            }),
        })),
      },
      'DOWNGRADE',
    ],
    'asks for checksums and sends none': [
      { requestsMic: true, answer: whenAnswering(() => ({ mic: undefined })) },
      'DOWNGRADE',
    ],
    'has a checksum over another list': [
      { answer: whenAnswering((_answer, acceptor) => ({ mic: acceptor.sign(Buffer.from('3000', 'hex')) })) },
      'DOWNGRADE',
    ],
    'picks NTLM, which was not offered': [
      {
        answer: whenAnswering(() => ({ mechanism: ntlmMechanism, status: status.moreProcessing, state: 1 })),
      },
      'LOGON_REFUSED',
    ],
    'is content and says that it is not': [{ answer: whenAnswering(() => ({ state: 1 })) }, 'PROTOCOL'],
    'never comes to an end': [
      {
        requestsMic: true,
        answer: whenAnswering(() => ({ status: status.moreProcessing, state: 1, token: undefined })),
      },
      'PROTOCOL',
    ],
    'rejects without a reason': [
      { answer: whenAnswering(() => ({ status: status.moreProcessing, state: 2, token: undefined })) },
      'LOGON_REFUSED',
    ],
    'is never content with the clock': [
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
    const good = await against({ answer: (answer) => ((earlier = answer.token!), answer) });
    await good.client.connect();
    const { server, share } = await against(script);
    await refusal(share.stat('file.txt'), code);
    // Nothing was sent on a connection whose server is not authenticated.
    expect(new Set(server.commands)).toEqual(new Set([0, 1]));
  });

  test.each([
    ['the year 1970', 0],
    ['the year 9999', Date.UTC(9999, 11, 31)],
  ])('claims that it is %s', async (_, serverTime) => {
    const error = krbError({ code: 37, serverTime, realm: kdc.realm, service: { type: 2, parts: ['x'] } });
    const { server, share } = await against({
      answer: whenAnswering(() => ({
        status: status.moreProcessing,
        state: 1,
        token: gssToken(0x0300, error),
      })),
    });
    await refusal(share.stat('file.txt'), 'KERBEROS_UNAVAILABLE');
    expect(server.commands.filter((command) => command === 1)).toHaveLength(1);
  });

  test('relays the request to the true server and has no key for the rest', async () => {
    // A relay receives a valid proof but lacks the key that signs the response.
    const { share } = await against({
      answer: (answer, _leg, acceptor) => {
        Object.defineProperty(acceptor, 'sessionKey', { value: () => Buffer.alloc(32) });
        return answer;
      },
    });
    await refusal(share.stat('file.txt'), 'INTEGRITY');
  });
});

describe('a ticket that the server cannot read', () => {
  test.each([
    [
      'says so in the words of Kerberos',
      (): Partial<LegAnswer> => {
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
      'says that the logon failed',
      (): Partial<LegAnswer> => ({ status: 0xc000_006d, state: undefined, token: undefined }),
    ],
  ])('a server that %s: once more with a new ticket, then it is said', async (_, refuse) => {
    const { server, client, account } = await against({ answer: whenAnswering(() => refuse()) });
    const error = await refusal(client.connect(), 'KERBEROS_UNAVAILABLE');
    expect(error.retryable).toBe(true);
    expect(error.message).toContain(`cifs/${host}`);
    expect(error.message).not.toContain('password');
    expect(server.connections).toBe(2);
    // One ticket for the realm, two for the service; the password was used once.
    expect(account.kerberos!.exchanges).toBe(4);
    expect(kdc.requests.filter(({ preauth }) => preauth.has(2))).toHaveLength(1);
  });

  test('a server that accepts the new one: the caller does not notice', async () => {
    let refusals = 0;
    const { server, share } = await against({
      answer: (answer) => {
        if ((refusals += 1) > 1) return answer;
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

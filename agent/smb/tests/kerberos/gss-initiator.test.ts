import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readOnly } from '../../kerberos/der.ts';
import { GssInitiator, KerberosClient, kerberosMechanism } from '../../kerberos/index.ts';
import { apReply, krbError } from '../support/scripted-realm/messages.ts';
import { gssToken, ScriptedAcceptor, type AcceptorScript } from '../support/scripted-realm/acceptor.ts';
import { ScriptedKdc, scriptedUser } from '../support/scripted-realm/kdc.ts';

const service = 'cifs/files.firma.test';
const message = Buffer.from('300b06092a864886f712010202', 'hex');

let kdc: ScriptedKdc;
beforeAll(async () => {
  kdc = await ScriptedKdc.start();
});
afterAll(() => kdc.stop());

function newClient(): KerberosClient {
  const { name: username, password } = scriptedUser;
  return new KerberosClient({ realm: kdc.realm, username, secret: { password }, kdcs: kdc.kdcs });
}

function contextWith(script: AcceptorScript = {}, client = newClient()) {
  return {
    client,
    initiator: new GssInitiator(client, service),
    acceptor: new ScriptedAcceptor(kdc.serviceKey, script),
  };
}

describe.each([
  ['with its own key', true],
  ['without its own key', false],
])('a service %s', (_, sendsSubkey) => {
  test("proves its identity; both sides have the same key and accept each other's checksums", async () => {
    const { initiator, acceptor } = contextWith({ sendsSubkey });
    const { token } = acceptor.accept(await initiator.start());
    expect(initiator.isEstablished).toBe(false);
    expect(await initiator.accept(token)).toBeUndefined();
    expect(initiator.isEstablished).toBe(true);
    expect(initiator.sessionKey()).toEqual(acceptor.sessionKey());
    expect(acceptor.verify(message, initiator.sign(message))).toBe(true);
    expect(initiator.verify(message, acceptor.sign(message))).toBe(true);
    expect(acceptor.authenticator.client.parts).toEqual(['agent']);
    // Mutual, replay, sequence, confidentiality, integrity; no channel bindings, no delegation.
    const { checksum } = acceptor.authenticator;
    expect(checksum).toEqual({
      type: 0x8003,
      value: Buffer.from(`10000000${'00'.repeat(16)}3e000000`, 'hex'),
    });
  });

  test('its reply is read without a frame, too', async () => {
    const { initiator, acceptor } = contextWith({ sendsSubkey });
    const framed = readOnly(acceptor.accept(await initiator.start()).token, 0x60);
    // Behind the mechanism and the kind of the token.
    expect(await initiator.accept(framed.subarray(kerberosMechanism.length + 2))).toBeUndefined();
    expect(initiator.isEstablished).toBe(true);
    expect(initiator.sessionKey()).toEqual(acceptor.sessionKey());
  });

  test('every change of its checksum is detected', async () => {
    const { initiator, acceptor } = contextWith({ sendsSubkey });
    await initiator.accept(acceptor.accept(await initiator.start()).token);
    const sum = acceptor.sign(message);
    for (let at = 0; at < sum.length; at += 1) {
      const changed = Buffer.from(sum);
      changed[at]! ^= 1;
      expect(initiator.verify(message, changed), `byte ${at}`).toBe(false);
      expect(initiator.verify(message, sum.subarray(0, at))).toBe(false);
    }
    expect(initiator.verify(Buffer.concat([message, message]), sum)).toBe(false);
    // The initiator's own checksum, sent back.
    expect(initiator.verify(message, initiator.sign(message))).toBe(false);
    expect(initiator.verify(message, acceptor.sign(message, { fromAcceptor: false }))).toBe(false);
  });
});

async function rejected(accepting: Promise<unknown>, code: string): Promise<void> {
  await expect(accepting).rejects.toMatchObject({ name: 'KerberosError', code });
}

describe('a service that does not prove its identity', () => {
  test('the reply of an earlier logon', async () => {
    const client = newClient();
    const earlier = contextWith({}, client);
    const { token } = earlier.acceptor.accept(await earlier.initiator.start());
    const { initiator } = contextWith({}, client);
    await initiator.start();
    await rejected(initiator.accept(token), 'NOT_GENUINE');
    expect(initiator.isEstablished).toBe(false);
  });

  test('the reply to the request of another client', async () => {
    const other = contextWith();
    const { initiator } = contextWith();
    await initiator.start();
    await rejected(
      initiator.accept(other.acceptor.accept(await other.initiator.start()).token),
      'NOT_GENUINE',
    );
  });

  test('a reply with another time', async () => {
    const { initiator, client } = contextWith();
    const opened = new ScriptedAcceptor(kdc.serviceKey);
    opened.accept(await initiator.start());
    const { time, microseconds } = opened.authenticator;
    const { key } = await client.serviceTicket(service);
    const replyAt = (at: { time: number; microseconds: number }) =>
      gssToken(0x0200, apReply(key, { ...at, subkey: undefined }));
    await rejected(initiator.accept(replyAt({ time: time + 1000, microseconds })), 'NOT_GENUINE');
    await rejected(initiator.accept(replyAt({ time, microseconds: microseconds + 1 })), 'NOT_GENUINE');
    await initiator.accept(replyAt({ time, microseconds }));
  });

  test('a change of any byte of its reply', async () => {
    const { initiator, acceptor } = contextWith();
    const { token } = acceptor.accept(await initiator.start());
    for (let at = 0; at < token.length; at += 1) {
      const changed = Buffer.from(token);
      changed[at]! ^= 1;
      const outcome = await initiator.accept(changed).then(
        () => 'accepted',
        (error: { code: string }) => error.code,
      );
      expect(['NOT_GENUINE', 'PROTOCOL', 'KDC_ERROR'], `byte ${at}`).toContain(outcome);
      expect(initiator.isEstablished).toBe(false);
    }
  });

  test.each([
    ['nothing', Buffer.alloc(0)],
    ['random bytes', Buffer.from('60ff8a91d2f07722', 'hex')],
    ['a request', gssToken(0x0100, Buffer.alloc(10))],
    ['an empty response', gssToken(0x0200, Buffer.alloc(0))],
    ['an empty error', gssToken(0x0300, Buffer.alloc(0))],
  ])('%s', async (_, token) => {
    const { initiator } = contextWith();
    await initiator.start();
    const outcome = await initiator.accept(token).catch((error: { code: string }) => error.code);
    expect(['PROTOCOL', 'NOT_GENUINE']).toContain(outcome);
  });

  test('a reply before the request', async () => {
    await rejected(contextWith().initiator.accept(gssToken(0x0200, Buffer.alloc(5))), 'PROTOCOL');
  });

  test('a second reply after the first', async () => {
    const { initiator, acceptor } = contextWith();
    const { token } = acceptor.accept(await initiator.start());
    await initiator.accept(token);
    await rejected(initiator.accept(token), 'PROTOCOL');
  });
});

describe('a service with another clock', () => {
  test('reports its time and accepts a request that carries it; the time is not kept', async () => {
    const now = () => Date.now() + 3 * 3_600_000;
    const { initiator, acceptor, client } = contextWith({ now });
    const first = acceptor.accept(await initiator.start());
    expect(first.isError).toBe(true);
    const second = acceptor.accept((await initiator.accept(first.token))!);
    expect(second.isError).toBe(false);
    await initiator.accept(second.token);
    expect(initiator.isEstablished).toBe(true);
    expect(Math.abs(client.clock.differenceMs)).toBeLessThan(5_000);
  });

  test('that keeps reporting another time gets two requests', async () => {
    let drift = 0;
    const { initiator, acceptor } = contextWith({ now: () => Date.now() + (drift += 3_600_000) });
    const first = acceptor.accept(await initiator.start());
    const second = acceptor.accept((await initiator.accept(first.token))!);
    expect(second.isError).toBe(true);
    await rejected(initiator.accept(second.token), 'CLOCK_SKEW');
  });

  test.each([0, Date.UTC(9999, 11, 31)])('that claims %i is not followed', async (serverTime) => {
    const { initiator } = contextWith();
    await initiator.start();
    const error = krbError({ code: 37, serverTime, realm: kdc.realm, service: { type: 2, parts: ['x'] } });
    await rejected(initiator.accept(gssToken(0x0300, error)), 'CLOCK_SKEW');
  });
});

test.each([
  ['in a frame', (error: Buffer) => gssToken(0x0300, error)],
  ['without one', (error: Buffer) => error],
])(
  'after a service says %s that it cannot read its ticket, the next logon gets a new one',
  async (_, token) => {
    const { initiator, client } = contextWith();
    await initiator.start();
    const { exchanges } = client;
    const error = krbError({
      code: 41,
      serverTime: Date.now(),
      realm: kdc.realm,
      service: { type: 2, parts: ['x'] },
    });
    await rejected(initiator.accept(token(error)), 'SERVICE_KEY');
    await contextWith({}, client).initiator.start();
    expect(client.exchanges).toBe(exchanges + 1);
  },
);

test('the ticket is available before the first token is requested', async () => {
  const { initiator, client } = contextWith();
  expect(initiator.usableUntil).toBeUndefined();
  await initiator.prepare();
  const { exchanges } = client;
  await initiator.start();
  expect(client.exchanges).toBe(exchanges);
  // Five minutes before the end of ten hours.
  expect(Math.abs(initiator.usableUntil! - Date.now() - 10 * 3_600_000 + 300_000)).toBeLessThan(10_000);
});

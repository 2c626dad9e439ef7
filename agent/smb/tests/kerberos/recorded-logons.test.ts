import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { GssInitiator, KerberosClient } from '../../kerberos/index.ts';
import recordings from './recorded-logons.json' with { type: 'json' };

// Logons of this client at MIT's KDC 1.20.1 and smbd 4.17.12, with seeded randomness and a stopped clock. They are
// recorded because RFC 4120 and RFC 4121 publish no exchanges to compare with. The second logon of each recording uses
// a clock that is two hours slow; the server corrects it and then requires the checksums.

type Random = (bytes: number) => Buffer;
const hex = (text: string) => Buffer.from(text, 'hex');

function seededRandom(seed: string): Random {
  let count = 0;
  return (bytes) => {
    const parts: Buffer[] = [];
    for (let missing = bytes; missing > 0; missing -= 32) {
      parts.push(createHash('sha256').update(`${seed}:${count}`).digest());
      count += 1;
    }
    return Buffer.concat(parts).subarray(0, bytes);
  };
}

/** Sends the recorded requests and returns the recorded replies. */
async function replay(context: GssInitiator, tokens: readonly (readonly string[])[]): Promise<void> {
  let next: Buffer | undefined = await context.start();
  for (const [direction, token] of tokens) {
    if (direction === 'sent') expect(next?.toString('hex')).toBe(token);
    else next = await context.accept(hex(token!));
  }
  expect(context.isEstablished).toBe(true);
}

describe.each(recordings)('$label', (recording) => {
  const { realm, username, password, service, now, seed, encryptionType, exchanges } = recording;

  test('requests, tokens, session keys and checksums are reproduced byte for byte', async () => {
    let late = 0;
    const recorded = exchanges.values();
    const exchange = (request: Buffer) => {
      const { value } = recorded.next();
      expect(request.toString('hex')).toBe(value?.request);
      return Promise.resolve(hex(value!.reply));
    };
    const client = new KerberosClient({
      realm,
      username,
      secret: { password },
      encryptionTypes: [encryptionType],
      kdcs: { [realm]: [{ host: 'kdc', port: 88 }] },
      now: () => now - late,
      random: seededRandom(seed),
      connect: () => Promise.resolve({ exchange, close: () => undefined }),
    });
    const first = new GssInitiator(client, service);
    await replay(first, recording.logon.tokens);
    expect(first.sessionKey().toString('hex')).toBe(recording.logon.sessionKey);
    expect(client.exchanges).toBe(exchanges.length);

    late = recording.lateByMs;
    const { tokens, sessionKey, mechanisms, sentMic, receivedMic } = recording.lateLogon;
    const second = new GssInitiator(client, service);
    await replay(second, tokens);
    expect(second.sessionKey().toString('hex')).toBe(sessionKey);
    expect(second.sign(hex(mechanisms)).toString('hex')).toBe(sentMic);
    expect(second.verify(hex(mechanisms), hex(receivedMic))).toBe(true);
    expect(first.verify(hex(mechanisms), hex(receivedMic))).toBe(false);
  });
});

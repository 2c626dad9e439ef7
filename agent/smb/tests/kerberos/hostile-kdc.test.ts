import type { LookupFunction, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KerberosClient, type KerberosErrorCode, type KerberosOptions } from '../../kerberos/index.ts';
import { stringToKey } from '../../kerberos/crypto/key-derivation.ts';
import { randomKey } from '../../kerberos/crypto/encryption.ts';
import { systemRandom } from '../../kerberos/base/random.ts';
import { firstOfStaggered } from '../../kerberos/lookup/staggered.ts';
import { Random, mutated } from '../support/wire/mutations.ts';
import { ScriptedDns } from '../support/wire/scripted-dns.ts';
import { type KdcScript, ScriptedKdc, scriptedUser } from '../support/scripted-realm/kdc.ts';
import type { KdcRequest, ReplyContent } from '../support/scripted-realm/messages.ts';

let kdc: ScriptedKdc;
beforeEach(async () => {
  kdc = await ScriptedKdc.start();
});
afterEach(() => kdc.stop());

const service = 'cifs/files.firma.test';

function client(options: Partial<KerberosOptions> = {}): KerberosClient {
  const { name, password } = scriptedUser;
  return new KerberosClient({
    realm: 'firma.test',
    username: name,
    secret: { password },
    kdcs: kdc.kdcs,
    // A changed realm name must not cause a query to the machine's own DNS.
    dns: { servers: [] },
    timeoutMs: 5_000,
    ...options,
  });
}

async function rejection(script: KdcScript, options: Partial<KerberosOptions> = {}) {
  kdc.script = script;
  const error: unknown = await client(options)
    .serviceTicket(service)
    .then(
      () => new Error('the ticket was accepted'),
      (reason: unknown) => reason,
    );
  expect((error as Error).message).not.toContain(scriptedUser.password);
  return error;
}

const only =
  (kind: 'AS' | 'TGS', change: (content: ReplyContent) => Partial<ReplyContent>): KdcScript['reply'] =>
  (content) =>
    content.kind === kind ? { ...content, ...change(content) } : content;

/** Carries an encrypted timestamp. */
const isProved = ({ preauth }: KdcRequest) => preauth.has(2);

const name = (...parts: string[]) => ({ type: 2, parts });

test('the scripted KDC replies correctly by default', async () => {
  const kerberos = client();
  expect((await kerberos.serviceTicket(service)).service.parts).toEqual(['cifs', 'files.firma.test']);
  expect(kdc.requests.map(({ kind }) => kind)).toEqual(['AS', 'AS', 'TGS']);
  expect(kerberos.exchanges).toBe(3);
  // Nothing older than AES is ever offered.
  for (const { encryptionTypes } of kdc.requests) expect(encryptionTypes).toEqual([18, 17, 20, 19]);
});

test('names are case-insensitive because Active Directory changes their case', async () => {
  const inUpperCase = (name: ReplyContent['client']) => ({
    ...name,
    parts: name.parts.map((part) => (part === 'krbtgt' ? part : part.toUpperCase())),
  });
  kdc.script = {
    reply: (content) => ({
      ...content,
      client: inUpperCase(content.client),
      service: inUpperCase(content.service),
    }),
  };
  await client().serviceTicket(service);
});

describe('replies with wrong contents', () => {
  const cases: Record<string, [KdcScript['reply'], KerberosErrorCode]> = {
    'an earlier AS reply': [only('AS', ({ nonce }) => ({ nonce: nonce ^ 1 })), 'NOT_GENUINE'],
    'an earlier TGS reply': [only('TGS', ({ nonce }) => ({ nonce: nonce ^ 1 })), 'NOT_GENUINE'],
    'another account': [only('AS', () => ({ client: name('administrator') })), 'NOT_GENUINE'],
    'another account for the service': [
      only('TGS', () => ({ client: name('administrator') })),
      'NOT_GENUINE',
    ],
    'another realm outside': [only('AS', () => ({ clientRealm: 'BOESE.TEST' })), 'NOT_GENUINE'],
    'another realm for the service': [only('TGS', () => ({ clientRealm: 'BOESE.TEST' })), 'NOT_GENUINE'],
    'another realm inside': [only('AS', () => ({ realm: 'BOESE.TEST' })), 'NOT_GENUINE'],
    'the ticket-granting service of another realm': [
      only('AS', () => ({ service: name('krbtgt', 'BOESE.TEST') })),
      'NOT_GENUINE',
    ],
    'another service instead of the realm': [
      only('AS', () => ({ service: name('cifs', 'x') })),
      'NOT_GENUINE',
    ],
    'another service': [only('TGS', () => ({ service: name('cifs', 'evil.firma.test') })), 'NOT_GENUINE'],
    'a service with more parts': [
      only('TGS', () => ({ service: name('cifs', 'files.firma.test', 'x') })),
      'NOT_GENUINE',
    ],
    'a wrong checksum of the request': [
      only('AS', () => ({ requestChecksum: { type: 16, value: Buffer.alloc(12) } })),
      'NOT_GENUINE',
    ],
    'an empty checksum of the request': [
      only('AS', () => ({ requestChecksum: { type: 16, value: Buffer.alloc(0) } })),
      'NOT_GENUINE',
    ],
    'an AS reply under another key': [
      only('AS', () => ({ replyKey: randomKey(18, systemRandom) })),
      'NOT_GENUINE',
    ],
    'an AS reply for another usage': [only('AS', () => ({ usage: 8 })), 'NOT_GENUINE'],
    'an AS reply of another type': [
      only('AS', () => ({ replyKey: randomKey(17, systemRandom) })),
      'NOT_GENUINE',
    ],
    'a TGS reply under another key': [
      only('TGS', () => ({ replyKey: randomKey(18, systemRandom) })),
      'NOT_GENUINE',
    ],
    'a TGS reply of another type': [
      only('TGS', () => ({ replyKey: randomKey(17, systemRandom) })),
      'NOT_GENUINE',
    ],
    'an AS reply that decrypts to something else': [
      only('AS', () => ({ encryptedPart: Buffer.from('no DER') })),
      'PROTOCOL',
    ],
    'a TGS reply that decrypts to something else': [
      only('TGS', () => ({ encryptedPart: Buffer.from('no DER') })),
      'PROTOCOL',
    ],
    'a session key of an unknown type': [
      only('AS', () => ({ sessionKey: { encryptionType: 23, value: Buffer.alloc(16) } })),
      'ENCRYPTION_UNSUPPORTED',
    ],
  };
  test.each(Object.entries(cases))('%s', async (_, [reply, code]) => {
    expect(await rejection({ ...(reply && { reply }) })).toMatchObject({ name: 'KerberosError', code });
  });

  test('after an account of another realm, no ticket is requested', async () => {
    kdc.script = { reply: only('AS', () => ({ clientRealm: 'BOESE.TEST' }))! };
    await expect(client().serviceTicket(service)).rejects.toMatchObject({ code: 'NOT_GENUINE' });
    expect(kdc.requests.map(({ kind }) => kind)).toEqual(['AS', 'AS']);
  });

  test('such a reply does not count against the account', async () => {
    kdc.script = { reply: only('AS', () => ({ nonce: 1 }))! };
    const kerberos = client();
    await expect(kerberos.serviceTicket(service)).rejects.toMatchObject({ code: 'NOT_GENUINE' });
    kdc.script = {};
    await kerberos.serviceTicket(service);
  });

  test('the reply reveals a request that was changed in transit', async () => {
    kdc.script = {
      reply: (content, request) => {
        if (content.kind !== 'AS') return content;
        const { value, type } = content.requestChecksum!;
        expect(request.message.length).toBeGreaterThan(0);
        return { ...content, requestChecksum: { type, value: Buffer.from(value).fill(1, 0, 1) } };
      },
    };
    await expect(client().serviceTicket(service)).rejects.toMatchObject({ code: 'NOT_GENUINE' });
  });
});

describe('requests for proof', () => {
  test.each([
    ['one iteration', { type: 18, iterations: 1 }, 'PROTOCOL'],
    ['2^32 - 1 iterations', { type: 18, iterations: 0xffff_ffff }, 'PROTOCOL'],
    ['a million and one', { type: 20, iterations: 1_000_001 }, 'PROTOCOL'],
    ['DES', { type: 3 }, 'ENCRYPTION_UNSUPPORTED'],
    ['RC4', { type: 23 }, 'ENCRYPTION_UNSUPPORTED'],
  ] as const)('%s', async (_, offer, code) => {
    const error = await rejection({ offers: [offer] });
    expect(error).toMatchObject({ name: 'KerberosError', code });
    // No proof was sent to this KDC.
    expect(kdc.requests).toHaveLength(1);
  });

  test('without any type are reported as such', async () => {
    const { message } = (await rejection({ offers: [] })) as Error;
    expect(message).toBe(
      'The KDC offers no encryption type; the account needs an AES key: set its password again',
    );
  });

  test('an unknown type next to a known one is ignored', async () => {
    kdc.script = { offers: [{ type: 23 }, { type: 20, salt: 'a salt of its own', iterations: 32_768 }] };
    await client().serviceTicket(service);
    expect(kdc.requests.map(({ kind }) => kind)).toEqual(['AS', 'AS', 'TGS']);
  });

  test('the default salt is used where the KDC names none', async () => {
    kdc.script = { offers: [{ type: 17 }] };
    await client().serviceTicket(service);
  });

  test('endless requests for proof: one proof is sent', async () => {
    const error = await rejection({ reject: () => ({ code: 25 }) });
    expect(error).toMatchObject({ code: 'PASSWORD_WRONG', krbError: 25 });
    expect(kdc.requests).toHaveLength(2);
  });

  test('a KDC that always rejects the clock: corrected once', async () => {
    const error = await rejection({ reject: (_request, isProved) => (isProved ? { code: 37 } : undefined) });
    expect(error).toMatchObject({ code: 'CLOCK_SKEW', krbError: 37 });
    expect(kdc.requests).toHaveLength(3);
  });

  test('a service that always rejects the clock: corrected once', async () => {
    const error = await rejection({ reject: ({ kind }) => (kind === 'TGS' ? { code: 37 } : undefined) });
    expect(error).toMatchObject({ code: 'CLOCK_SKEW' });
    expect(kdc.requests.map(({ kind }) => kind)).toEqual(['AS', 'AS', 'TGS', 'TGS']);
  });

  test.each([
    ['the year 1970', 0],
    ['the year 9999', Date.UTC(9999, 11, 31)],
  ])('a KDC that claims %s is not followed', async (_, serverTime) => {
    const error = await rejection({
      reject: (_request, isProved) => (isProved ? undefined : { code: 25, serverTime }),
    });
    expect(error).toMatchObject({ name: 'KerberosError' });
    expect(kdc.requests).toHaveLength(1);
  });

  test('an unauthenticated time is forgotten with the logon that failed', async () => {
    const serverTime = Date.UTC(2031, 0);
    kdc.script = { reject: (_request, isProved) => (isProved ? { code: 60 } : { code: 25, serverTime }) };
    const kerberos = client();
    await expect(kerberos.serviceTicket(service)).rejects.toMatchObject({ code: 'KDC_ERROR' });
    expect(kdc.requests).toHaveLength(2);
    expect(kerberos.clock.differenceMs).toBe(0);
  });

  test('endless referrals of the account to another realm', async () => {
    const error = await rejection(
      { reject: () => ({ code: 68, clientRealm: 'FIRMA.TEST' }) },
      { username: 'agent@firma.de' },
    );
    expect(error).toMatchObject({ code: 'PROTOCOL' });
    expect(kdc.requests).toHaveLength(8);
  });

  test('realms that refer to each other in a circle', async () => {
    kdc.script = {
      reply: only('TGS', () => ({ service: name('krbtgt', 'WERK.TEST') }))!,
    };
    const kdcs = { ...kdc.kdcs, 'WERK.TEST': kdc.kdcs['FIRMA.TEST']! };
    await expect(client({ kdcs }).serviceTicket(service)).rejects.toMatchObject({ code: 'PROTOCOL' });
    expect(kdc.requests.filter(({ kind }) => kind === 'TGS')).toHaveLength(2);
  });

  test('a new realm with every referral', async () => {
    let realms = 0;
    kdc.script = {
      reply: (content) =>
        content.kind === 'TGS' ? { ...content, service: name('krbtgt', `R${(realms += 1)}.TEST`) } : content,
    };
    const kdcs = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`R${index}.TEST`, kdc.kdcs['FIRMA.TEST']!]),
    );
    const failing = client({ kdcs: { ...kdcs, ...kdc.kdcs } }).serviceTicket(service);
    await expect(failing).rejects.toMatchObject({ code: 'PROTOCOL' });
    expect(realms).toBeLessThan(12);
  });

  test('a wrong password is tried with one type, at one KDC, once', async () => {
    kdc.script = { offers: [{ type: 18 }, { type: 17 }] };
    const kdcs = { 'FIRMA.TEST': [...kdc.kdcs['FIRMA.TEST']!, ...kdc.kdcs['FIRMA.TEST']!] };
    const kerberos = client({ kdcs, secret: { password: 'falsch' } });
    await expect(kerberos.serviceTicket(service)).rejects.toMatchObject({
      code: 'PASSWORD_WRONG',
      krbError: 24,
    });
    await expect(kerberos.serviceTicket(service)).rejects.toMatchObject({ code: 'PASSWORD_WRONG' });
    expect(kdc.requests).toHaveLength(2);
  });
});

describe('the NTSTATUS that Active Directory adds', () => {
  // KERB-ERROR-DATA with KERB_EXT_ERROR, as Samba's KDC sends it for a disabled account.
  const extended = Buffer.from('3015a103020103a20e040c720000c00000000001000000', 'hex');

  test('is part of the message', async () => {
    const error = await rejection({ reject: () => ({ code: 18, data: extended }) });
    expect(error).toMatchObject({ code: 'ACCOUNT_REVOKED', status: 0xc000_0072 });
    expect((error as Error).message).toContain('NTSTATUS 0xC0000072');
  });

  test.each([
    ['cut off', extended.subarray(0, 10)],
    ['of another type', Buffer.from('3015a103020101a20e040c720000c00000000001000000', 'hex')],
    ['random', Buffer.from('3084ffffffff', 'hex')],
    ['empty', Buffer.alloc(0)],
  ])('is ignored when it is %s', async (_, data) => {
    const error = await rejection({ reject: () => ({ code: 18, data }) });
    expect(error).toMatchObject({ code: 'ACCOUNT_REVOKED', status: undefined });
  });
});

describe('connections', () => {
  const raw: Record<string, (socket: Socket) => void> = {
    'a length of 4 GiB': (socket) => socket.write(Buffer.from('ffffffff00', 'hex')),
    'a close without a response': (socket) => socket.end(),
    'a reset': (socket) => socket.resetAndDestroy(),
    'half a response': (socket) => socket.end(Buffer.from('000000407e30', 'hex')),
    silence: () => undefined,
  };
  test.each(Object.entries(raw))('%s: the KDC is reported as unreachable', async (_, act) => {
    const error = await rejection({ raw: (_request, socket) => act(socket) }, { timeoutMs: 150 });
    expect(error).toMatchObject({ name: 'KerberosError', code: 'KDC_UNREACHABLE' });
  });

  test.each([
    ['an empty response', Buffer.alloc(0)],
    ['a single byte', Buffer.from([0x6b])],
    ['a response to something else', Buffer.from('6f00', 'hex')],
    ['random bytes', Buffer.from('8a91d2f07722', 'hex')],
  ])('%s is a PROTOCOL error', async (_, bytes) => {
    expect(await rejection({ wire: () => bytes })).toMatchObject({ name: 'KerberosError', code: 'PROTOCOL' });
  });

  test('a reply longer than any is not waited for', async () => {
    const raw: KdcScript['raw'] = (_request, socket) => socket.write(Buffer.from('ffffffff00', 'hex'));
    // With this time, the test would not end.
    const error = await rejection({ raw }, { timeoutMs: 600_000 });
    expect((error as Error).message).toContain('announces a reply of 4294967295 bytes');
  });

  test('ends with its reply, also where the KDC leaves it open', async () => {
    let closed = 0;
    const raw: KdcScript['raw'] = (request, socket) => {
      socket.on('close', () => (closed += 1));
      void kdc.respond(request).then((message) => {
        const length = Buffer.alloc(4);
        length.writeUInt32BE(message.length);
        socket.write(Buffer.concat([length, message]));
      });
    };
    kdc.script = { raw };
    await client({ timeoutMs: 600_000 }).serviceTicket(service);
    await expect.poll(() => closed).toBe(3);
  });

  test('the end of the client ends an exchange, and no other KDC is tried', async () => {
    const ending = new AbortController();
    const kdcs = { 'FIRMA.TEST': [...kdc.kdcs['FIRMA.TEST']!, ...kdc.kdcs['FIRMA.TEST']!] };
    const error = await rejection({ raw: () => ending.abort() }, { kdcs, signal: ending.signal });
    expect(error).toMatchObject({ name: 'KerberosError', code: 'ABORTED' });
    expect(kdc.requests).toHaveLength(1);
  });

  test('an overloaded KDC is skipped', async () => {
    const second = await ScriptedKdc.start();
    kdc.script = { reject: () => ({ code: 29 }) };
    const failing = client({
      kdcs: { 'FIRMA.TEST': [...kdc.kdcs['FIRMA.TEST']!, ...second.kdcs['FIRMA.TEST']!] },
    });
    await failing.serviceTicket(service);
    expect(kdc.requests).toHaveLength(1);
    expect(second.requests).toHaveLength(3);
    await second.stop();
  });
});

describe('several KDCs', () => {
  const dead = Array.from({ length: 20 }, (_, index) => ({ host: `dead${index}.firma.test`, port: 88 }));
  /** Only the name `alive` leads anywhere; the others are never resolved. */
  const lookup: LookupFunction = (host, options, callback) => {
    looked.push(host);
    if (host !== 'alive.firma.test') return;
    if (options.all) callback(null, [{ address: '127.0.0.1', family: 4 }]);
    else callback(null, '127.0.0.1', 4);
  };
  let looked: string[] = [];
  beforeEach(() => {
    looked = [];
  });
  const alive = () => ({ host: 'alive.firma.test', port: kdc.kdcs['FIRMA.TEST']![0]!.port });

  test('each gets company after a head start, by as many as are tried already', async () => {
    const batches: number[] = [];
    let isNew = true;
    const silent = () => {
      if (isNew) {
        batches.push(0);
        setImmediate(() => (isNew = true));
      }
      isNew = false;
      batches[batches.length - 1]! += 1;
      return new Promise<never>(() => undefined);
    };
    const attempt = (candidate: number) => (candidate === 20 ? Promise.resolve() : silent());
    const numbers = Array.from({ length: 21 }, (_, index) => index);
    expect(await firstOfStaggered(numbers, attempt, { delayMs: 1 })).toMatchObject({ candidate: 20 });
    expect(batches).toEqual([1, 1, 2, 4, 8, 4]);
  });

  test('twenty that do not respond are tried once, in their order', async () => {
    const kerberos = client({ kdcs: { 'FIRMA.TEST': [...dead, alive()] }, lookup });
    await kerberos.serviceTicket(service);
    // The second and third exchange begin with the one that replied.
    expect(looked).toEqual([...dead, alive(), alive(), alive()].map(({ host }) => host));
    expect(kerberos.exchanges).toBe(3);
    expect(kdc.requests).toHaveLength(3);
  });

  test('twenty that accept the connection and stay silent get one request without proof, and no time to reply', async () => {
    const requests: KdcRequest[] = [];
    const silent = await Promise.all(
      dead.map(() => ScriptedKdc.start({ raw: (request) => requests.push(request) })),
    );
    const addresses = [...silent, kdc].flatMap(({ kdcs }) => kdcs['FIRMA.TEST']!);
    // With their time to reply, the test would not end.
    const kerberos = client({ kdcs: { 'FIRMA.TEST': addresses }, timeoutMs: 600_000 });
    await kerberos.serviceTicket(service);
    expect(requests).toHaveLength(20);
    expect(requests.filter(isProved)).toEqual([]);
    expect(kdc.requests).toHaveLength(3);
    await Promise.all(silent.map((each) => each.stop()));
  });

  test('a proof is sent to the next one only when the one before has not replied in time', async () => {
    let open = 0;
    let mostOpen = 0;
    let proofs = 0;
    const silentOnProof: KdcScript['raw'] = (request, socket) => {
      if (!isProved(request)) {
        void kdc.respond(request).then((message) => {
          const length = Buffer.alloc(4);
          length.writeUInt32BE(message.length);
          socket.end(Buffer.concat([length, message]));
        });
        return;
      }
      proofs += 1;
      open += 1;
      mostOpen = Math.max(mostOpen, open);
      socket.on('close', () => (open -= 1));
    };
    const others = await Promise.all([1, 2].map(() => ScriptedKdc.start({ raw: silentOnProof })));
    kdc.script = { raw: silentOnProof };
    const kdcs = { 'FIRMA.TEST': [kdc, ...others].flatMap((each) => each.kdcs['FIRMA.TEST']!) };
    // Several head starts, in which a race would begin.
    const kerberos = client({ kdcs, timeoutMs: 800 });
    await expect(kerberos.serviceTicket(service)).rejects.toMatchObject({ code: 'KDC_UNREACHABLE' });
    expect({ proofs, mostOpen }).toEqual({ proofs: 3, mostOpen: 1 });
    await Promise.all(others.map((each) => each.stop()));
  });

  test('a wrong password reaches one KDC only', async () => {
    const second = await ScriptedKdc.start();
    const kdcs = { 'FIRMA.TEST': [...kdc.kdcs['FIRMA.TEST']!, ...second.kdcs['FIRMA.TEST']!] };
    await expect(
      client({ kdcs, secret: { password: 'falsch' } }).serviceTicket(service),
    ).rejects.toMatchObject({ code: 'PASSWORD_WRONG' });
    expect(kdc.requests.filter(isProved)).toHaveLength(1);
    expect(second.requests.filter(isProved)).toHaveLength(0);
    await second.stop();
  });

  test('are looked up again after a while, once for calls at the same time', async () => {
    const record = { priority: 0, weight: 100, port: alive().port, host: 'alive.firma.test' };
    const dns = await ScriptedDns.start({ zone: { '_kerberos._tcp.dc._msdcs.firma.test': [record] } });
    let passedMs = 0;
    const now = () => Date.now() + passedMs;
    kdc.script = { now };
    const kerberos = client({ kdcs: {}, dns: { servers: [dns.address] }, lookup, now });
    await kerberos.serviceTicket(service);
    const questions = dns.questions.udp;
    await kerberos.serviceTicket('cifs/a.firma.test');
    expect(dns.questions.udp).toBe(questions);
    passedMs = 11 * 60_000;
    await Promise.all(['b', 'c'].map((host) => kerberos.serviceTicket(`cifs/${host}.firma.test`)));
    expect(dns.questions.udp).toBe(2 * questions);
    await dns.stop();
  });

  test('those of the site are tried before the others; a refused name does not end the search', async () => {
    const record = (host: string) => ({ priority: 0, weight: 100, port: alive().port, host });
    const dns = await ScriptedDns.start({
      zone: {
        '_kerberos._tcp.berlin._sites.dc._msdcs.firma.test': [record('dead1.firma.test')],
        '_kerberos._tcp.dc._msdcs.firma.test': [record('dead1.firma.test'), record('alive.firma.test')],
        '_kerberos._tcp.firma.test': [record('alive.firma.test')],
      },
    });
    const found = async (site?: string) => {
      looked = [];
      const kerberos = client({ kdcs: {}, dns: { servers: [dns.address] }, site, lookup });
      await kerberos.serviceTicket(service);
      return looked.slice(0, 2);
    };
    expect(await found('berlin')).toEqual(['dead1.firma.test', 'alive.firma.test']);
    dns.script = { ...dns.script, code: 5, failing: (name) => name.includes('_msdcs') };
    expect(await found('berlin')).toEqual(['alive.firma.test', 'alive.firma.test']);
    dns.script = { code: 5 };
    await expect(found()).rejects.toThrow('error 5 (REFUSED)');
    await dns.stop();
  });
});

test('a changed byte in every reply: a ticket or a KerberosError', async () => {
  const requests: KdcRequest[] = [];
  const responses = new Map<string, number>();
  // Every reply is changed at one place, which advances by seven bytes.
  let at = 0;
  kdc.script = {
    wire: (message, request) => {
      requests.push(request);
      const changed = Buffer.from(message);
      const place = (at += 7) % changed.length;
      changed[place]! ^= 0x20;
      return changed;
    },
  };
  for (let round = 0; round < 400; round += 1) {
    const outcome = await client()
      .serviceTicket(service)
      .then(
        () => 'done',
        (error: Error) =>
          error.name === 'KerberosError' ? error.message.replace(/^.*?: /, '') : error.stack!,
      );
    expect(outcome).not.toContain('node:');
    responses.set(outcome, (responses.get(outcome) ?? 0) + 1);
  }
  // Most places are ciphertext, so most replies are not authentic; the unencrypted names are compared.
  expect(responses.size).toBeGreaterThan(3);
}, 120_000);

// Each parser reads thousands of mutants in der.test.ts.
test('500 mutated replies: a ticket or a KerberosError, in time', async () => {
  const wanted = Number(process.env['SMB_FUZZ_MESSAGES'] ?? 500);
  const seed = Number(process.env['SMB_FUZZ_SEED'] ?? 20_261_122);
  const random = new Random(seed);
  const outcomes = new Set<string>();
  let mutations = 0;
  kdc.script = {
    wire: (message) => {
      if (random.next() < 0.5) return message;
      mutations += 1;
      return mutated(message, random);
    },
    ticketLifetimeMs: 1_000,
  };
  // A keytab, because a million iterations are legal and would occur often.
  const key = await stringToKey(18, scriptedUser.password, Buffer.from('FIRMA.TESTagent'), undefined);
  const keytab = [{ principal: scriptedUser.name, realm: 'FIRMA.TEST', version: 1, key }];
  // Every ticket has expired when it is requested again.
  let passed = 0;
  const kerberos = client({ secret: { keytab }, now: () => Date.now() + (passed += 400) });
  const isEnough = () => mutations >= wanted;
  while (!isEnough()) {
    const outcome = await kerberos.serviceTicket(service).then(
      () => 'done',
      (error: Error & { code?: string }) =>
        error.name === 'KerberosError' ? error.code! : `after ${mutations} replies: ${error.stack}`,
    );
    outcomes.add(outcome);
    kerberos.forgetRejection();
    kdc.requests.length = 0;
  }
  const others = [...outcomes].filter((outcome) => !/^[A-Z_]+$|^done$/.test(outcome));
  expect(others, `seed ${seed}`).toEqual([]);
  for (const expected of ['done', 'PROTOCOL', 'NOT_GENUINE']) expect(outcomes).toContain(expected);
}, 300_000);

import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import {
  KerberosClient,
  type KerberosErrorCode,
  type KerberosOptions,
  type KeytabEntry,
  readKeytab,
} from '../../kerberos/index.ts';
import { MitRealm } from '../support/realm/mit-realm.ts';
import { closedPort } from '../support/closed-port.ts';
import { ScriptedDns } from '../support/wire/scripted-dns.ts';
import { requires } from '../support/requires.ts';

const { describe, test } = requires('MIT Kerberos');

const password = 'Geheim-4711';
const types = [
  [17, 'aes128-cts-hmac-sha1-96'],
  [18, 'aes256-cts-hmac-sha1-96'],
  [19, 'aes128-cts-hmac-sha256-128'],
  [20, 'aes256-cts-hmac-sha384-192'],
] as const;
const hour = 3_600_000;

let realm: MitRealm;
let plant: MitRealm;
/** With entries of all accounts that log on without a password: of `only17` to `only20`, and of `agent`. */
let keytab: KeytabEntry[];
beforeAll(async () => {
  const trust = 'addprinc -pw trust-4711 -e aes256-cts-hmac-sha1-96:normal krbtgt/WERK.TEST@FIRMA.TEST';
  [realm, plant] = await Promise.all([
    MitRealm.start({
      trusts: ['WERK.TEST'],
      accounts: [
        trust,
        `addprinc -pw ${password} alice`,
        `addprinc -pw "Grüße, Müller ß 7" müller`,
        `addprinc -pw ${password} -maxlife 20sec -maxrenewlife 7d short`,
        `addprinc -pw ${password} -pwexpire yesterday expired`,
        `addprinc -pw ${password} -expire yesterday gone`,
        `addprinc -pw ${password} -allow_tix disabled`,
        `addprinc -pw ${password} -requires_preauth plain`,
        ...types.map(([number, name]) => `addprinc -pw ${password} -e ${name}:normal only${number}`),
        ...types.map(([number, name]) => `addprinc -randkey -e ${name}:normal cifs/fs${number}.firma.test`),
        'addprinc -randkey agent',
        'addprinc -randkey -requires_preauth cifs/open.firma.test',
        'addprinc -randkey -e aes256-cts-hmac-sha1-96:normal cifs/files.firma.test',
      ],
    }),
    MitRealm.start({ realm: 'WERK.TEST', accounts: [trust, 'addprinc -randkey cifs/files.werk.test'] }),
  ]);
  keytab = readKeytab(
    await readFile(await realm.keytab(...types.map(([number]) => `only${number}`), 'agent')),
  );
});
afterAll(() => Promise.all([realm?.stop(), plant?.stop()]));

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

function clientFor(username: string, options: Partial<KerberosOptions> = {}) {
  const trace: string[] = [];
  const client = new KerberosClient({
    realm: realm.realm,
    username,
    secret: { password },
    kdcs: { ...realm.kdcs, ...plant.kdcs },
    trace: (what) => trace.push(what),
    ...options,
  });
  return { client, trace };
}

const files = 'cifs/files.firma.test';

async function rejected(call: Promise<unknown>, code: KerberosErrorCode): Promise<Error> {
  const error = await call.then(
    () => new Error(`the call succeeded; expected ${code}`),
    (reason: Error) => reason,
  );
  expect(error, error.message).toMatchObject({ name: 'KerberosError', code });
  expect(error.message).not.toContain(password);
  return error;
}

describe.each(types)('encryption type %i', (number, name) => {
  test('password, ticket-granting ticket and service ticket', async () => {
    const { client } = clientFor(`only${number}`, { encryptionTypes: [number] });
    const ticket = await client.serviceTicket(`cifs/fs${number}.firma.test`);
    expect(ticket.key.encryptionType).toBe(number);
    expect(await client.status()).toMatchObject({
      realm: 'FIRMA.TEST',
      kdc: `127.0.0.1:${realm.port}`,
      kdcFoundBy: 'setting',
      encryptionType: name,
    });
    expect(client.exchanges).toBe(3);
  });

  test('a keytab without a password', async () => {
    const own = keytab.filter(({ principal }) => principal === `only${number}`);
    expect(own.map(({ key }) => key.encryptionType)).toEqual([number]);
    const { client } = clientFor(`only${number}`, { secret: { keytab } });
    await client.serviceTicket(files);
    expect(client.exchanges).toBe(3);
  });
});

test('a keytab with keys of all types', async () => {
  const { client } = clientFor('agent', { secret: { keytab } });
  expect((await client.serviceTicket(files)).clientRealm).toBe('FIRMA.TEST');
});

test('umlauts in name and password', async () => {
  const { client } = clientFor('müller', { secret: { password: 'Grüße, Müller ß 7' } });
  expect((await client.serviceTicket(files)).client.parts).toEqual(['müller']);
});

test('an account without pre-authentication', async () => {
  const { client, trace } = clientFor('plain');
  await client.serviceTicket('cifs/open.firma.test');
  expect(client.exchanges).toBe(2);
  expect(trace.join()).not.toContain('error 25');
  const { client: wrong } = clientFor('plain', { secret: { password: 'falsch' } });
  await rejected(wrong.serviceTicket(files), 'PASSWORD_WRONG');
});

test('a service of another realm, by referral', async () => {
  const { client, trace } = clientFor('alice');
  const ticket = await client.serviceTicket('cifs/files.werk.test');
  expect(ticket).toMatchObject({ realm: 'WERK.TEST', clientRealm: 'FIRMA.TEST' });
  expect(trace).toContain('cifs/files.werk.test: referred to WERK.TEST');
  expect(client.exchanges).toBe(4);
});

test('a second server costs one exchange, the same server none', async () => {
  const { client } = clientFor('alice');
  await client.serviceTicket(files);
  expect(client.exchanges).toBe(3);
  await client.serviceTicket('cifs/fs20.firma.test');
  expect(client.exchanges).toBe(4);
  await client.serviceTicket(files);
  expect(client.exchanges).toBe(4);
});

test('fifty concurrent requests for two services share four exchanges', async () => {
  const { client } = clientFor('alice');
  const services = [files, 'cifs/fs17.firma.test'];
  await Promise.all(Array.from({ length: 50 }, (_, index) => client.serviceTicket(services[index % 2]!)));
  expect(client.exchanges).toBe(4);
});

test('a wrong password is tried once for all callers, and again only after the rejection is forgotten', async () => {
  const { client } = clientFor('alice', { secret: { password: 'falsch' } });
  const requests = Array.from({ length: 50 }, (_, index) =>
    rejected(client.serviceTicket(index % 2 === 0 ? files : 'cifs/fs17.firma.test'), 'PASSWORD_WRONG'),
  );
  await Promise.all(requests);
  await rejected(client.serviceTicket('cifs/fs20.firma.test'), 'PASSWORD_WRONG');
  expect(client.exchanges).toBe(2);
  client.forgetRejection();
  await rejected(client.serviceTicket(files), 'PASSWORD_WRONG');
  expect(client.exchanges).toBe(4);
});

test.each([
  ['an unknown account', 'nobody', 'ACCOUNT_UNKNOWN', 'KDC_ERR_C_PRINCIPAL_UNKNOWN'],
  ['an expired password', 'expired', 'PASSWORD_EXPIRED', 'KDC_ERR_KEY_EXPIRED'],
  ['an expired account', 'gone', 'ACCOUNT_REVOKED', 'KDC_ERR_NAME_EXP'],
  ['a disabled account', 'disabled', 'ACCOUNT_REVOKED', 'KDC_ERR_CLIENT_REVOKED'],
] as const)('%s is rejected permanently', async (_, username, code, name) => {
  const { client } = clientFor(username);
  const error = await rejected(client.serviceTicket(files), code);
  expect(error.message).toContain(name);
  const { exchanges } = client;
  expect(await rejected(client.serviceTicket(files), code)).toBe(error);
  expect(client.exchanges).toBe(exchanges);
});

test('an unknown service does not affect other services', async () => {
  const { client } = clientFor('alice');
  const error = await rejected(client.serviceTicket('cifs/nobody.firma.test'), 'SERVICE_UNKNOWN');
  expect(error.message).toContain('KDC_ERR_S_PRINCIPAL_UNKNOWN');
  await client.serviceTicket(files);
});

test('an account without a key of the requested types', async () => {
  const { client } = clientFor('only17', { encryptionTypes: [20] });
  await rejected(client.serviceTicket(files), 'ENCRYPTION_UNSUPPORTED');
  // The client sends no proof that could only be rejected.
  expect(client.exchanges).toBe(1);
});

test.each([
  ['two hours slow', -2 * hour],
  ['two hours fast', 2 * hour],
  ['three days slow', -72 * hour],
  ['five days fast', 120 * hour],
])('a clock that is %s costs no exchange', async (_, offset) => {
  const before = Date.now();
  const { client } = clientFor('alice', { now: () => Date.now() + offset });
  const ticket = await client.serviceTicket(files);
  expect(client.exchanges).toBe(3);
  expect(Math.abs((await client.status()).clockDifferenceMs + offset)).toBeLessThan(5_000);
  expect(ticket.startTime).toBeGreaterThan(before - 5_000);
  // The process's own clock is unchanged.
  expect(Date.now() - before).toBeLessThan(60_000);
});

test('a clock that jumps between two tickets costs one more exchange', async () => {
  let offset = 0;
  const { client } = clientFor('alice', { now: () => Date.now() + offset });
  await client.serviceTicket(files);
  offset = -2 * hour;
  await client.serviceTicket('cifs/fs17.firma.test');
  // The TGS returns error 37, and the request is sent again.
  expect(client.exchanges).toBe(5);
});

test('a ticket of twenty seconds is used for fifteen, renewed while it is valid, and replaced after it expires', async () => {
  let offset = 0;
  const { client, trace } = clientFor('short', { now: () => Date.now() + offset });
  await client.serviceTicket(files);
  await client.serviceTicket(files);
  expect(client.exchanges).toBe(3);
  offset = 17_000;
  await client.serviceTicket(files);
  // One exchange renews the ticket, one is for the service.
  expect(client.exchanges).toBe(5);
  expect(trace.filter((what) => what.startsWith('AS'))).toHaveLength(1);
  offset = 60_000;
  await client.serviceTicket(files);
  expect(client.exchanges).toBe(8);
  expect(trace.filter((what) => what.startsWith('AS'))).toHaveLength(2);
});

test('after a realm changes its own key, the client replaces its ticket-granting ticket with the same password', async () => {
  const { client } = clientFor('alice');
  await client.serviceTicket(files);
  await realm.admin('cpw -randkey krbtgt/FIRMA.TEST');
  await client.serviceTicket('cifs/fs18.firma.test');
  // The rejected exchange, two for the account, one for the service.
  expect(client.exchanges).toBe(7);
});

test('when the first KDC is dead, the next one is used and remains first', async () => {
  const dead = await closedPort();
  ends.push(() => dead.release());
  const [alive] = realm.kdcs['FIRMA.TEST']!;
  const kdcs = { 'FIRMA.TEST': [{ host: '127.0.0.1', port: dead.port }, alive!] };
  const { client } = clientFor('alice', { kdcs });
  await client.serviceTicket(files);
  expect(client.exchanges).toBe(3);
  expect((await client.status()).kdc).toBe(`127.0.0.1:${realm.port}`);
});

test('when the only KDC is dead, the error is temporary', async () => {
  const { client } = clientFor('alice');
  await realm.suspend();
  const error = await rejected(client.serviceTicket(files), 'KDC_UNREACHABLE');
  expect(error.message).toContain(`127.0.0.1:${realm.port}`);
  await realm.resume();
  await client.serviceTicket(files);
});

describe('KDCs by DNS', () => {
  const records = (port: number) => [{ priority: 0, weight: 100, port, host: 'localhost' }];

  test.each([
    ['as Active Directory lists them', '_kerberos._tcp.dc._msdcs.firma.test', 1],
    ['as every realm may', '_kerberos._tcp.firma.test', 2],
  ])('%s', async (_, name, questions) => {
    const dns = await ScriptedDns.start({ zone: { [name]: records(realm.port) } });
    ends.push(() => dns.stop());
    const { client } = clientFor('alice', { kdcs: {}, dns: { servers: [dns.address] } });
    await client.serviceTicket(files);
    expect(await client.status()).toMatchObject({ kdc: `localhost:${realm.port}`, kdcFoundBy: 'DNS' });
    // Looked up once for all exchanges.
    expect(dns.questions.udp).toBe(questions);
  });

  test('another realm that a referral leads to', async () => {
    const zone = { '_kerberos._tcp.werk.test': records(plant.port) };
    const dns = await ScriptedDns.start({ zone });
    ends.push(() => dns.stop());
    const { client } = clientFor('alice', { kdcs: realm.kdcs, dns: { servers: [dns.address] } });
    expect((await client.serviceTicket('cifs/files.werk.test')).realm).toBe('WERK.TEST');
  });

  test('a DNS server without KDC records', async () => {
    const dns = await ScriptedDns.start({ zone: {} });
    ends.push(() => dns.stop());
    const { client } = clientFor('alice', { kdcs: {}, dns: { servers: [dns.address] } });
    const error = await rejected(client.serviceTicket(files), 'KDC_UNREACHABLE');
    expect(error.message).toContain('_kerberos._tcp.firma.test');
  });
});

test('a ticket is returned again while the KDC is down', async () => {
  const { client } = clientFor('alice');
  const ticket = await client.serviceTicket(files);
  await realm.suspend();
  try {
    expect(await client.serviceTicket(files)).toEqual(ticket);
  } finally {
    await realm.resume();
  }
});

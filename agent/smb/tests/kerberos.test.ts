import { readFile } from 'node:fs/promises';
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { readKeytab } from '../kerberos/index.ts';
import {
  type AccountOptions,
  type Cipher,
  SmbAccount,
  SmbClient,
  type SmbError,
  type SmbOptions,
  type TraceEvent,
} from '../index.ts';
import type { Samba } from './samba/samba.ts';
import { startSamba } from './support/samba.ts';
import { MitRealm } from './support/realm/mit-realm.ts';
import { startKerberosSamba } from './support/realm/kerberos-samba.ts';
import { closedPort } from './support/closed-port.ts';
import { until } from './support/until.ts';
import { type Contract, bytesOf, callContract, rejection } from './contract/index.ts';
import { requires } from './support/requires.ts';

const { describe, test } = requires('samba', 'MIT Kerberos');

// An smbd that accepts only Kerberos, in a realm of MIT's KDC.

const host = 'files.firma.test';
const second = 'archive.firma.test';
const password = 'Geheim-4711';
const ciphers: readonly Cipher[] = ['AES-128-GCM', 'AES-128-CCM', 'AES-256-GCM', 'AES-256-CCM'];
const encryptionTypes = [17, 18, 19, 20];

let realm: MitRealm;
let samba: Samba;
const ends: (() => Promise<void>)[] = [];

beforeAll(async () => {
  realm = await MitRealm.start({
    accounts: [
      `addprinc -pw ${password} alice`,
      `addprinc -pw ${password} -maxlife 3sec short`,
      `addprinc -pw ${password} -allow_tix disabled`,
      'addprinc -randkey agent',
      `addprinc -randkey cifs/${host}`,
      `addprinc -randkey cifs/${second}`,
      'addprinc -randkey cifs/unknown.firma.test',
      'addprinc -randkey cifs/workgroup.firma.test',
    ],
  });
  samba = await startKerberosSamba(realm, host, ['alice', 'agent', 'short']);
});
afterAll(async () => {
  await samba?.stop();
  await realm?.stop();
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const kerberosOf = (username = 'alice') => ({
  realm: realm.realm,
  username,
  secret: { password },
  kdcs: realm.kdcs,
});
const accountOf = (username = 'alice') =>
  new SmbAccount({ mechanism: 'kerberos', kerberos: kerberosOf(username) });

function clientOf(account: SmbAccount, options: Partial<SmbOptions> = {}): SmbClient {
  const client = new SmbClient({ host, address: samba.host, port: samba.port, account, ...options });
  ends.push(() => client.close());
  return client;
}

describe('with the usual settings', () => {
  let contract: Contract;
  beforeAll(() => {
    const client = new SmbClient({
      host,
      address: samba.host,
      port: samba.port,
      account: accountOf(),
      encryption: 'required',
      minimumDialect: '3.1.1',
    });
    contract = {
      client,
      template: client.share(samba.templateShare),
      projects: client.share(samba.projectShare),
      templateFolder: samba.templateFolder,
      projectFolder: samba.projectFolder,
      copiesOnServer: true,
    };
  });
  afterAll(() => contract.client.close());
  // After the logon, the frames are those of any other session.
  callContract(() => contract);

  test('the tests above shared one encrypted connection', async () => {
    expect(contract.client.traffic.connections).toBe(1);
    expect(await contract.client.connect()).toMatchObject({ mechanism: 'Kerberos', cipher: 'AES-128-GCM' });
  });
});

describe.each(encryptionTypes)('a ticket of encryption type %i', (type) => {
  test.each(ciphers)('with the cipher %s', async (cipher) => {
    const kerberos = { ...kerberosOf(), encryptionTypes: [type] };
    const account = new SmbAccount({ mechanism: 'kerberos', kerberos });
    const client = clientOf(account, { ciphers: [cipher], encryption: 'required' });
    const projects = client.share(samba.projectShare);
    const name = `${type} ${cipher}`;
    expect(await projects.publish(name, bytesOf(100_000))).toBe('created');
    expect((await projects.readFile(name)).equals(bytesOf(100_000))).toBe(true);
    expect(await client.connect()).toMatchObject({ cipher, mechanism: 'Kerberos' });
  });
});

describe('without encryption, and with older dialects', () => {
  let signed: Samba;
  beforeAll(async () => {
    signed = await startKerberosSamba(realm, second, ['alice'], {
      globalLines: ['server smb encrypt = off'],
    });
  });
  afterAll(() => signed?.stop());

  test.each(['HMAC-SHA256', 'AES-128-CMAC', 'AES-128-GMAC'] as const)('signed with %s', async (algorithm) => {
    const options = { host: second, port: signed.port, signingAlgorithms: [algorithm] };
    const client = clientOf(accountOf(), options);
    expect((await client.share(signed.projectShare).stat('')).isDirectory()).toBe(true);
    expect(await client.connect()).toMatchObject({
      signing: algorithm,
      cipher: undefined,
      mechanism: 'Kerberos',
    });
  });

  test.each(['2.1', '3.0', '3.0.2'] as const)('dialect %s', async (dialect) => {
    const options = { host: second, port: signed.port, minimumDialect: '2.1', dialects: [dialect] } as const;
    const client = clientOf(accountOf(), options);
    expect((await client.share(signed.projectShare).stat('')).isDirectory()).toBe(true);
    expect(await client.connect()).toMatchObject({ dialect });
  });

  test.each(['3.0', '3.0.2'] as const)('dialect %s, encrypted', async (dialect) => {
    const client = clientOf(accountOf(), { dialects: [dialect], encryption: 'required' });
    await client.share(samba.projectShare).stat('');
    expect(await client.connect()).toMatchObject({ dialect, cipher: 'AES-128-CCM' });
  });

  test('two servers of one account share one logon at the realm and get a ticket each', async () => {
    const account = accountOf();
    const clients = [clientOf(account), clientOf(account, { host: second, port: signed.port })];
    await Promise.all(clients.map((client) => client.connect()));
    expect(account.kerberos!.exchanges).toBe(4);
  });
});

test('a keytab replaces the password', async () => {
  const keytab = readKeytab(await readFile(await realm.keytab('agent')));
  const kerberos = { ...kerberosOf('agent'), secret: { keytab } };
  const client = clientOf(new SmbAccount({ mechanism: 'kerberos', kerberos }));
  await client.share(samba.projectShare).stat('');
});

test('the host name is case-insensitive', async () => {
  const client = clientOf(accountOf(), { host: host.toUpperCase() });
  await client.share(samba.projectShare).stat('');
});

test('a server registered under another name', async () => {
  const account = new SmbAccount({
    mechanism: 'kerberos',
    kerberos: kerberosOf(),
    servicePrincipalHost: () => host,
  });
  await clientOf(account, { host: 'alias.firma.test' }).share(samba.projectShare).stat('');
});

test('with a ticket lifetime of three seconds, the session is replaced before it ends and no call fails', async () => {
  const trace: TraceEvent[] = [];
  const client = clientOf(accountOf('short'), { trace: (event) => trace.push(event) });
  const projects = client.share(samba.projectShare);
  await until(
    'a second connection',
    async () => {
      await projects.stat('');
      return client.traffic.connections;
    },
    (connections) => connections >= 3,
  );
  const statuses = trace.filter(({ what }) => what !== 'SESSION_SETUP').map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([undefined, 'SUCCESS']));
});

test('a file held open until its ticket expires loses its connection, and the next call opens a new one', async () => {
  const client = clientOf(accountOf('short'));
  const projects = client.share(samba.projectShare);
  const name = `held ${process.hrtime.bigint()}`;
  const file = await projects.open(name, 'wx');
  const outcome = await until(
    'the server ends the session',
    () =>
      file.read(Buffer.alloc(1), 0, 1, 0).then(
        () => undefined,
        (error: SmbError) => error,
      ),
    (error) => error !== undefined,
  );
  expect(outcome).toMatchObject({ code: 'CONNECTION_LOST', retryable: true });
  expect((await projects.stat('')).isDirectory()).toBe(true);
  expect(client.traffic.connections).toBeGreaterThan(1);
});

test('a server whose clock differs costs a second request and then requires the checksums', async () => {
  let offset = 0;
  const trace: TraceEvent[] = [];
  const kerberos = { ...kerberosOf(), now: () => Date.now() + offset };
  const account = new SmbAccount({ mechanism: 'kerberos', kerberos });
  const first = clientOf(account);
  await first.connect();
  // From here on, this machine's clock is two hours slow. The tickets are in memory, so the realm gets no request.
  offset = -2 * 3_600_000;
  const client = clientOf(account, { trace: (event) => trace.push(event) });
  await client.share(samba.projectShare).stat('');
  const legs = trace.filter(({ what, direction }) => what === 'SESSION_SETUP' && direction === 'sent');
  expect(legs.length).toBeGreaterThan(1);
  expect(Math.abs(account.kerberos!.clock.differenceMs)).toBeLessThan(5_000);
});

describe('rejections', () => {
  test('a wrong password is tried once for all servers of the account', async () => {
    const kerberos = { ...kerberosOf(), secret: { password: 'falsch' } };
    const account = new SmbAccount({ mechanism: 'kerberos', kerberos });
    const clients = [host, second, 'third.firma.test'].map((name) => clientOf(account, { host: name }));
    for (const client of clients) {
      const error = await rejection(client.connect(), 'LOGON_REJECTED');
      expect(error.message).toContain('KDC_ERR_PREAUTH_FAILED');
      expect(error.retryable).toBe(false);
      expect(inspect([error, client, account], { depth: 12 })).not.toContain('falsch');
    }
    expect(account.kerberos!.exchanges).toBe(2);
    // Nothing was sent to any of the servers.
    expect(clients.map(({ traffic }) => traffic.bytesSent)).toEqual([0, 0, 0]);
    clients[0]!.forgetRejectedLogon();
    await rejection(clients[1]!.connect(), 'LOGON_REJECTED');
    expect(account.kerberos!.exchanges).toBe(4);
  });

  test('a disabled account', async () => {
    await rejection(clientOf(accountOf('disabled')).connect(), 'LOGON_REJECTED');
  });

  test('a server unknown to the realm fails permanently; other servers are unaffected', async () => {
    const account = accountOf();
    const client = clientOf(account, { host: 'nobody.firma.test' });
    const error = await rejection(client.connect(), 'KERBEROS_UNAVAILABLE');
    expect(error.retryable).toBe(false);
    expect(error.message).toContain('cifs/nobody.firma.test');
    const { exchanges } = account.kerberos!;
    await rejection(client.connect(), 'KERBEROS_UNAVAILABLE');
    expect(account.kerberos!.exchanges).toBe(exchanges);
    await clientOf(account).connect();
  });

  test('a server that lacks the key that the realm has for it', async () => {
    const error = await rejection(
      clientOf(accountOf(), { host: 'unknown.firma.test' }).connect(),
      'KERBEROS_UNAVAILABLE',
    );
    expect(error.message).toContain('cifs/unknown.firma.test');
    expect(error.retryable).toBe(true);
  });

  test('no KDC replies', async () => {
    const dead = await closedPort();
    ends.push(() => dead.release());
    const kdcs = { [realm.realm]: [{ host: '127.0.0.1', port: dead.port }] };
    const account = new SmbAccount({ mechanism: 'kerberos', kerberos: { ...kerberosOf(), kdcs } });
    const error = await rejection(clientOf(account).connect(), 'KERBEROS_UNAVAILABLE');
    expect(error.retryable).toBe(true);
  });

  test('a client aborted while a KDC is silent', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const requested = Promise.withResolvers<void>();
    const kerberos = {
      ...kerberosOf(),
      signal,
      connect: () => {
        requested.resolve();
        return new Promise<never>(() => undefined);
      },
    };
    const account = new SmbAccount({ mechanism: 'kerberos', kerberos });
    const connecting = clientOf(account, { signal }).connect();
    await requested.promise;
    controller.abort();
    await rejection(connecting, 'ABORTED');
  });
});

test('the error for NTLM names the mechanism that the server offers instead', async () => {
  const client = new SmbClient({ host, address: samba.host, port: samba.port, username: 'alice', password });
  ends.push(() => client.close());
  const error = await rejection(client.connect());
  expect(['LOGON_REJECTED', 'NTLM_UNAVAILABLE']).toContain(error.code);
  expect(error.message).toContain('Kerberos');
});

describe('negotiate', () => {
  let workgroup: Samba;
  beforeAll(async () => {
    workgroup = await startSamba();
  });
  afterAll(() => workgroup?.stop());

  function negotiating(kerberos: Partial<ReturnType<typeof kerberosOf>> = {}) {
    const fallbacks: string[] = [];
    const { user, password: secret, domain } = workgroup.account;
    const options: AccountOptions = {
      mechanism: 'negotiate',
      kerberos: { ...kerberosOf(), ...kerberos },
      ntlm: { domain, username: user, password: secret },
      onFallback: (name, reason) => fallbacks.push(`${name}: ${reason.message}`),
    };
    const account = new SmbAccount(options);
    const at = (name: string, server: Samba) => clientOf(account, { host: name, port: server.port });
    return { account, fallbacks, at };
  }

  test('Kerberos where the realm has the server', async () => {
    const { at, fallbacks } = negotiating();
    expect(await at(host, samba).connect()).toMatchObject({ mechanism: 'Kerberos' });
    expect(fallbacks).toEqual([]);
  });

  test('NTLM where the realm does not have the server; the fallback is reported', async () => {
    const { at, fallbacks } = negotiating();
    expect(await at('nas.firma.test', workgroup).connect()).toMatchObject({ mechanism: 'NTLM' });
    expect(fallbacks).toEqual([expect.stringContaining('nas.firma.test: cifs/nas.firma.test@FIRMA.TEST')]);
  });

  test('NTLM for an address, and where no KDC replies', async () => {
    const { at, fallbacks } = negotiating();
    expect(await at('127.0.0.1', workgroup).connect()).toMatchObject({ mechanism: 'NTLM' });
    const dead = await closedPort();
    ends.push(() => dead.release());
    const alone = negotiating({ kdcs: { [realm.realm]: [{ host: '127.0.0.1', port: dead.port }] } });
    expect(await alone.at(host, workgroup).connect()).toMatchObject({ mechanism: 'NTLM' });
    expect([...fallbacks, ...alone.fallbacks]).toHaveLength(2);
  });

  test('no fallback after an error about the account, nor for a server of the realm that rejects the ticket', async () => {
    const wrong = negotiating({ secret: { password: 'falsch' } });
    await rejection(wrong.at(host, workgroup).connect(), 'LOGON_REJECTED');
    const { at, fallbacks } = negotiating();
    // This server is in the realm but accepts only NTLM.
    await rejection(at('workgroup.firma.test', workgroup).connect(), 'KERBEROS_UNAVAILABLE');
    expect([...wrong.fallbacks, ...fallbacks]).toEqual([]);
  });
});

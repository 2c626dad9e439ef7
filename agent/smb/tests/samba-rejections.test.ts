import { mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { SmbClient, type SmbOptions, type TraceEvent } from '../index.ts';
import type { Samba } from './samba/samba.ts';
import { startSamba } from './support/samba.ts';
import { closedPort } from './support/closed-port.ts';
import { DelayProxy } from './support/delay-proxy.ts';
import { bytesOf, rejection } from './contract/index.ts';
import { clientOptions } from './samba-client.ts';
import { requires } from './support/requires.ts';

const { describe, test } = requires('samba');

let samba: Samba;
beforeAll(async () => {
  samba = await startSamba();
});
afterAll(() => samba?.stop());

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  for (const folder of [samba.templateFolder, samba.projectFolder])
    for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true });
});

async function proxied(): Promise<DelayProxy> {
  const proxy = await DelayProxy.start(samba.port);
  ends.push(() => proxy.stop());
  return proxy;
}

function clientOf(options: Partial<SmbOptions> = {}): SmbClient {
  const client = new SmbClient({ ...clientOptions(samba), ...options });
  ends.push(() => client.close());
  return client;
}

test.each([
  ['SMB 1 only', ['server min protocol = NT1', 'server max protocol = NT1']],
  ['no process left', ['max smbd processes = 1']],
])(
  'a server with %s closes the connection at the first message, and the error lists possible reasons',
  async (_, globalLines) => {
    await samba.reconfigure({ globalLines });
    const error = await rejection(clientOf().connect(), 'CONNECTION_LOST');
    expect(error).toMatchObject({ operation: 'negotiate', retryable: true });
    expect(error.message).toMatch(
      /closes the connection at the first message.*max smbd processes.*only SMB 1/,
    );
  },
);

describe('logon', () => {
  test('a rejected password is reported and never sent again automatically', async () => {
    await samba.reconfigure();
    const proxy = await proxied();
    const client = clientOf({ port: proxy.port, password: 'wrong-Secret-1' });
    const share = client.share(samba.projectShare);
    const error = await rejection(client.connect(), 'LOGON_REJECTED');
    expect(error.statusName).toBe('LOGON_FAILURE');
    expect(error.status).toBe(0xc000006d);
    expect(error.retryable).toBe(false);
    await Promise.all(Array.from({ length: 10 }, () => rejection(share.stat(''), 'LOGON_REJECTED')));
    await rejection(share.publish('x', bytesOf(10)), 'LOGON_REJECTED');
    expect(proxy.counters.connections).toBe(1);
    client.forgetRejectedLogon();
    await rejection(share.stat(''), 'LOGON_REJECTED');
    expect(proxy.counters.connections).toBe(2);
  });

  test('concurrent first calls share one logon, even a rejected one', async () => {
    await samba.reconfigure();
    const proxy = await proxied();
    const right = clientOf({ port: proxy.port });
    const share = right.share(samba.projectShare);
    await Promise.all(Array.from({ length: 20 }, () => share.stat('')));
    expect(proxy.counters.connections).toBe(1);
    const wrong = clientOf({ port: proxy.port, password: 'wrong' });
    const rejections = Array.from({ length: 20 }, () => wrong.share(samba.projectShare).stat(''));
    await Promise.all(rejections.map((call) => rejection(call, 'LOGON_REJECTED')));
    expect(proxy.counters.connections).toBe(2);
  });

  test('an unknown account is rejected', async () => {
    await samba.reconfigure();
    await rejection(clientOf({ username: 'nobody-knows' }).connect(), 'LOGON_REJECTED');
  });

  test('a server that would admit an unknown account as guest is rejected', async () => {
    await samba.reconfigure({ globalLines: ['map to guest = Bad User'] });
    await rejection(clientOf({ username: 'nobody-knows' }).connect(), 'GUEST_SESSION');
  });

  test('a server without NTLM is reported as requiring Kerberos', async () => {
    await samba.reconfigure({ globalLines: ['ntlm auth = disabled'] });
    const error = await rejection(clientOf().connect(), 'NTLM_UNAVAILABLE');
    expect(error.message).toMatch(/Kerberos/);
  });

  test('no password appears in an error, the printed client, or the trace', async () => {
    await samba.reconfigure();
    const trace: TraceEvent[] = [];
    const password = 'A very Secret-1';
    const client = clientOf({ password, trace: (event) => trace.push(event) });
    const error = await rejection(client.connect(), 'LOGON_REJECTED');
    const everything = `${inspect(error, { depth: 9 })}${JSON.stringify(error)}${inspect(client, { depth: 9 })}`;
    expect(everything).not.toContain(password);
    expect(trace.map((event) => event.what)).toContain('SESSION_SETUP');
    expect(inspect(trace, { depth: 9 })).not.toContain(password);
  });
});

describe('what the client rejects', () => {
  test.each([
    [
      'SMB 2.0.2',
      ['server min protocol = SMB2_02', 'server max protocol = SMB2_02'],
      { minimumDialect: '2.1' },
    ],
    ['SMB 2.1 without the opt-in', ['server max protocol = SMB2_10'], {}],
    ['SMB 3.0.2 where 3.1.1 is required', ['server max protocol = SMB3_02'], { minimumDialect: '3.1.1' }],
  ] as const)('a server that offers %s only', async (_, globalLines, options) => {
    await samba.reconfigure({ globalLines });
    const error = await rejection(clientOf(options).connect(), 'DIALECT_REJECTED');
    expect(error.retryable).toBe(false);
  });

  test.each([
    ['3.1.1', ['smb encrypt = off'], {}],
    ['3.0', ['server max protocol = SMB3_00', 'smb encrypt = off'], {}],
    ['2.1', ['server max protocol = SMB2_10'], { minimumDialect: '2.1' }],
  ] as const)(
    'a %s server without encryption, where encryption is required',
    async (_, globalLines, options) => {
      await samba.reconfigure({ globalLines });
      await rejection(clientOf({ ...options, encryption: 'required' }).connect(), 'ENCRYPTION_UNAVAILABLE');
    },
  );

  test('a share that must be encrypted, over a dialect without encryption', async () => {
    await samba.reconfigure({
      globalLines: ['server max protocol = SMB2_10'],
      projectLines: ['smb encrypt = required'],
    });
    const client = clientOf({ minimumDialect: '2.1' });
    const error = await rejection(client.share(samba.projectShare).stat(''));
    expect(['ENCRYPTION_UNAVAILABLE', 'EACCES']).toContain(error.code);
    expect((await client.share(samba.templateShare).stat('')).isDirectory()).toBe(true);
  });
});

describe('what the server rejects', () => {
  test('a share that does not exist is named, and the others remain usable', async () => {
    await samba.reconfigure();
    const client = clientOf();
    const error = await rejection(client.share('no-such-share').list(''), 'SHARE_NOT_FOUND');
    expect(error.path).toContain('no-such-share');
    expect(error.statusName).toBe('BAD_NETWORK_NAME');
    expect(await client.share(samba.projectShare).list('')).toEqual([]);
  });

  test('a share that denies this account', async () => {
    await samba.reconfigure({ projectLines: ['valid users = somebody-else'] });
    const error = await rejection(clientOf().share(samba.projectShare).list(''), 'EACCES');
    expect(error.retryable).toBe(false);
  });

  test('a read-only share can be read and accepts no changes', async () => {
    await samba.reconfigure({ projectLines: ['read only = yes'] });
    await writeFile(join(samba.templateFolder, 'source'), bytesOf(100));
    await writeFile(join(samba.projectFolder, 'file'), bytesOf(100));
    const client = clientOf();
    const projects = client.share(samba.projectShare);
    expect(await projects.connect()).toEqual({ writable: false, isDfs: false });
    expect((await projects.readFile('file')).equals(bytesOf(100))).toBe(true);
    const source = { share: client.share(samba.templateShare), path: 'source', size: 100 };
    for (const call of [
      () => projects.ensureDirectory('new'),
      () => projects.publish('new', bytesOf(10)),
      () => projects.publish('new', bytesOf(2_000_000)),
      () => projects.copyFile(source, 'new', { replace: false }),
      () => projects.rm('file'),
      () => projects.rename('file', 'other'),
      () => projects.setInfo('file', { attributes: 1 }),
    ]) {
      const error = await rejection(call());
      expect(['EACCES', 'EROFS']).toContain(error.code);
      expect(error.retryable).toBe(false);
    }
    expect(await readdir(samba.projectFolder)).toEqual(['file']);
  });

  requires('root').test('a directory without permission (needs root to set it up)', async () => {
    await samba.reconfigure({ projectLines: ['force user = daemon'] });
    await mkdir(join(samba.projectFolder, 'private'), { mode: 0o700 });
    const projects = clientOf().share(samba.projectShare);
    const error = await rejection(projects.publish('private\\file', bytesOf(10)), 'EACCES');
    expect(error.path).toContain('private\\file');
  });

  test('a DFS link is listed as a link, and the error on its use names its target', async () => {
    await samba.reconfigure({
      globalLines: ['host msdfs = yes'],
      projectLines: ['msdfs root = yes'],
    });
    await symlink('msdfs:fileserver2\\projekte', join(samba.projectFolder, 'link'));
    await mkdir(join(samba.projectFolder, 'plain'));
    const projects = clientOf().share(samba.projectShare);
    expect((await projects.connect()).isDfs).toBe(true);
    const link = (await projects.list('')).find((entry) => entry.name === 'link');
    expect(link?.isReparsePoint()).toBe(true);
    expect(await projects.ensureDirectory('plain\\sub')).toBe('created');
    for (const call of [() => projects.list('link'), () => projects.publish('link\\file', bytesOf(10))]) {
      const error = await rejection(call(), 'DFS_LINK');
      expect(error.message).toContain('fileserver2\\projekte');
    }
  });

  test('a port without a server is reported as CONNECT_FAILED', async () => {
    const { port, release } = await closedPort();
    ends.push(release);
    const client = new SmbClient({ host: '127.0.0.1', port, username: 'user', password: 'password' });
    ends.push(() => client.close());
    const error = await rejection(client.connect(), 'CONNECT_FAILED');
    expect(error.retryable).toBe(true);
  });

  test('a server that does not accept this address', async () => {
    await samba.reconfigure({ globalLines: ['hosts deny = ALL'] });
    await rejection(clientOf().connect(), 'CONNECT_FAILED');
  });
});

import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { generate } from 'selfsigned';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { serviceVerdict } from '../../agent/base/failure.ts';
import { ServiceClient } from '../../agent/claims/service-client.ts';
import { ServiceFailure } from '../../agent/base/service-failure.ts';
import { readAgentSettings } from '../../agent/settings/settings.ts';
import { systemClock } from '../../lib/contract/clock.ts';
import { type Environment, SettingsError } from '../../lib/contract/settings-table.ts';
import { FakeFolderService } from '../support/fake-folder-service.ts';
import { closedPort } from '../../agent/smb/tests/support/closed-port.ts';
import { Squid, proxiedHost } from '../support/squid.ts';
import { until } from '../../agent/smb/tests/support/until.ts';
import { requires } from '../../agent/smb/tests/support/requires.ts';

const { describe, test } = requires('squid');

const account = { user: 'FIRMA\\svc@proxy', password: 'p:ä/ss%word' };
const credentials = `${encodeURIComponent(account.user)}:${encodeURIComponent(account.password)}`;

let service: FakeFolderService;
let folder: string;
let bundle: string;
let open: Squid;
let closed: Squid;
let overTls: Squid;
const cleanups: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  const certificateFor = (names: readonly string[]) =>
    generate([{ name: 'commonName', value: names[0] as string }], {
      extensions: [
        {
          name: 'subjectAltName',
          altNames: [
            ...names.map((value) => ({ type: 2 as const, value })),
            { type: 7 as const, ip: '127.0.0.1' },
          ],
        },
      ],
    });
  const { private: key, cert } = await certificateFor([proxiedHost, 'localhost']);
  const ofProxy = await certificateFor(['localhost']);
  folder = await mkdtemp(join(tmpdir(), 'agent-proxy-'));
  bundle = join(folder, 'ca.pem');
  await writeFile(bundle, `${cert}\n${ofProxy.cert}\n`);
  service = await FakeFolderService.start({ tls: { key, cert } });
  [open, closed, overTls] = await Promise.all([
    Squid.start(),
    Squid.start({ account }),
    Squid.start({ tls: { key: ofProxy.private, cert: ofProxy.cert } }),
  ]);
});
afterAll(async () => {
  await Promise.all([open.stop(), closed.stop(), overTls.stop(), service.stop()]);
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const settingsOf = (env: Environment, host = proxiedHost) =>
  readAgentSettings(
    {
      FOLDER_AGENT_API_BASE_URL: `https://${host}:${service.port}`,
      FOLDER_AGENT_API_KEY: service.key,
      FOLDER_AGENT_CA_BUNDLE_PATH: bundle,
      FOLDER_AGENT_SMB_SERVER: 'fs',
      FOLDER_AGENT_SMB_USERNAME: 'u',
      FOLDER_AGENT_SMB_PASSWORD: 'p',
      FOLDER_AGENT_TEMPLATE_PATH: '\\\\fs\\t',
      ...env,
    },
    'host',
  );

function client(env: Environment, host?: string): ServiceClient {
  const made = new ServiceClient(settingsOf(env, host).service, '1.2.3', systemClock);
  cleanups.push(async () => made.close());
  return made;
}

async function failureOf(call: Promise<unknown>): Promise<ServiceFailure> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ServiceFailure)) throw new Error(`no ServiceFailure but ${String(error)}`);
  return error;
}

describe('the service is called through the proxy', () => {
  test.each(['FOLDER_AGENT_PROXY_URL', 'HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'])(
    'from %s',
    async (variable) => {
      // Only the proxy can resolve the name.
      const through = client({ [variable]: `http://127.0.0.1:${open.port}` });
      expect(await through.claim()).toBeNull();
    },
  );

  test('when its URL lacks http://', async () => {
    expect(await client({ HTTPS_PROXY: `127.0.0.1:${open.port}` }).claim()).toBeNull();
  });

  test('with a user and password that contain any characters', async () => {
    const url = `http://${credentials}@127.0.0.1:${closed.port}`;
    expect(await client({ FOLDER_AGENT_PROXY_URL: url }).claim()).toBeNull();
  });

  test('over TLS, with the proxy’s certificate authority in the bundle', async () => {
    expect(await client({ HTTPS_PROXY: `https://localhost:${overTls.port}` }).claim()).toBeNull();
  });

  test('when NO_PROXY names other hosts and ports only', async () => {
    const env = { HTTPS_PROXY: `http://127.0.0.1:${open.port}`, NO_PROXY: `rma.test, ${proxiedHost}:1` };
    expect(await client(env).claim()).toBeNull();
  });

  test('from the agent’s own setting, whatever the common variables contain', async () => {
    const env = { HTTPS_PROXY: 'http://127.0.0.1:1', NO_PROXY: '*' };
    const url = `http://127.0.0.1:${open.port}`;
    expect(await client({ ...env, FOLDER_AGENT_PROXY_URL: url }).claim()).toBeNull();
  });
});

describe('the proxy is not used', () => {
  test.each(['127.0.0.1', 'localhost'])('for %s', async (host) => {
    const { port, release } = await closedPort();
    cleanups.push(release);
    const direct = client({ FOLDER_AGENT_PROXY_URL: `http://127.0.0.1:${port}` }, host);
    expect(await direct.claim()).toBeNull();
  });

  test.each([
    ['NO_PROXY', 'firma.test'],
    ['no_proxy', 'other.example, .firma.test'],
    ['NO_PROXY', '*.firma.test:PORT'],
    ['NO_PROXY', '*'],
  ])('for the hosts in %s=%s', async (variable, value) => {
    const names = value.replace('PORT', String(service.port));
    const env = { HTTPS_PROXY: `http://127.0.0.1:${open.port}`, [variable]: names };
    expect((await failureOf(client(env).claim())).message).toMatch(/ENOTFOUND|EAI_AGAIN/);
  });
});

describe('a proxy that opens no tunnel is reported with the cause', () => {
  const failureThrough = async (env: Environment, host?: string) => {
    const failure = await failureOf(client(env, host).claim());
    expect([failure.kind, serviceVerdict(failure)]).toEqual(['unreachable', 'again']);
    return failure;
  };

  test('when it requires a user', async () => {
    const { message } = await failureThrough({ HTTPS_PROXY: `http://127.0.0.1:${closed.port}` });
    expect(message).toContain(`the proxy http://127.0.0.1:${closed.port} (HTTPS_PROXY) responded 407`);
    expect(message).toContain('Set FOLDER_AGENT_PROXY_URL to http://user:password@host:port');
  });

  test('when it rejects the password, which is not retried soon and not shown', async () => {
    const url = `http://svc:wrong-7193@127.0.0.1:${closed.port}`;
    const failure = await failureThrough({ FOLDER_AGENT_PROXY_URL: url });
    expect(failure.message).toContain('responded 407: it rejects the user or the password');
    expect(failure.retryAfterMs).toBe(900_000);
    expect(inspect(failure, { depth: 9 })).not.toContain('wrong-7193');
  });

  test.each([
    ['Negotiate, NTLM', /sign in by Negotiate or NTLM only/],
    ['Negotiate', /sign in by Negotiate only/],
    ['Digest realm="a, basic b", nonce="Basic x"', /sign in by Digest only/],
    ['NTLM, Basic realm="x"', /rejects the user or the password/],
  ])('when it offers %s', async (offered, says) => {
    const proxy = createServer((socket) => {
      socket.on('error', () => undefined);
      const head = `HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: ${offered}`;
      socket.once('data', () => socket.end(`${head}\r\nContent-Length: 0\r\n\r\n`));
    }).listen(0, '127.0.0.1');
    cleanups.push(async () => proxy.close());
    await once(proxy, 'listening');
    const url = `http://${credentials}@127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const { message, retryAfterMs } = await failureThrough({ FOLDER_AGENT_PROXY_URL: url });
    expect(message).toMatch(says);
    // Each further try may lock the account.
    expect(retryAfterMs).toBe(900_000);
  });

  test('when it denies the address', async () => {
    const env = { HTTPS_PROXY: `http://${credentials}@127.0.0.1:${open.port}` };
    const { message, retryAfterMs } = await failureThrough(env, 'closed.firma.test');
    expect(message).toContain(`responded 403: it denies access to closed`);
    expect(retryAfterMs).toBeUndefined();
  });

  test('when its certificate is from an unknown authority', async () => {
    const env = { HTTPS_PROXY: `https://localhost:${overTls.port}`, FOLDER_AGENT_CA_BUNDLE_PATH: '' };
    const { message } = await failureThrough(env);
    expect(message).toContain(
      `the proxy https://localhost:${overTls.port} (HTTPS_PROXY) cannot be reached: `,
    );
    expect(message).toContain('Set FOLDER_AGENT_CA_BUNDLE_PATH');
  });

  test('when it cannot resolve the address', async () => {
    const env = { HTTPS_PROXY: `http://127.0.0.1:${open.port}` };
    const { message } = await failureThrough(env, 'nowhere.invalid');
    expect(message).toMatch(/responded 50\d: it cannot reach nowhere\.invalid/);
  });

  test('when nothing listens there', async () => {
    const { port, release } = await closedPort();
    cleanups.push(release);
    const { message } = await failureThrough({ HTTPS_PROXY: `http://127.0.0.1:${port}` });
    expect(message).toContain(`ECONNREFUSED 127.0.0.1:${port}`);
  });
});

describe('no connection remains open', () => {
  /** A proxy that keeps every connection, and says this to CONNECT. */
  async function keepingProxy(says = '') {
    const sockets = new Set<Socket>();
    const proxy = createServer((socket) => {
      sockets.add(socket.resume());
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
      socket.write(says);
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    cleanups.push(async () => proxy.close());
    const { port } = proxy.address() as AddressInfo;
    const through = client({ HTTPS_PROXY: `http://127.0.0.1:${port}` });
    const closed = () =>
      until(
        'the end of the connection',
        () => sockets.size,
        (size) => size === 0,
      );
    return { sockets, through, closed };
  }

  test('to a proxy that never responds, which costs the timeout of the call and not the longer one of all', async () => {
    const { sockets, through, closed } = await keepingProxy();
    const startedAt = Date.now();
    const failure = await failureOf(through.claim({ timeoutMs: 200 }));
    expect(failure.message).toBe('no response within 200 ms');
    expect(sockets.size).toBe(1);
    through.close();
    await closed();
    expect(Date.now() - startedAt).toBeLessThan(14_000);
  });

  test('to a proxy that opens no tunnel', async () => {
    const { through, closed } = await keepingProxy('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    expect((await failureOf(through.claim())).message).toContain('responded 502');
    await closed();
  });
});

describe('the settings', () => {
  test.each([
    'socks5://proxy:1080',
    'socks5://proxy:1080/',
    'ftp://proxy',
    'http://:3128',
    'http://%zz@proxy',
    'proxy:99999',
  ])('reject %s without printing it', (value) => {
    expect(() => settingsOf({ HTTPS_PROXY: value })).toThrow(SettingsError);
    expect(() => settingsOf({ HTTPS_PROXY: value })).toThrow(/HTTPS_PROXY: expected http:\/\/host:port/);
    expect(() => settingsOf({ HTTPS_PROXY: value })).not.toThrow(value);
  });

  test('never print the password', () => {
    const settings = settingsOf({ FOLDER_AGENT_PROXY_URL: 'http://svc:hidden-55@proxy:3128' });
    expect(settings.service.proxy).toMatchObject({ shown: 'http://proxy:3128 (FOLDER_AGENT_PROXY_URL)' });
    expect(inspect(settings, { depth: 9 }) + JSON.stringify(settings)).not.toContain('hidden-55');
  });
});

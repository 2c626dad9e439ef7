import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { programPath } from '../../agent/smb/tests/support/needs.ts';
import { freePort } from '../../agent/smb/tests/support/free-port.ts';
import { BoundProcess } from '../../agent/smb/tests/support/bound-process.ts';
import { until } from '../../agent/smb/tests/support/until.ts';

export interface SquidOptions {
  /** The account that clients must use; without it, the proxy is open to all. */
  readonly account?: { readonly user: string; readonly password: string };
  /** Makes it a proxy that clients connect to over TLS. */
  readonly tls?: { readonly key: string; readonly cert: string };
}

/** Every squid here resolves this name to this machine, because programs use no proxy for 127.0.0.1. */
export const proxiedHost = 'service.firma.test';

/** Debian's squid with a separate hosts file; it denies CONNECT to `closed.firma.test`. */
export class Squid {
  readonly #process: BoundProcess;
  readonly port: number;

  private constructor(folder: string, port: number) {
    this.port = port;
    this.#process = new BoundProcess(
      programPath('squid', 'squid'),
      // The service name is part of the names of its shared memory, and two instances with the same name fail if they
      // start at the same time.
      ['-N', '-n', `squid${port}`, '-f', join(folder, 'squid.conf')],
      { logFile: join(folder, 'output.log') },
    );
  }

  static async start({ account, tls }: SquidOptions = {}): Promise<Squid> {
    const folder = await mkdtemp(join(tmpdir(), 'squid-'));
    // If started as root, it runs as the user proxy.
    await chmod(folder, 0o777);
    const file = (name: string) => join(folder, name);
    const port = await freePort();
    await writeFile(file('hosts'), `127.0.0.1 ${proxiedHost} closed.firma.test\n`);
    if (account) {
      const crypt = await promisify(execFile)('openssl', ['passwd', '-apr1', account.password]);
      await writeFile(file('accounts'), `${account.user}:${crypt.stdout}`);
    }
    if (tls) await writeFile(file('tls.pem'), `${tls.cert}\n${tls.key}\n`);
    const rules = account
      ? [
          `auth_param basic program /usr/lib/squid/basic_ncsa_auth ${file('accounts')}`,
          // By default it converts user names to lower case.
          'auth_param basic casesensitive on',
          'acl known proxy_auth REQUIRED',
          'http_access allow known',
        ]
      : ['http_access allow all'];
    const configuration = [
      tls ? `https_port 127.0.0.1:${port} tls-cert=${file('tls.pem')}` : `http_port 127.0.0.1:${port}`,
      'acl closed dstdomain closed.firma.test',
      'http_access deny closed',
      ...rules,
      'http_access deny all',
      `hosts_file ${file('hosts')}`,
      'access_log none',
      `cache_log ${file('cache.log')}`,
      `pid_filename ${file('squid.pid')}`,
      `coredump_dir ${folder}`,
      'cache deny all',
      'cache_mem 0',
      'pinger_enable off',
      'netdb_filename none',
      'visible_hostname squid.firma.test',
      'max_filedescriptors 256',
      'shutdown_lifetime 0 seconds',
    ];
    await writeFile(file('squid.conf'), `${configuration.join('\n')}\n`);
    const squid = new Squid(folder, port);
    await until(
      'squid listens',
      () => readFile(file('cache.log'), 'utf8').catch(() => ''),
      (log) => log.includes('Accepting'),
    );
    return squid;
  }

  async stop(): Promise<void> {
    await this.#process.stop();
    // squid does not remove its shared memory.
    const names = (await readdir('/dev/shm')).filter((name) => name.startsWith(`squid${this.port}-`));
    for (const name of names) await rm(join('/dev/shm', name), { force: true });
  }
}

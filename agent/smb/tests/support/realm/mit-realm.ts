import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { KdcAddress } from '../../../kerberos/index.ts';
import { freePort } from '../free-port.ts';
import { programPath } from '../needs.ts';
import { BoundProcess } from '../bound-process.ts';
import { until } from '../until.ts';

const run = promisify(execFile);
const mitProgram = (name: string) => programPath('MIT Kerberos', name);

export interface MitRealmOptions {
  /** In upper case; the domain is the same name in lower case. */
  readonly realm?: string;
  /** Of every key, strongest first, by MIT's names. */
  readonly encryptionTypes?: readonly string[];
  /** Realms that this one refers to, by their domains. */
  readonly trusts?: readonly string[];
  /** kadmin commands to run before the KDC starts. */
  readonly accounts?: readonly string[];
}

const allTypes = [
  'aes256-cts-hmac-sha384-192',
  'aes256-cts-hmac-sha1-96',
  'aes128-cts-hmac-sha1-96',
  'aes128-cts-hmac-sha256-128',
];

/**
 * A realm of MIT's KDC: a database, a KDC on a free loopback port, and keytabs, as ordinary processes of the current user.
 * It issues tickets without a PAC, because a standalone smbd rejects tickets with one.
 */
export class MitRealm {
  readonly realm: string;
  readonly folder: string;
  readonly #options: MitRealmOptions;
  #port = 0;
  #kdc: BoundProcess | undefined;

  private constructor(folder: string, options: MitRealmOptions) {
    this.folder = folder;
    this.#options = options;
    this.realm = options.realm ?? 'FIRMA.TEST';
  }

  static async start(options: MitRealmOptions = {}): Promise<MitRealm> {
    const realm = new MitRealm(await mkdtemp(join(tmpdir(), 'realm-')), options);
    try {
      await realm.#prepare();
      await realm.resume();
    } catch (error) {
      await realm.stop();
      throw error;
    }
    return realm;
  }

  get port(): number {
    return this.#port;
  }

  get kdcs(): Record<string, KdcAddress[]> {
    return { [this.realm]: [{ host: '127.0.0.1', port: this.#port }] };
  }

  /** For MIT's and Heimdal's own programs. */
  get env(): Record<string, string> {
    return { KRB5_CONFIG: join(this.folder, 'krb5.conf'), KRB5_KDC_PROFILE: join(this.folder, 'kdc.conf') };
  }

  /** Runs kadmin commands on the database itself. @throws Error with their messages if one fails */
  async admin(...commands: readonly string[]): Promise<void> {
    const kadmin = mitProgram('kadmin.local');
    const running = run(kadmin, ['-r', this.realm], {
      env: { ...process.env, ...this.env },
    });
    running.child.stdin?.end(`${commands.join('\n')}\n`);
    const { stderr } = await running;
    // addprinc and ktadd print this without a policy; anything else is a failure, which the exit code does not report.
    const complaints = stderr
      .split('\n')
      .filter((line) => line !== '' && !/no policy specified|^No policy/i.test(line));
    if (complaints.length > 0) throw new Error(`kadmin: ${complaints.join('; ')}`);
  }

  /** Writes a keytab with the current keys of principals. */
  async keytab(...principals: readonly string[]): Promise<string> {
    const file = join(this.folder, `${principals[0]!.replaceAll(/\W/g, '-')}.keytab`);
    await this.admin(`ktadd -norandkey -k ${file} ${principals.join(' ')}`);
    return file;
  }

  /** Stops the KDC until `resume`, which uses the same port. */
  async suspend(): Promise<void> {
    await this.#kdc?.stop();
    this.#kdc = undefined;
  }

  async resume(): Promise<void> {
    const krb5kdc = mitProgram('krb5kdc');
    const pidFile = join(this.folder, 'kdc.pid');
    await rm(pidFile, { force: true });
    const args = ['-n', '-r', this.realm, '-P', pidFile];
    this.#kdc = new BoundProcess(krb5kdc, args, { env: this.env, logFile: join(this.folder, 'kdc.out') });
    await until(
      'the start of the KDC',
      async () => ((await accepts(this.#port)) ? readPid(pidFile) : 0),
      (pid) => pid > 0,
    );
  }

  async stop(): Promise<void> {
    await this.suspend();
  }

  async #prepare(): Promise<void> {
    await mkdir(join(this.folder, 'kdc'));
    this.#port = await freePort();
    const { trusts = [], accounts = [], encryptionTypes = allTypes } = this.#options;
    const mapping = [this.realm, ...trusts].map((realm) => ` .${realm.toLowerCase()} = ${realm}`);
    const conf = [
      '[libdefaults]',
      ` default_realm = ${this.realm}`,
      ' dns_lookup_kdc = false',
      ' rdns = false',
      '[realms]',
      ` ${this.realm} = {`,
      `  kdc = 127.0.0.1:${this.#port}`,
      ' }',
      '[domain_realm]',
      ...mapping,
      '[logging]',
      ` kdc = FILE:${join(this.folder, 'kdc.log')}`,
    ];
    // UDP too: Heimdal's programs, including Samba's, try it first.
    const kdcConf = [
      '[realms]',
      ` ${this.realm} = {`,
      `  database_name = ${join(this.folder, 'kdc/db')}`,
      `  key_stash_file = ${join(this.folder, 'kdc/stash')}`,
      `  kdc_listen = 127.0.0.1:${this.#port}`,
      `  kdc_tcp_listen = 127.0.0.1:${this.#port}`,
      '  max_renewable_life = 7d',
      `  supported_enctypes = ${encryptionTypes.map((type) => `${type}:normal`).join(' ')}`,
      '  default_principal_flags = +preauth',
      '  disable_pac = true',
      '  host_based_services = *',
      ' }',
      '[domain_realm]',
      ...mapping,
    ];
    await writeFile(join(this.folder, 'krb5.conf'), `${conf.join('\n')}\n`);
    await writeFile(join(this.folder, 'kdc.conf'), `${kdcConf.join('\n')}\n`);
    const kdb5 = mitProgram('kdb5_util');
    await run(kdb5, ['-r', this.realm, 'create', '-s', '-P', 'master'], {
      env: { ...process.env, ...this.env },
    });
    if (accounts.length > 0) await this.admin(...accounts);
  }
}

async function accepts(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, '127.0.0.1', () => resolve(true));
  socket.on('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}

const readPid = async (file: string) => Number(await readFile(file, 'utf8').catch(() => '0'));

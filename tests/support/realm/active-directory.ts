import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { BoundProcess } from '../../../agent/smb/tests/support/bound-process.ts';
import { until } from '../../../agent/smb/tests/support/until.ts';
import { directorySetup, memberStart } from './active-directory-scripts.ts';

const run = promisify(execFile);

/** Folders of shares, which have the same names; `dfsroot` is the folder of the namespace. */
export type ShareFolderName = 'dfsroot' | 'projekte' | 'vorlagen' | 'zentrale';

/**
 * An Active Directory in a network namespace, with real names, ports, and DNS: `dc1.firma.test` is a Samba domain controller
 * with the domain namespace `\\firma.test\daten`, and `fs1.firma.test` is a joined member that reads the PAC of tickets. NTLM
 * is disabled on both. Its files are in memory. It ends with this process, even after kill -9: all its processes are in a
 * process namespace whose first process is bound to this one.
 */
export class ActiveDirectory {
  /** The path inside the namespaces; from outside, the files are below `filesOf`. */
  readonly folder: string;
  readonly keytab: string;
  readonly #outer: string;
  #holder: BoundProcess | undefined;
  readonly #parts: BoundProcess[] = [];
  #pid = 0;
  #relay: Server | undefined;

  private constructor(outer: string) {
    this.#outer = outer;
    this.folder = join(outer, 'realm');
    this.keytab = join(this.folder, 'agent.keytab');
  }

  static async start(): Promise<ActiveDirectory> {
    const directory = new ActiveDirectory(await mkdtemp(join(tmpdir(), 'directory-')));
    try {
      await directory.#launch();
    } catch (error) {
      const log = await readFile(join(directory.#outer, 'setup.log'), 'utf8').catch(() => '');
      await directory.stop();
      throw new Error(`the realm did not start:\n${log.slice(-4000)}`, { cause: error });
    }
    return directory;
  }

  /** The contents of a share, as seen from outside. */
  filesOf(share: ShareFolderName): string {
    return join(`/proc/${this.#pid}/root`, this.folder, share);
  }

  /** The program and arguments that run the command after them inside the namespaces; its paths must be absolute. */
  get inside(): readonly [string, ...string[]] {
    return ['nsenter', '--target', String(this.#pid), '--net', '--mount', '--pid', '--'];
  }

  /** The same on a machine whose first DNS server is silent and whose hosts file does not have the controller. */
  get insideDuringOutage(): readonly [string, ...string[]] {
    const binds = ['hosts', 'resolv.conf'].map(
      (name) => `mount --bind ${this.folder}/outage-${name} /etc/${name}`,
    );
    return [...this.inside, 'unshare', '--mount', 'sh', '-c', `${binds.join(' && ')} && exec "$@"`, 'sh'];
  }

  /** Forwards a port of the loopback interface inside to the same port of this machine, until the realm stops. */
  async relay(port: number): Promise<void> {
    const path = join(this.#outer, `${port}.sock`);
    this.#relay = createServer((inside) => {
      const outside = connect(port, '127.0.0.1');
      inside.pipe(outside).pipe(inside);
      inside.on('error', () => outside.destroy());
      outside.on('error', () => inside.destroy());
    });
    await once(this.#relay.listen(path), 'listening');
    this.#start(process.execPath, [join(import.meta.dirname, 'relay-child.ts'), String(port), path]);
    await this.#listens('127.0.0.1', port);
  }

  async stop(): Promise<void> {
    this.#relay?.close();
    await this.#holder?.stop();
    await Promise.all(this.#parts.map((part) => part.stop()));
    await rm(this.#outer, { recursive: true, force: true });
  }

  get #env(): NodeJS.ProcessEnv {
    return { ...process.env, KRB5_CONFIG: join(this.folder, 'krb5.conf') };
  }

  /** Starts a program inside, which ends with the namespaces. */
  #start(program: string, args: readonly string[], logFile?: string): void {
    const [nsenter, ...words] = this.inside;
    this.#parts.push(new BoundProcess(nsenter, [...words, program, ...args], { env: this.#env, logFile }));
  }

  async #launch(): Promise<void> {
    // The servers access files as the clients' accounts.
    await chmod(this.#outer, 0o755);
    await mkdir(this.folder);
    const pidFile = join(this.#outer, 'pid');
    // The first process of the namespaces; all others end with it. /proc is the outer one, so its PID is valid outside.
    const hold = `mount --make-rprivate / && mount -t tmpfs -o mode=755 none ${this.folder} && read pid rest </proc/self/stat && echo $pid >${pidFile} && exec sleep infinity`;
    const namespaces = ['--net', '--mount', '--pid', '--fork', '--kill-child'];
    this.#holder = new BoundProcess('unshare', [...namespaces, 'sh', '-c', hold]);
    this.#pid = await until(
      'the start of the namespaces',
      async () => Number(await readFile(pidFile, 'utf8').catch(() => '0')),
      (pid) => pid > 0,
    );
    await this.#script('setup.sh', directorySetup(this.folder));
    const log = join(this.#outer, 'setup.log');
    const [nsenter, ...words] = this.inside;
    await run(nsenter, [...words, 'sh', '-c', `exec sh -eux ${this.folder}/setup.sh >${log} 2>&1`], {
      env: this.#env,
    });
    const conf = ['-F', '--no-process-group', '-s', join(this.folder, 'dc.conf')];
    this.#start('samba', [...conf, '-M', 'standard'], log);
    // A join before all of them listen fails, and each attempt takes 0.25 s of processor time.
    for (const port of [445, 389, 88, 135]) await this.#listens('10.99.0.1', port);
    await this.#script('member.sh', memberStart(this.folder));
    this.#start('unshare', ['--mount', 'sh', '-eux', `${this.folder}/member.sh`], log);
    await this.#listens('10.99.0.2');
  }

  async #script(name: string, text: string): Promise<void> {
    await writeFile(join(`/proc/${this.#pid}/root`, this.folder, name), text);
  }

  /** Does not connect, because to the server that would be a client that does not log on. */
  async #listens(address: string, port = 445): Promise<void> {
    const hex = (value: number, digits: number) => value.toString(16).toUpperCase().padStart(digits, '0');
    const reversed = address.split('.').toReversed();
    const local = `${reversed.map((part) => hex(Number(part), 2)).join('')}:${hex(port, 4)}`;
    await until(
      `${address}:${port} listens`,
      () => readFile(`/proc/${this.#pid}/net/tcp`, 'utf8'),
      (table) => new RegExp(`: ${local} \\S+ 0A `).test(table),
      120_000,
    );
  }
}

/** @throws Error that names the packages */

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { programPath } from '../support/needs.ts';
import type { TestFileServer } from '../support/file-server.ts';
import { freePort } from '../support/free-port.ts';
import { childPids, listensOn, processName, signalProcess } from './samba-processes.ts';
import { sambaAccount, smbConf } from './samba-conf.ts';

const run = promisify(execFile);

/**
 * Samba's databases need not survive a power failure. Waiting for the disk took half the time of a start.
 *
 * Read for each start: smbd serves IPC$ from TMPDIR, and test files that share a process each have their own.
 */
const environment = () => ({ ...process.env, TDB_NO_FSYNC: '1' });

/** What pdbedit writes: the account, and the machine's SID that it belongs to. */
const accountFileNames = ['passdb.tdb', 'secrets.tdb', 'account_policy.tdb'];
/** Every smbd of this process has a copy. */
let accountFiles: readonly Buffer[] | undefined;
const startTimeoutMs = 30_000;
const stopTimeoutMs = 10_000;

export interface SambaOptions {
  /** [global] lines, such as `server signing = mandatory`. */
  readonly globalLines?: readonly string[];
  /** Lines of the share `template`. */
  readonly templateLines?: readonly string[];
  /** Lines of the share `projects`. */
  readonly projectLines?: readonly string[];
  /** More shares: section name to lines (including `path = …` unless it is a new empty folder). */
  readonly moreShares?: Readonly<Record<string, readonly string[]>>;
  /** Where state and share folders are stored; by default a new folder in the system's temporary folder. */
  readonly folder?: string;
  /** A fixed port, for the local stack; by default a free one. */
  readonly port?: number;
}

/**
 * A real smbd that runs as an ordinary process of the current user, with its own state, accounts and port. It serves
 * files as that user. It ends with this process in any case, because its standard input is a pipe of this process.
 */
export class Samba implements TestFileServer {
  readonly host = '127.0.0.1';
  readonly account = sambaAccount;
  readonly templateShare = 'template';
  readonly projectShare = 'projects';
  readonly templateFolder: string;
  readonly projectFolder: string;
  readonly confPath: string;
  #port = 0;
  #shell: ChildProcess | undefined;
  #pid = 0;
  #options: SambaOptions;
  readonly #folder: string;
  readonly #ownsFolder: boolean;

  private constructor(folder: string, options: SambaOptions) {
    this.#folder = folder;
    this.#ownsFolder = options.folder === undefined;
    this.#options = options;
    this.templateFolder = join(folder, 'template');
    this.projectFolder = join(folder, 'projects');
    this.confPath = join(folder, 'smb.conf');
  }

  static async start(options: SambaOptions = {}): Promise<Samba> {
    const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'samba-')));
    const samba = new Samba(folder, options);
    try {
      await samba.#prepare();
      await samba.#launch();
    } catch (error) {
      await samba.stop();
      throw error;
    }
    return samba;
  }

  get port(): number {
    return this.#port;
  }

  /** The parent smbd. */
  get pid(): number {
    return this.#pid;
  }

  /** The smbd processes that serve one connection each (not the helpers of smbd). */
  async connectionPids(): Promise<number[]> {
    const pids = await childPids(this.#pid);
    const names = await Promise.all(pids.map(processName));
    return pids.filter((_, index) => names[index] === 'smbd');
  }

  /** Sends a signal to every connection's process: SIGSTOP makes the server silent, SIGKILL disconnects it. */
  async signalConnections(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): Promise<number> {
    const pids = await this.connectionPids();
    for (const pid of pids) signalProcess(pid, signal);
    return pids.length;
  }

  /** Kills every process, including the connections, as a crash would. The port remains reserved for `restart`. */
  async crash(): Promise<void> {
    await this.#end();
  }

  /** Stops smbd with all its connections and starts it again on the same port, optionally with other settings. */
  async restart(changed: Omit<SambaOptions, 'folder' | 'port'> = {}): Promise<void> {
    await this.#end({ gently: true });
    this.#options = { ...this.#options, ...changed, port: this.#port };
    await this.#launch();
  }

  /**
   * Gives smbd other settings, without what is left out here, for all connections made from now on. It takes 3 ms of
   * processor time, a start 110 ms.
   */
  async reconfigure(settings: Omit<SambaOptions, 'folder' | 'port'> = {}): Promise<void> {
    this.#options = { ...settings, port: this.#port };
    await this.#writeConf(this.#port);
    const before = await this.#reloads();
    signalProcess(this.#pid, 'SIGHUP');
    const deadline = Date.now() + startTimeoutMs;
    while ((await this.#reloads()) === before) {
      if (Date.now() > deadline) throw new Error(`smbd did not read ${this.confPath} again`);
      await delay(5);
    }
  }

  /** smbd reports a reload in its log right before it, and accepts no connection in between. */
  async #reloads(): Promise<number> {
    const log = await readFile(join(this.#folder, 'log.smbd'), 'utf8').catch(() => '');
    return log.split('Reloading services after SIGHUP').length;
  }

  /** Ends every process and removes the folder when `start` made it. */
  async stop(): Promise<void> {
    await this.#end({ gently: true });
    if (this.#ownsFolder) await rm(this.#folder, { recursive: true, force: true });
  }

  async #prepare(): Promise<void> {
    const shares = Object.keys(this.#shares());
    for (const name of ['state/ncalrpc', ...shares]) {
      await mkdir(join(this.#folder, name), { recursive: true });
    }
    // smbd needs a Unix account behind every SMB account: it is the current user's, so none has to be created.
    await writeFile(join(this.#folder, 'users.map'), `${userInfo().username} = ${sambaAccount.user}\n`);
    const paths = accountFileNames.map((name) => join(this.#folder, 'state', name));
    if (accountFiles !== undefined) {
      for (const [index, path] of paths.entries())
        await writeFile(path, accountFiles[index]!, { mode: 0o600 });
      return;
    }
    await this.#addAccount();
    accountFiles = await Promise.all(paths.map((path) => readFile(path)));
  }

  async #addAccount(): Promise<void> {
    await this.#writeConf(this.#options.port ?? 445);
    const pdbedit = programPath('samba', 'pdbedit');
    const adding = run(pdbedit, ['-s', this.confPath, '-a', '-t', '-u', userInfo().username], {
      env: environment(),
    });
    adding.child.stdin?.end(`${sambaAccount.password}\n${sambaAccount.password}\n`);
    await adding.catch((error: unknown) => {
      const { stderr, message } = error as Error & { stderr?: string };
      throw new Error(`pdbedit (Debian package samba) failed: ${stderr?.trim() || message}`, {
        cause: error,
      });
    });
  }

  #shares(): Record<string, string> {
    const names = [this.templateShare, this.projectShare, ...Object.keys(this.#options.moreShares ?? {})];
    return Object.fromEntries(names.map((name) => [name, join(this.#folder, name)]));
  }

  async #writeConf(port: number): Promise<void> {
    const { globalLines = [], templateLines = [], projectLines = [], moreShares = {} } = this.#options;
    const shareLines = {
      [this.templateShare]: templateLines,
      [this.projectShare]: projectLines,
      ...moreShares,
    };
    const conf = smbConf({ folder: this.#folder, port, shares: this.#shares(), globalLines, shareLines });
    // Replaced as a whole: smbd may be reading it.
    await writeFile(`${this.confPath}.new`, conf);
    await rename(`${this.confPath}.new`, this.confPath);
  }

  async #launch(): Promise<void> {
    const smbd = programPath('samba', 'smbd');
    // Another process can take a free port before smbd binds it, and after a crash the dying connections may still
    // hold the old one: smbd then exits and is started again.
    for (let attempt = 1; ; attempt += 1) {
      const port = this.#options.port ?? (await freePort());
      await this.#writeConf(port);
      if (await this.#launchOn(smbd, port)) return;
      if (attempt === 5) {
        const log = await readFile(join(this.#folder, 'log.smbd'), 'utf8').catch(() => '');
        throw new Error(
          `smbd (Debian package samba) did not start on port ${port}. Its log ends:\n${log.slice(-2000)}`,
        );
      }
      await delay(200 * attempt);
    }
  }

  async #launchOn(smbd: string, port: number): Promise<boolean> {
    const pidFile = join(this.#folder, 'state/smbd.pid');
    await rm(pidFile, { force: true });
    // smbd exits at the end of its standard input when that is a pipe; Node would give it a socket, which means inetd
    // mode.
    const script = 'cat | exec "$0" -F --no-process-group -s "$1"';
    const shell = spawn('sh', ['-c', script, smbd, this.confPath], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
      env: environment(),
    });
    shell.stdin?.on('error', () => undefined);
    this.#shell = shell;
    const deadline = Date.now() + startTimeoutMs;
    while (!hasEnded(shell) && Date.now() < deadline) {
      const pid = Number(await readFile(pidFile, 'utf8').catch(() => '0'));
      if (pid > 0 && (await listensOn(pid, port))) {
        this.#pid = pid;
        this.#port = port;
        shell.unref();
        (shell.stdin as Socket).unref();
        return true;
      }
      await delay(20);
    }
    await this.#end();
    return false;
  }

  /** smbd starts it, in a process group of its own, when a client first lists the shares. */
  async #endRpcDaemon(): Promise<void> {
    const pidFile = join(this.#folder, 'state/samba-dcerpcd.pid');
    const pid = Number(await readFile(pidFile, 'utf8').catch(() => '0'));
    if (pid > 0 && (await processName(pid)) === 'samba-dcerpcd') signalProcess(pid, 'SIGTERM');
    await rm(pidFile, { force: true });
  }

  /** Stops smbd gracefully if requested, then kills the rest of the process group: its connections. */
  async #end({ gently = false } = {}): Promise<void> {
    const shell = this.#shell;
    this.#shell = undefined;
    if (shell?.pid === undefined) return;
    const ended = hasEnded(shell) ? undefined : once(shell, 'exit');
    shell.ref();
    if (gently && this.#pid > 0) {
      signalProcess(this.#pid, 'SIGTERM');
      shell.stdin?.end();
      await Promise.race([ended, delay(stopTimeoutMs, undefined, { ref: false })]);
    }
    signalProcess(-shell.pid, 'SIGKILL');
    await ended;
    await this.#endRpcDaemon();
    // The shell can exit a moment before smbd, whose port would still accept connections.
    while (this.#pid > 0 && (await listensOn(this.#pid, this.#port))) await delay(5);
    this.#pid = 0;
  }
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;

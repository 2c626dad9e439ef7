import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from './free-port.ts';
import { listensOn } from '../samba/samba-processes.ts';

const script = join(import.meta.dirname, 'impacket-server.py');
// Debian's own interpreter, because another python3 that is first on the PATH does not find Debian's packages.
const python = '/usr/bin/python3';

/** impacket's smbserver: an SMB server that shares no code with Samba. */
export class ImpacketServer {
  readonly host = '127.0.0.1';
  readonly account = { user: 'folder-agent', password: 'Impacket-1' };
  readonly port: number;
  readonly templateFolder: string;
  readonly projectFolder: string;
  readonly #process: ChildProcess;

  private constructor(folder: string, port: number, dialect: string) {
    this.port = port;
    this.templateFolder = join(folder, 'template');
    this.projectFolder = join(folder, 'projects');
    const { user, password } = this.account;
    this.#process = spawn(
      python,
      [script, dialect, String(port), user, password, this.templateFolder, this.projectFolder],
      { stdio: ['pipe', 'ignore', 'ignore'] },
    );
  }

  static async start(dialect: '0x0202' | '0x0210'): Promise<ImpacketServer> {
    const folder = await mkdtemp(join(tmpdir(), 'impacket-'));
    await mkdir(join(folder, 'template'));
    await mkdir(join(folder, 'projects'));
    // Another process can occupy a free port before impacket binds it; impacket then exits and is started again.
    for (let attempt = 1; ; attempt += 1) {
      const server = new ImpacketServer(folder, await freePort(), dialect);
      if (await server.#listens()) return server;
      await server.#end();
      if (attempt < 5) continue;
      throw new Error('impacket’s smbserver did not start');
    }
  }

  async #listens(): Promise<boolean> {
    const deadline = Date.now() + 30_000;
    while (this.#process.exitCode === null && Date.now() < deadline) {
      if (await listensOn(this.#process.pid!, this.port)) return true;
      await delay(50);
    }
    return false;
  }

  async #end(): Promise<void> {
    if (this.#process.exitCode !== null) return;
    this.#process.kill('SIGKILL');
    await once(this.#process, 'exit');
  }

  async stop(): Promise<void> {
    await this.#end();
  }
}

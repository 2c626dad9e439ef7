import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const script = join(import.meta.dirname, 'impacket-server.py');
// Debian's own interpreter: another python3 first on the PATH does not see Debian's packages.
const python = '/usr/bin/python3';

/** Why impacket's server can not run here; undefined when it can. */
export async function impacketMissing(): Promise<string | undefined> {
  return promisify(execFile)(python, ['-c', 'import impacket.smbserver']).then(
    () => undefined,
    () => 'impacket is not installed (Debian: apt-get install python3-impacket)',
  );
}

/** impacket's smbserver: an SMB server that shares no code with Samba. */
export class ImpacketServer {
  readonly host = '127.0.0.1';
  readonly account = { user: 'folder-agent', password: 'Impacket-1' };
  readonly port: number;
  readonly templateFolder: string;
  readonly projectFolder: string;
  readonly #folder: string;
  readonly #process: ChildProcess;

  private constructor(folder: string, port: number, dialect: string) {
    this.#folder = folder;
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
    const server = new ImpacketServer(folder, await freePort(), dialect);
    const deadline = Date.now() + 30_000;
    while (!(await accepts(server.port))) {
      if (Date.now() > deadline || server.#process.exitCode !== null) {
        await server.stop();
        throw new Error('impacket’s smbserver did not start');
      }
      await delay(50);
    }
    return server;
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode === null) {
      this.#process.kill('SIGKILL');
      await once(this.#process, 'exit');
    }
    await rm(this.#folder, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return new Promise((resolve) => {
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

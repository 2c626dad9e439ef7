import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sambaAccount, sambaNtHash } from '../samba/samba-conf.ts';
import type { Identity } from '../support/scripted-server/connection.ts';
import type { Script } from '../support/scripted-server/script.ts';
import { SmbServer } from '../support/scripted-server/smb-server.ts';
import { challengeMessage } from '../support/scripted-server/tokens.ts';
import type { TestFileServer, FileServerOptions } from '../support/file-server.ts';
import { Credits } from './credits.ts';
import { DiskOperations } from './disk-operations.ts';
import { Disk, fileTimeOf, type Share } from './files.ts';

const maxBytes = 8_388_608;

export interface EmbeddedOptions extends FileServerOptions {
  /** Where it differs from a correct server. With `cipher: 0` sessions are signed and not sealed, whatever the client offers. */
  readonly script?: Script;
}

/**
 * An SMB 3.1.1 server of this process over real directories, for machines without Samba and for what Samba never sends. It
 * performs one request at a time, and keeps DOS attributes and exact times only until it ends. It has no other dialects and
 * ciphers, DFS, Kerberos (except scripted), streams, locks, oplocks and change notifications, and its names ignore case.
 */
export class EmbeddedServer extends SmbServer implements TestFileServer {
  readonly account = sambaAccount;
  readonly templateShare = 'template';
  readonly projectShare = 'projects';
  readonly templateFolder: string;
  readonly projectFolder: string;
  readonly shares: readonly Share[];
  readonly #folder: string;
  readonly #ownsFolder: boolean;
  readonly #disk = new Disk();
  readonly #sessions: Identity['sessions'] = new Map();

  private constructor(folder: string, { folder: given, moreShares = {}, script = {} }: EmbeddedOptions) {
    super(script);
    this.#folder = folder;
    this.#ownsFolder = given === undefined;
    this.templateFolder = join(folder, this.templateShare);
    this.projectFolder = join(folder, this.projectShare);
    this.shares = [
      { name: this.templateShare, root: this.templateFolder, isReadOnly: false },
      { name: this.projectShare, root: this.projectFolder, isReadOnly: false },
      // It denies root what the bits of a mode deny to all, so a limited share is like any other.
      ...Object.entries(moreShares).map(([name, kind]) => ({
        name,
        root: join(folder, name),
        isReadOnly: kind === 'readOnly',
      })),
    ];
  }

  static async start(options: EmbeddedOptions = {}): Promise<EmbeddedServer> {
    const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'embedded-')));
    const server = new EmbeddedServer(folder, options);
    for (const { root } of server.shares) mkdirSync(root, { recursive: true });
    return server.listen(options.port);
  }

  protected override identity(): Identity {
    const credits = new Credits();
    return {
      account: { user: this.account.user, ntHash: sambaNtHash },
      negotiate: { securityMode: 3, capabilities: 4, maxBytes },
      challenge: () =>
        challengeMessage({
          name: 'EMBEDDED',
          dnsName: '',
          serverChallenge: randomBytes(8),
          time: fileTimeOf(BigInt(Date.now()) * 1_000_000n),
        }),
      newSessionId: () => randomBytes(8).readBigUInt64LE() | 1n,
      operations: () => new DiskOperations(this.#disk, this.shares, maxBytes),
      credits: (request) => credits.take(request),
      sessions: this.#sessions,
    };
  }

  async connectionPids(): Promise<number[]> {
    return this.sockets.size === 0 ? [] : [process.pid];
  }

  async signalConnections(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): Promise<number> {
    const sockets = [...this.sockets];
    for (const socket of sockets) {
      if (signal === 'SIGKILL') socket.destroy();
      else if (signal === 'SIGSTOP') socket.pause();
      else socket.resume();
    }
    return sockets.length;
  }

  crash(): Promise<void> {
    return super.stop();
  }

  async restart(): Promise<void> {
    await this.crash();
    await this.listen(this.port);
  }

  override async stop(): Promise<void> {
    await super.stop();
    if (this.#ownsFolder) await rm(this.#folder, { recursive: true, force: true });
  }
}

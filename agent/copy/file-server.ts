import { smbAccount } from '../settings/account-settings.ts';
import type { Clock } from '../../lib/contract/clock.ts';
import { shareVerdict } from '../base/failure.ts';
import type { Logger } from '../base/logging.ts';
import { mayVisit, servedNameOf } from '../base/server-names.ts';
import type { FileServerSettings } from '../settings/settings.ts';
import { type ShareFolder, uncOf } from '../base/share-folder.ts';
import type { PathList } from '../base/path-list.ts';
import {
  type ConnectionInfo,
  type RealmStatus,
  type SmbAccount,
  SmbError,
  type SmbFolder,
  SmbNetwork,
  type Timeouts,
} from '../smb/index.ts';

/** Long enough not to lock an account: usual policies lock after 5 to 10 failed logons within 30 minutes. */
export const logonRetryMs = 15 * 60_000;

/** Nothing is lost without the logoff: a server ends the session with its connection. */
const logoffMs = 500;

/** Whether the agent can work on a claim now; if not, when to try again. */
export type Readiness =
  | { readonly ready: true }
  | { readonly ready: false; readonly error: SmbError; readonly logonRetryInMs?: number };

/**
 * The connections to the file server and to the servers that DFS leads to, tested before the first claim and after every
 * failure to connect: an agent that cannot work claims no request that another agent could fulfill.
 */
export class FileServer {
  readonly #network: SmbNetwork;
  readonly #account: SmbAccount;
  readonly #settings: FileServerSettings;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #givenUp = new AbortController();
  readonly #onConnected: (info: ConnectionInfo & { readonly server: string }) => void;
  readonly #warnings = new Set<string>();
  /** By template, how many names were not copied. */
  readonly #skipped = new Map<string, number>();
  #isProved = false;
  #rejectedLogon: { readonly error: SmbError; readonly atMs: number } | undefined;

  /** @param onConnected is called when the server accepted the logon */
  constructor(
    settings: FileServerSettings,
    clock: Clock,
    log: Logger,
    timeouts: Partial<Timeouts> = {},
    onConnected: (info: ConnectionInfo & { readonly server: string }) => void = () => undefined,
  ) {
    this.#onConnected = onConnected;
    this.#settings = settings;
    this.#clock = clock;
    this.#log = log;
    this.#account = smbAccount(
      settings.account,
      settings.server,
      (server, reason) =>
        log.warn({ server, reason: reason.message }, 'Kerberos cannot be used; using NTLM instead'),
      { trace: (what) => log.debug({ kerberos: what }, 'kerberos'), signal: this.#givenUp.signal },
    );
    const { dfs } = settings;
    this.#network = new SmbNetwork({
      port: settings.port,
      account: this.#account,
      encryption: settings.encryption,
      minimumDialect: settings.minimumDialect,
      // Not kept open between requests: servers limit sessions, and drop idle ones anyway.
      timeouts: { idleCloseMs: 30_000, ...timeouts },
      signal: this.#givenUp.signal,
      nameOf: (host) => servedNameOf(host, settings) ?? host,
      dfs: dfs && {
        domain: dfs.domain,
        netbiosDomain: dfs.netbiosDomain,
        site: settings.account.site,
        mayVisit: (host) => mayVisit(host, settings),
        trace: (what) => this.#log.debug({ dfs: what }, 'dfs'),
      },
      onWarning: (warning) => this.#warn(warning),
      // Otherwise each message would be described for a log that does not keep it.
      trace: log.logsSteps ? (event) => this.#log.debug({ smb: event }, 'smb') : undefined,
    });
  }

  /** Logs what a copy left out, once for each template and number, because each request finds the same. */
  noteSkipped(template: string, skipped: PathList): void {
    if (skipped.count === 0 || this.#skipped.get(template) === skipped.count) return;
    this.#skipped.set(template, skipped.count);
    this.#log.info(
      { template, skipped },
      'the template has files and directories that programs leave behind; they are not copied (FOLDER_AGENT_TEMPLATE_SKIP)',
    );
  }

  /** Once, because each connection repeats it. */
  #warn(warning: string): void {
    if (!this.#warnings.has(warning)) this.#log.warn({}, warning);
    this.#warnings.add(warning);
  }

  /** The name for messages. */
  get account(): string {
    const { domain, username, realm } = this.#settings.account;
    if (realm !== undefined) return username.includes('@') ? username : `${username}@${realm}`;
    return domain === '' ? username : `${domain}\\${username}`;
  }

  /** Undefined with NTLM. @throws SmbError */
  realmStatus(): Promise<RealmStatus> | undefined {
    return this.#account.realmStatus();
  }

  /**
   * A handle on a folder, or on what its name leads to in a DFS. Each request gets its own, which keeps the targets that it
   * chose first.
   */
  folder(folder: ShareFolder): SmbFolder {
    return this.#network.folder(uncOf(folder));
  }

  /**
   * Tests the logon on every server that holds the agent's own folders, and their shares. Does not test the folders: each
   * request reports what is wrong with them.
   *
   * @returns the server that holds the first folder
   * @throws SmbError also for a first folder that no server holds
   */
  async connect(): Promise<ConnectionInfo & { readonly server: string }> {
    const { server, dfs, ownFolders } = this.#settings;
    for (const own of ownFolders) {
      const folder = this.folder(own);
      await unlessFaulty(async () => {
        // Only a call about the folder discovers the links on the way to it.
        if (dfs !== undefined) await folder.stat();
        await folder.connect();
      });
    }
    // Without DFS all folders are on the file server.
    const first = dfs === undefined ? undefined : ownFolders[0];
    const unc = first === undefined ? `\\\\${server}\\IPC$` : uncOf(first);
    return this.#network.connect(unc);
  }

  /**
   * Tests the connections if necessary. Does not retry a rejected logon before `logonRetryMs` have passed. If `stop` aborts
   * during the test, closes the connections for good instead of waiting for a silent server.
   */
  async readiness(stop: AbortSignal): Promise<Readiness> {
    if (this.#isProved) return { ready: true };
    if (this.#rejectedLogon) {
      const logonRetryInMs = this.#rejectedLogon.atMs + logonRetryMs - this.#clock.now();
      if (logonRetryInMs > 0) return { ready: false, error: this.#rejectedLogon.error, logonRetryInMs };
      this.#rejectedLogon = undefined;
      this.#network.forgetRejectedLogon();
    }
    const giveUp = () => this.#givenUp.abort();
    stop.addEventListener('abort', giveUp);
    try {
      const info = await unlessFaulty(() => this.connect());
      this.#isProved = true;
      if (info !== undefined) {
        this.#onConnected(info);
        const { server, mechanism, dialect, cipher } = info;
        this.#log.info(
          { server, mechanism, dialect, cipher: cipher ?? 'none, signed only' },
          'connected to the file server',
        );
      }
      return { ready: true };
    } catch (error) {
      if (!(error instanceof SmbError)) throw error;
      if (shareVerdict(error) !== 'logon-rejected') return { ready: false, error };
      this.#rejectedLogon = { error, atMs: this.#clock.now() };
      return { ready: false, error, logonRetryInMs: logonRetryMs };
    } finally {
      stop.removeEventListener('abort', giveUp);
    }
  }

  /**
   * Records a failure of a request: after some, the connections must be tested before the next claim. The account and the
   * connection remember a rejected logon, so that test sends nothing to the server.
   */
  note(error: unknown): void {
    if (shareVerdict(error) !== 'report') this.#isProved = false;
  }

  /** Logs off. The connections of a server that does not respond to that end after `logoffMs`. */
  async close(): Promise<void> {
    const limit = setTimeout(() => this.#givenUp.abort(), logoffMs);
    await this.#network.close();
    clearTimeout(limit);
  }
}

/** Undefined if the failure is about the path: each request reports it. */
async function unlessFaulty<T>(body: () => Promise<T>): Promise<T | undefined> {
  try {
    return await body();
  } catch (error) {
    if (shareVerdict(error) !== 'report') throw error;
    return undefined;
  }
}

import type { Clock } from '../lib/contract/clock.ts';
import { domainNames, mayVisit } from './dfs-settings.ts';
import { shareVerdict } from './failure.ts';
import type { Logger } from './logging.ts';
import { type ServedNames, servedAs } from './server-names.ts';
import type { FileServerSettings } from './settings.ts';
import { type ShareFolder, pathOf, uncOf } from './share-folder.ts';
import {
  type ConnectionInfo,
  type RealmStatus,
  type SmbAccount,
  SmbError,
  type SmbFolder,
  SmbNetwork,
  type Timeouts,
} from './smb/index.ts';
import { smbAccount } from './smb-account.ts';

/** Shorter than the usual lockout windows would need to lock an account: 30 minutes for 5 to 10 refused logons. */
export const logonRetryMs = 15 * 60_000;

/** Whether claiming makes sense now; if not, when to look again. */
export type Readiness =
  | { readonly ready: true }
  | { readonly ready: false; readonly error: SmbError; readonly logonRetryInMs?: number };

/**
 * The connections to the file server and to the servers that DFS leads to. Each is tried before the first claim and after
 * every failure to connect, so that an agent that cannot work claims no request that another one could serve.
 */
export class FileServer {
  readonly #network: SmbNetwork;
  readonly #account: SmbAccount;
  readonly #settings: FileServerSettings;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #givenUp = new AbortController();
  #isProved = false;
  #refusal: { readonly error: SmbError; readonly atMs: number } | undefined;

  constructor(settings: FileServerSettings, clock: Clock, log: Logger, timeouts: Partial<Timeouts> = {}) {
    this.#settings = settings;
    this.#clock = clock;
    this.#log = log;
    this.#account = smbAccount(settings.account, settings.server, {
      onFallback: (server, reason) =>
        log.warn({ server, reason: reason.message }, 'Kerberos can not be used; NTLM takes its place'),
      trace: (what) => log.debug({ kerberos: what }, 'kerberos'),
      signal: this.#givenUp.signal,
    });
    const { dfs } = settings;
    const served: ServedNames = { ...settings, domains: domainNames(dfs) };
    this.#network = new SmbNetwork({
      port: settings.port,
      account: this.#account,
      encryption: settings.encryption,
      minimumDialect: settings.minimumDialect,
      // Between requests nothing is kept open: servers count sessions, and idle ones are dropped anyway.
      timeouts: { idleCloseMs: 30_000, ...timeouts },
      signal: this.#givenUp.signal,
      nameOf: (host) => servedAs(host, served) ?? host,
      dfs: dfs && {
        domain: dfs.domain,
        netbiosDomain: dfs.netbiosDomain,
        mayVisit: (host) => mayVisit(host, dfs, served),
        trace: (what) => this.#log.debug({ dfs: what }, 'dfs'),
      },
      trace: (event) => this.#log.debug({ smb: event }, 'smb'),
    });
  }

  /** As messages name it. */
  get account(): string {
    const { domain, username, realm } = this.#settings.account;
    if (realm !== undefined) return username.includes('@') ? username : `${username}@${realm}`;
    return domain === '' ? username : `${domain}\\${username}`;
  }

  /**
   * What stands between the account and its realm; undefined with NTLM.
   * @throws SmbError
   */
  realmStatus(): Promise<RealmStatus> | undefined {
    return this.#account.realmStatus();
  }

  /**
   * The share that a folder is on, or what its name leads to in a DFS. One for each request: it stays with the targets that
   * it chose when they were first needed.
   */
  share({ server, share }: ShareFolder): SmbFolder {
    return this.#network.folder(`\\\\${server}\\${share}`);
  }

  /**
   * Proves that the agent gets in wherever its own folders are, which may be several servers. What is wrong with a folder is
   * not asked here: each request finds out and says so.
   *
   * @returns the server that holds the first of them; undefined where that folder has such a fault
   * @throws SmbError
   */
  async connect(): Promise<(ConnectionInfo & { readonly server: string }) | undefined> {
    const { server, dfs, ownFolders = [] } = this.#settings;
    // Without DFS all of them are on the file server.
    const folders = dfs === undefined ? [] : ownFolders;
    for (const folder of folders) await unlessFaulty(() => this.share(folder).stat(pathOf(folder)));
    const [first] = folders;
    const unc = first === undefined ? `\\\\${server}\\IPC$` : uncOf(first);
    return unlessFaulty(() => this.#network.connect(unc));
  }

  /**
   * Connects when that has to be proved. A refused logon is not repeated before `logonRetryMs` have passed. When `stop`
   * aborts meanwhile, a server that keeps silent is not waited for, and this connection is over for good.
   */
  async readiness(stop: AbortSignal): Promise<Readiness> {
    if (this.#isProved) return { ready: true };
    if (this.#refusal) {
      const logonRetryInMs = this.#refusal.atMs + logonRetryMs - this.#clock.now();
      if (logonRetryInMs > 0) return { ready: false, error: this.#refusal.error, logonRetryInMs };
      this.#refusal = undefined;
      this.#network.forgetRejectedLogon();
    }
    const giveUp = () => this.#givenUp.abort();
    stop.addEventListener('abort', giveUp);
    try {
      const info = await this.connect();
      this.#isProved = true;
      if (info !== undefined) {
        const { server, mechanism, dialect, cipher } = info;
        this.#log.info(
          { server, mechanism, dialect, cipher: cipher ?? 'none, signed only' },
          'connected to the file server',
        );
      }
      return { ready: true };
    } catch (error) {
      if (!(error instanceof SmbError)) throw error;
      if (shareVerdict(error) !== 'logon-refused') return { ready: false, error };
      this.#refusal = { error, atMs: this.#clock.now() };
      return { ready: false, error, logonRetryInMs: logonRetryMs };
    } finally {
      stop.removeEventListener('abort', giveUp);
    }
  }

  /**
   * Learns from a failure met while working: after some, the connection must be proved before the next claim. A refused
   * logon is remembered by the account and by the connection to that server, so proving asks nobody again.
   */
  note(error: unknown): void {
    if (shareVerdict(error) !== 'report') this.#isProved = false;
  }

  /** Logs off. */
  close(): Promise<void> {
    return this.#network.close();
  }
}

async function unlessFaulty<T>(body: () => Promise<T>): Promise<T | undefined> {
  try {
    return await body();
  } catch (error) {
    if (shareVerdict(error) !== 'report') throw error;
    return undefined;
  }
}

import type { Clock } from '../lib/contract/clock.ts';
import { shareVerdict, smbErrorOf } from './failure.ts';
import type { FileServerSettings } from './settings.ts';
import type { Logger } from './logging.ts';
import {
  type ConnectionInfo,
  type RealmStatus,
  SmbClient,
  SmbError,
  type SmbAccount,
  type SmbShare,
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
 * The connection to the file server. It is proved before the first claim and after every failure to connect, so that an
 * agent that can not work takes no request away from one that can.
 */
export class FileServer {
  readonly #client: SmbClient;
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
    this.#account = smbAccount(settings.account, {
      onFallback: (server, reason) =>
        log.warn({ server, reason: reason.message }, 'Kerberos can not be used; NTLM takes its place'),
      trace: (what) => log.debug({ kerberos: what }, 'kerberos'),
      signal: this.#givenUp.signal,
    });
    this.#client = new SmbClient({
      host: settings.server,
      port: settings.port,
      account: this.#account,
      encryption: settings.encryption,
      minimumDialect: settings.minimumDialect,
      // Between requests nothing is kept open: servers count sessions, and idle ones are dropped anyway.
      timeouts: { idleCloseMs: 30_000, ...timeouts },
      signal: this.#givenUp.signal,
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

  share(name: string): SmbShare {
    return this.#client.share(name);
  }

  /** @throws SmbError */
  connect(): Promise<ConnectionInfo> {
    return this.#client.connect();
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
      this.#client.forgetRefusedLogon();
    }
    const giveUp = () => this.#givenUp.abort();
    stop.addEventListener('abort', giveUp);
    try {
      const { dialect, cipher, mechanism } = await this.#client.connect();
      this.#isProved = true;
      const { server } = this.#settings;
      this.#log.info(
        { server, mechanism, dialect, cipher: cipher ?? 'none, signed only' },
        'connected to the file server',
      );
      return { ready: true };
    } catch (error) {
      if (!(error instanceof SmbError)) throw error;
      this.note(error);
      const isRefused = shareVerdict(error) === 'logon-refused';
      return { ready: false, error, ...(isRefused && { logonRetryInMs: logonRetryMs }) };
    } finally {
      stop.removeEventListener('abort', giveUp);
    }
  }

  /** Learns from a failure met while working: after some, the connection must be proved before the next claim. */
  note(error: unknown): void {
    const verdict = shareVerdict(error);
    if (verdict === 'report') return;
    this.#isProved = false;
    const cause = smbErrorOf(error);
    if (verdict === 'logon-refused' && cause) this.#refusal ??= { error: cause, atMs: this.#clock.now() };
  }

  /** Logs off. */
  close(): Promise<void> {
    return this.#client.close();
  }
}

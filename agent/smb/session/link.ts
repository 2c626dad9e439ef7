import type { CompoundSupport } from './compounds.ts';
import { abortError } from '../base/aborting.ts';
import { LostSession } from './lost-session.ts';
import { bytesCopiedByServer, bytesInFlight } from './pipeline.ts';
import { closeSession, openSession, type Session } from './session.ts';
import type { Settings } from '../account/settings.ts';
import { Semaphore } from '../base/semaphore.ts';
import { inContext, SmbError, type SmbErrorCode } from '../base/smb-error.ts';
import type { TransportTraffic } from '../connection/transport.ts';

/**
 * Rejections by one server that the same account would only meet again. Those that concern the account are kept
 * there.
 */
const finalRejections: ReadonlySet<SmbErrorCode> = new Set<SmbErrorCode>([
  'LOGON_REJECTED',
  'NTLM_UNAVAILABLE',
  'KERBEROS_UNAVAILABLE',
  'GUEST_SESSION',
]);

/** The way to the server: its one session, opened when needed, and what is remembered between sessions. */
export class Link {
  readonly settings: Settings;
  readonly compounds: CompoundSupport;
  /** Bytes of contents that are read and written at the same time. */
  readonly bulk = new Semaphore(bytesInFlight);
  /** Bytes that the server copies by itself at the same time. */
  readonly serverCopies = new Semaphore(bytesCopiedByServer);
  readonly traffic: TransportTraffic = { bytesSent: 0, bytesReceived: 0, framesSent: 0, framesReceived: 0 };
  connections = 0;
  /** False once the server has rejected FSCTL_SRV_COPYCHUNK. */
  serverSideCopy: boolean;
  /** By share: whether its files can have alternate streams. */
  readonly namedStreams = new Map<string, Promise<boolean>>();
  readonly #lost = new LostSession();
  #current: Promise<Session> | undefined;
  /** The session that `current` resolved with. */
  #opened: Session | undefined;
  #usableUntil = Infinity;
  #rejection: SmbError | undefined;
  #endedBy: SmbError | undefined;

  constructor(settings: Settings) {
    this.settings = settings;
    this.compounds = { usable: settings.compounds, suspicions: 0 };
    this.serverSideCopy = settings.serverSideCopy;
    const { signal } = settings;
    signal?.addEventListener('abort', () => void this.#abort(abortError(signal)), { once: true });
    if (signal?.aborted) this.#endedBy = abortError(signal);
  }

  /**
   * The session in use, or a new one; concurrent callers share it. A session whose ticket is about to expire is left
   * to the calls that run on it.
   */
  session(): Promise<Session> {
    const final = this.#endedBy ?? this.#rejection;
    if (final !== undefined) return Promise.reject(final);
    if (this.#current !== undefined && Date.now() < this.#usableUntil) return this.#current;
    const opening = this.#open(() => {
      // A session that ends late must not remove its successor.
      if (this.#current !== opening) return;
      this.#current = undefined;
      this.#opened = undefined;
    });
    this.#current = opening;
    this.#opened = undefined;
    this.#usableUntil = Infinity;
    const keep = (session: Session) => {
      if (this.#current === opening) this.#opened = session;
    };
    opening.then(keep, () => {});
    return opening;
  }

  /** The session in use if it is already open, which saves a turn of the event loop. */
  get sessionInUse(): Session | undefined {
    const isUsable = (this.#endedBy ?? this.#rejection) === undefined && Date.now() < this.#usableUntil;
    return isUsable ? this.#opened : undefined;
  }

  /** Forgets the rejection by this server and that of the account. */
  forgetRejection(): void {
    this.#rejection = undefined;
    this.settings.account.forgetRejection();
  }

  async close(): Promise<void> {
    this.#endedBy ??= new SmbError('CLOSED', 'The client was closed by the caller', { operation: 'close' });
    const session = await this.#current?.catch(() => undefined);
    if (session !== undefined) await closeSession(session, this.settings.timeouts.closeMs);
  }

  async #open(forget: () => void): Promise<Session> {
    try {
      const session = await openSession(this.settings, this.traffic, this.#lost);
      this.connections += 1;
      this.#usableUntil = session.usableUntil;
      const { connection } = session;
      connection.onEnd = () => {
        forget();
        // Also after a logoff, which may not have arrived: naming a session that has ended is harmless.
        this.#lost.remember(connection.sessionId);
      };
      connection.onIdle = () => {
        if (session.openFiles > 0) return;
        forget();
        void closeSession(session, this.settings.timeouts.closeMs);
      };
      if (!connection.isOpen) connection.onEnd();
      return session;
    } catch (error) {
      forget();
      const failure = inContext(error, 'connect', `\\\\${this.settings.host}`);
      // A status about an account may come in any phase, and is about the account only in the logon.
      if (failure.phase === 'logon' && !this.settings.account.remember(failure)) {
        const isFinalHere = finalRejections.has(failure.code) && !failure.retryable;
        if (isFinalHere) this.#rejection = failure;
      }
      throw failure;
    }
  }

  async #abort(error: SmbError): Promise<void> {
    this.#endedBy ??= error;
    const session = await this.#current?.catch(() => undefined);
    session?.connection.end(this.#endedBy);
  }
}

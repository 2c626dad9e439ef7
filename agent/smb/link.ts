import type { CompoundSupport } from './compounds.ts';
import { aborted } from './connection.ts';
import { closeSession, openSession, type Session } from './session.ts';
import type { Settings } from './settings.ts';
import { Semaphore } from './semaphore.ts';
import { inContext, SmbError, type SmbErrorCode } from './smb-error.ts';
import type { TransportTraffic } from './transport.ts';

/** Refusals that the same name and password would only meet again; some count towards locking the account. */
const finalRefusals: ReadonlySet<SmbErrorCode> = new Set<SmbErrorCode>([
  'LOGON_REFUSED',
  'NTLM_UNAVAILABLE',
  'GUEST_SESSION',
  'ACCESS_DENIED',
]);

/** Reads and writes of file contents under way at the same time, over all files: bounds memory. */
const bulkCalls = 8;

/** The way to the server: the one session there is, made when it is needed, and what is remembered between sessions. */
export class Link {
  readonly settings: Settings;
  readonly compounds: CompoundSupport;
  readonly bulk = new Semaphore(bulkCalls);
  readonly traffic: TransportTraffic = { bytesSent: 0, bytesReceived: 0, framesSent: 0, framesReceived: 0 };
  connections = 0;
  /** False once the server refused FSCTL_SRV_COPYCHUNK. */
  serverSideCopy: boolean;
  private current: Promise<Session> | undefined;
  private refusal: SmbError | undefined;
  private endedBy: SmbError | undefined;

  constructor(settings: Settings) {
    this.settings = settings;
    this.compounds = { usable: settings.compounds, suspicions: 0 };
    this.serverSideCopy = settings.serverSideCopy;
    settings.signal?.addEventListener('abort', () => void this.abort(), { once: true });
    if (settings.signal?.aborted) this.endedBy = aborted();
  }

  /** The session in use, or a new one; callers that come at the same time get the same. */
  session(): Promise<Session> {
    const refused = this.endedBy ?? this.refusal;
    if (refused !== undefined) return Promise.reject(refused);
    if (this.current !== undefined) return this.current;
    const opening = this.open(() => {
      // A session that ends late must not take its successor with it.
      if (this.current === opening) this.current = undefined;
    });
    this.current = opening;
    return opening;
  }

  forgetRefusal(): void {
    this.refusal = undefined;
  }

  async close(): Promise<void> {
    this.endedBy ??= new SmbError('CLOSED', 'The client was closed by the caller', { operation: 'close' });
    const session = await this.current?.catch(() => undefined);
    if (session !== undefined) await closeSession(session, this.settings.timeouts.closeMs);
  }

  private async open(forget: () => void): Promise<Session> {
    try {
      const session = await openSession(this.settings, this.traffic);
      this.connections += 1;
      const { connection } = session;
      connection.onEnd = forget;
      connection.onIdle = () => {
        if (session.openFiles > 0) return;
        forget();
        void closeSession(session, this.settings.timeouts.closeMs);
      };
      if (!connection.isOpen) forget();
      return session;
    } catch (error) {
      forget();
      const failure = inContext(error, 'connect', `\\\\${this.settings.host}`);
      if (finalRefusals.has(failure.code)) this.refusal = failure;
      throw failure;
    }
  }

  private async abort(): Promise<void> {
    this.endedBy ??= aborted();
    const session = await this.current?.catch(() => undefined);
    session?.connection.end(this.endedBy);
  }
}

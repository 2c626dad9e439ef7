import { commandName } from '../wire/header.ts';
import type { Timeouts } from '../account/options.ts';
import { SmbError } from '../base/smb-error.ts';
import type { Transport } from './transport.ts';

/** The clocks of a request in flight, in milliseconds since the epoch. */
export interface Clocked {
  command: number;
  sentAt: number;
  /** A response or an interim response is due. */
  deadline: number;
  /** Interim responses do not extend the deadline beyond this. */
  latest: number;
}

/** The parts of a connection that Liveness watches. */
export interface Watched {
  readonly transport: Pick<Transport, 'lastReceivedAt' | 'stalledSince'>;
  readonly timeouts: Timeouts;
  /** The requests in flight, oldest first. */
  readonly requests: () => Iterable<Clocked>;
  /** Sends an ECHO and resolves with its response; undefined while none can be sent. */
  readonly echo: () => Promise<unknown> | undefined;
  readonly onIdle: () => void;
  readonly onDead: (error: SmbError) => void;
}

/**
 * Detects a dead server that TCP does not report: requests past their deadline, a socket that accepts no data,
 * silence despite an ECHO. One timer serves all of it.
 */
export class Liveness {
  readonly #watched: Watched;
  readonly #tickMs: number;
  readonly #timer: NodeJS.Timeout;
  #lastTickAt = Date.now();
  #lastUsedAt = Date.now();
  #probedAt: number | undefined;

  constructor(watched: Watched) {
    this.#watched = watched;
    const { requestMs, logonMs, silenceMs, sendMs, keepAliveMs, idleCloseMs, closeMs } = watched.timeouts;
    const shortest = Math.min(requestMs, logonMs, silenceMs, sendMs, keepAliveMs, idleCloseMs, closeMs);
    this.#tickMs = Math.min(1000, Math.max(20, shortest / 4));
    this.#timer = setInterval(() => this.#tick(), this.#tickMs);
    this.#timer.unref();
  }

  /** A caller sent something. Keep-alive messages do not count. */
  used(): void {
    this.#lastUsedAt = Date.now();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    const now = Date.now();
    const sleptMs = now - this.#lastTickAt - this.#tickMs;
    this.#lastTickAt = now;
    // The process itself was suspended or blocked. The server may have responded long ago, so its clocks are moved
    // on.
    if (sleptMs > 5 * this.#tickMs + 1000) return this.#forgive(sleptMs);
    const { transport, timeouts, requests, onDead, onIdle } = this.#watched;
    if (transport.stalledSince !== undefined && now - transport.stalledSince > timeouts.sendMs) {
      return onDead(timeoutError(`the server accepted no data for ${timeouts.sendMs} ms`));
    }
    let oldest: Clocked | undefined;
    for (const request of requests()) {
      oldest ??= request;
      if (now > request.deadline) {
        return onDead(timeoutError(`${commandName(request.command)} got no response in time`));
      }
    }
    const silentMs = now - transport.lastReceivedAt;
    if (oldest !== undefined) {
      const probedMs = this.#probedAt === undefined ? 0 : now - this.#probedAt;
      if (Math.min(probedMs, silentMs) > timeouts.silenceMs) {
        return onDead(timeoutError(`the server is silent for ${silentMs} ms, also to ECHO`));
      }
      // After a pause, the oldest request is younger than the silence.
      if (Math.min(silentMs, now - oldest.sentAt) > timeouts.silenceMs) this.#probe();
    } else if (now - this.#lastUsedAt > timeouts.idleCloseMs) {
      this.#lastUsedAt = now;
      onIdle();
    } else if (silentMs > timeouts.keepAliveMs) {
      this.#probe();
    }
  }

  #forgive(sleptMs: number): void {
    const { transport, requests } = this.#watched;
    transport.lastReceivedAt += sleptMs;
    if (transport.stalledSince !== undefined) transport.stalledSince += sleptMs;
    if (this.#probedAt !== undefined) this.#probedAt += sleptMs;
    for (const request of requests()) {
      request.deadline += sleptMs;
      request.latest += sleptMs;
    }
  }

  #probe(): void {
    if (this.#probedAt !== undefined) return;
    const echoed = this.#watched.echo();
    if (echoed === undefined) return;
    this.#probedAt = Date.now();
    void echoed.then(() => (this.#probedAt = undefined));
  }
}

function timeoutError(what: string): SmbError {
  return new SmbError('TIMEOUT', `The connection was closed: ${what}`, {
    operation: 'wait',
    retryable: true,
  });
}

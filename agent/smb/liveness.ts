import { commandName } from './messages/header.ts';
import type { Timeouts } from './options.ts';
import { SmbError } from './smb-error.ts';
import type { Transport } from './transport.ts';

/** The clocks of a request under way, in milliseconds since the epoch. */
export interface Clocked {
  command: number;
  sentAt: number;
  /** An answer or an interim answer is due. */
  deadline: number;
  /** Interim answers do not move the deadline beyond this. */
  latest: number;
}

/** The connection, as far as its life is watched. */
export interface Watched {
  readonly transport: Transport;
  readonly timeouts: Timeouts;
  /** Under way, the oldest first. */
  readonly requests: () => Iterable<Clocked>;
  /** Sends an ECHO and tells when it was answered; undefined while none can be sent. */
  readonly echo: () => Promise<unknown> | undefined;
  readonly onIdle: () => void;
  readonly onDead: (error: SmbError) => void;
}

/**
 * Finds out that a server is gone where TCP does not say so: requests past their deadline, a socket that takes nothing,
 * silence that an ECHO does not break. One timer for all of it.
 */
export class Liveness {
  private readonly watched: Watched;
  private readonly tickMs: number;
  private readonly timer: NodeJS.Timeout;
  private lastTickAt = Date.now();
  private lastUsedAt = Date.now();
  private probedAt: number | undefined;

  constructor(watched: Watched) {
    this.watched = watched;
    const { requestMs, logonMs, silenceMs, sendMs, keepAliveMs, idleCloseMs, closeMs } = watched.timeouts;
    const shortest = Math.min(requestMs, logonMs, silenceMs, sendMs, keepAliveMs, idleCloseMs, closeMs);
    this.tickMs = Math.min(1000, Math.max(20, shortest / 4));
    this.timer = setInterval(() => this.tick(), this.tickMs);
    this.timer.unref();
  }

  /** A caller sent something; keeping alive is not using. */
  used(): void {
    this.lastUsedAt = Date.now();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private tick(): void {
    const now = Date.now();
    const sleptMs = now - this.lastTickAt - this.tickMs;
    this.lastTickAt = now;
    // The process itself was asleep or blocked: the server may have answered long ago, so its clocks start again.
    if (sleptMs > 5 * this.tickMs + 1000) return this.forgive(sleptMs);
    const { transport, timeouts, requests, onDead, onIdle } = this.watched;
    if (transport.stalledSince !== undefined && now - transport.stalledSince > timeouts.sendMs) {
      return onDead(timedOut(`the server took nothing for ${timeouts.sendMs} ms`));
    }
    let oldest: Clocked | undefined;
    for (const request of requests()) {
      oldest ??= request;
      if (now > request.deadline) {
        return onDead(timedOut(`${commandName(request.command)} was not answered in time`));
      }
    }
    const silentMs = now - transport.lastReceivedAt;
    if (oldest !== undefined) {
      const probedMs = this.probedAt === undefined ? 0 : now - this.probedAt;
      if (Math.min(probedMs, silentMs) > timeouts.silenceMs) {
        return onDead(timedOut(`the server is silent for ${silentMs} ms, also to ECHO`));
      }
      // The oldest request is younger than the silence when it was sent after a pause.
      if (Math.min(silentMs, now - oldest.sentAt) > timeouts.silenceMs) this.probe();
    } else if (now - this.lastUsedAt > timeouts.idleCloseMs) {
      this.lastUsedAt = now;
      onIdle();
    } else if (silentMs > timeouts.keepAliveMs) {
      this.probe();
    }
  }

  private forgive(sleptMs: number): void {
    const { transport, requests } = this.watched;
    transport.lastReceivedAt += sleptMs;
    if (transport.stalledSince !== undefined) transport.stalledSince += sleptMs;
    if (this.probedAt !== undefined) this.probedAt += sleptMs;
    for (const request of requests()) {
      request.deadline += sleptMs;
      request.latest += sleptMs;
    }
  }

  private probe(): void {
    if (this.probedAt !== undefined) return;
    const answered = this.watched.echo();
    if (answered === undefined) return;
    this.probedAt = Date.now();
    void answered.then(() => (this.probedAt = undefined));
  }
}

function timedOut(what: string): SmbError {
  return new SmbError('TIMEOUT', `The connection was given up: ${what}`, {
    operation: 'wait',
    retryable: true,
  });
}

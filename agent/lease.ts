import { failureDelayMs } from './backoff.ts';
import type { Clock } from '../lib/contract/clock.ts';
import { serviceVerdict } from './failure.ts';
import type { Logger } from './logging.ts';
import type { Claim, ServiceClient } from './service-client.ts';
import { ServiceFailure } from './service-failure.ts';

/** The request is no longer this agent's: the service rejected its claim, or the lease may have expired. */
export class ClaimLost extends Error {
  override readonly name = 'ClaimLost';
}

/** Work ends this long before the lease, so that calls in flight end before another agent starts. */
const safetyMs = 10_000;
/** Work does not start on a claim with less than this left: its response took too long to arrive. */
const leastAtStartMs = 20_000;
const longestBeatMs = 60_000;
const longestRetryMs = 10_000;

export interface LeaseParts {
  readonly service: ServiceClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/**
 * Keeps a claim by heartbeats on wall-clock time until `end`, independent of the work and of signals to the agent. `lost`
 * aborts with `ClaimLost` when another agent has the claim, or may soon have it.
 */
export class Lease {
  readonly #claim: Claim;
  readonly #parts: LeaseParts;
  readonly #lost = new AbortController();
  readonly #ended = new AbortController();
  #workUntilMs = 0;

  constructor(claim: Claim, parts: LeaseParts) {
    this.#claim = claim;
    this.#parts = parts;
    this.#extend(claim.leaseEndsAtMs);
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  async start(): Promise<void> {
    const { clock } = this.#parts;
    if (this.#claim.leaseEndsAtMs - clock.now() < leastAtStartMs && !(await this.#beat())) {
      this.#lose('too little of the lease was left, and it could not be extended');
    }
    void this.#keep().catch((error: unknown) => {
      this.#parts.log.error({ err: error }, 'unexpected error in the heartbeats');
      this.#lose('the heartbeats stopped');
    });
  }

  /** Ends the heartbeats. The lease then expires, unless a report or a release ended it before. */
  end(): void {
    this.#ended.abort();
  }

  async #keep(): Promise<void> {
    const { clock, random } = this.#parts;
    let failures = 0;
    while (!this.#ended.signal.aborted && !this.#lost.signal.aborted) {
      const leftMs = Math.max(0, this.#workUntilMs - clock.now());
      const waitMs =
        failures === 0
          ? Math.min(longestBeatMs, leftMs / 3)
          : Math.min(leftMs, failureDelayMs({ failures, baseMs: 1000, maxMs: longestRetryMs }, random()));
      await clock.wait(waitMs, this.#ended.signal);
      if (!this.#ended.signal.aborted) failures = (await this.#beat()) ? 0 : failures + 1;
    }
  }

  async #beat(): Promise<boolean> {
    const { service, clock, log } = this.#parts;
    const leftMs = this.#workUntilMs - clock.now();
    if (leftMs <= 0) {
      this.#lose('no heartbeat succeeded before the end of the lease');
      return false;
    }
    try {
      this.#extend(await service.heartbeat(this.#claim, { timeoutMs: leftMs, signal: this.#ended.signal }));
      log.debug({}, 'heartbeat');
      return true;
    } catch (error) {
      if (this.#ended.signal.aborted) return false;
      if (!(error instanceof ServiceFailure)) throw error;
      if (serviceVerdict(error) === 'claim-lost') this.#lose(error.message);
      else log.warn({ reason: error.message }, 'a heartbeat failed; retrying until the lease ends');
      return false;
    }
  }

  /** A lease shorter than usual gets a smaller safety margin. */
  #extend(endsAtMs: number): void {
    const lastsMs = endsAtMs - this.#parts.clock.now();
    this.#workUntilMs = endsAtMs - Math.min(safetyMs, lastsMs / 4);
  }

  #lose(reason: string): void {
    this.#lost.abort(new ClaimLost(reason));
  }
}

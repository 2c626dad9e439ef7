import { failureDelayMs } from '../base/backoff.ts';
import type { Clock } from '../../lib/contract/clock.ts';
import { serviceVerdict } from '../base/failure.ts';
import type { Logger } from '../base/logging.ts';
import type { Claim, ServiceClient } from './service-client.ts';
import { ServiceFailure } from '../base/service-failure.ts';

/** The request is no longer this agent's: the service rejected its claim, or the lease may have expired. */
export class ClaimLost extends Error {
  override readonly name = 'ClaimLost';
}

/** A claim with less than this left is given up if its first heartbeat fails: there is no time for others. */
const leastAtStartMs = 20_000;
/** Work ends this long before the lease, so that calls in flight end before another agent starts. */
const safetyMs = 10_000;
const longestBeatMs = 60_000;
const longestRetryMs = 10_000;
/** So soon after a sleep of the machine the work on a lease that has ended meanwhile ends. */
const sliceMs = 1_000;

export interface LeaseParts {
  readonly service: ServiceClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

export interface Lease {
  /** Aborts with `ClaimLost` when another agent has the claim, or may soon have it. */
  readonly lost: AbortSignal;
  /**
   * Work may begin: the service has a heartbeat. Until then, a new process of this agent gets the request instead, such as one
   * that is started by mistake while this one runs.
   *
   * @param end ends the waiting for it
   */
  readonly start: (end?: AbortSignal) => Promise<void>;
  /** Ends the heartbeats. The lease then expires, unless a report or a release ended it before. */
  readonly end: () => void;
}

/** Keeps a claim by heartbeats on wall-clock time until `end`, independent of the work and of signals to the agent. */
export function leaseOf(claim: Claim, { service, clock, random, log }: LeaseParts): Lease {
  const lost = new AbortController();
  const ended = new AbortController();
  const lose = (reason: string): void => lost.abort(new ClaimLost(reason));

  /** A lease shorter than usual gets a smaller safety margin. */
  const workUntil = (endsAtMs: number): number => endsAtMs - Math.min(safetyMs, (endsAtMs - clock.now()) / 4);
  let workUntilMs = workUntil(claim.leaseEndsAtMs);

  const beat = async (): Promise<boolean> => {
    const leftMs = workUntilMs - clock.now();
    if (leftMs <= 0) {
      lose('no heartbeat succeeded before the end of the lease');
      return false;
    }
    try {
      workUntilMs = workUntil(await service.heartbeat(claim, { timeoutMs: leftMs, signal: ended.signal }));
      log.debug({}, 'heartbeat');
      return true;
    } catch (error) {
      if (ended.signal.aborted) return false;
      if (!(error instanceof ServiceFailure)) throw error;
      if (serviceVerdict(error) === 'claim-lost') lose(error.message);
      else {
        const { message: reason, requestId } = error;
        log.warn({ reason, requestId }, 'a heartbeat failed; retrying until the lease ends');
      }
      return false;
    }
  };

  const waitMsAfter = (failures: number): number => {
    const leftMs = Math.max(0, workUntilMs - clock.now());
    if (failures === 0) return Math.min(longestBeatMs, leftMs / 3);
    return Math.min(leftMs, failureDelayMs({ failures, baseMs: 1000, maxMs: longestRetryMs }, random()));
  };

  const isOver = (): boolean => ended.signal.aborted || lost.signal.aborted;

  /**
   * Waits until the clock has gone on by so much. In slices, because a timer stands still while the machine
   * sleeps (golang/go#35012, taskcluster/taskcluster#5269). Where the clock has gone on by less than was waited, it was set back:
   * then the lease ends as much earlier on it.
   */
  const pass = async (ms: number): Promise<void> => {
    const startedMs = clock.now();
    let leftMs = ms;
    while (leftMs > 0 && !ended.signal.aborted) {
      const waitMs = Math.min(sliceMs, leftMs);
      const beforeMs = clock.now();
      await clock.wait(waitMs, ended.signal);
      const setBackMs = ended.signal.aborted ? 0 : Math.max(0, waitMs - (clock.now() - beforeMs));
      workUntilMs -= setBackMs;
      leftMs = Math.min(leftMs - waitMs, startedMs + ms - clock.now());
    }
  };

  const keep = async (): Promise<void> => {
    let failures = 0;
    while (!isOver()) {
      await pass(waitMsAfter(failures));
      if (!ended.signal.aborted) failures = (await beat()) ? 0 : failures + 1;
    }
  };

  const start = async (end: AbortSignal = lost.signal): Promise<void> => {
    for (let failures = 1; !(await beat()); failures += 1) {
      if (claim.leaseEndsAtMs - clock.now() < leastAtStartMs) {
        lose('too little of the lease was left, and it could not be extended');
      }
      await clock.wait(waitMsAfter(failures), AbortSignal.any([ended.signal, lost.signal, end]));
      if (isOver() || end.aborted) return;
    }
    void keep().catch((error: unknown) => {
      log.error({ err: error }, 'unexpected error in the heartbeats');
      lose('the heartbeats stopped');
    });
  };
  return { lost: lost.signal, start, end: () => ended.abort() };
}

import type { Instant } from './messages.ts';
import type { Random } from './base/random.ts';

/** KDCs and servers tolerate five minutes; a smaller difference needs no correction. */
const toleratedSkewMs = 120_000;
/** A correction to a time outside these years is not plausible. */
const earliest = Date.UTC(2000, 0);
const latest = Date.UTC(2100, 0);

/**
 * The realm's time as known to this client: this machine's clock and a correction. The correction applies to
 * the messages of one client; the machine's clock and the rest of the process are not affected.
 */
export class RealmClock {
  /** The realm's clock minus this machine's, as last reported. */
  differenceMs = 0;
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** This machine's own time. */
  machineNow(): number {
    return this.#now();
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.#now() + (Math.abs(this.differenceMs) > toleratedSkewMs ? this.differenceMs : 0);
  }

  /** Sets the time that the realm authenticated. */
  correct(realmTime: number): void {
    this.differenceMs = realmTime - this.#now();
  }

  /**
   * The same clock set to an unauthenticated time, to be tried with one request. Undefined for an implausible time.
   */
  trial(claimedTime: number): RealmClock | undefined {
    if (!(claimedTime >= earliest && claimedTime <= latest)) return undefined;
    const clock = new RealmClock(this.#now);
    clock.correct(claimedTime);
    return clock;
  }

  /** Called when the trial succeeded. */
  adopt(trial: RealmClock): void {
    this.differenceMs = trial.differenceMs;
  }
}

/** The microseconds below the clock's milliseconds are random, so that two proofs of one millisecond differ. */
export function instantOf(milliseconds: number, random: Random): Instant {
  const whole = Math.floor(milliseconds);
  const rest = whole % 1000;
  return { time: whole - rest, microseconds: rest * 1000 + (random(2).readUInt16BE() % 1000) };
}

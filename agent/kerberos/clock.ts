import type { Instant } from './messages.ts';
import type { Random } from './random.ts';

/** What KDCs and servers tolerate is five minutes; a smaller difference needs no correction. */
const toleratedSkewMs = 120_000;
/** A correction to a time outside of these years is nobody's clock. */
const earliest = Date.UTC(2000, 0);
const latest = Date.UTC(2100, 0);

/**
 * The realm's time as far as this client knows it: this machine's clock and a correction. The correction is for the
 * messages of one client only; the machine's clock and everything else in the process keep their time.
 */
export class RealmClock {
  /** The realm's clock minus this machine's, as last heard. */
  differenceMs = 0;
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** What this machine believes. */
  machineNow(): number {
    return this.#now();
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.#now() + (Math.abs(this.differenceMs) > toleratedSkewMs ? this.differenceMs : 0);
  }

  /** What the realm itself said is its time. */
  correct(realmTime: number): void {
    this.differenceMs = realmTime - this.#now();
  }

  /**
   * The same clock set to a time that nobody has vouched for, to be tried with one request. Undefined for what is nobody's
   * time.
   */
  trial(claimedTime: number): RealmClock | undefined {
    if (!(claimedTime >= earliest && claimedTime <= latest)) return undefined;
    const clock = new RealmClock(this.#now);
    clock.correct(claimedTime);
    return clock;
  }

  /** The trial was right. */
  adopt(trial: RealmClock): void {
    this.differenceMs = trial.differenceMs;
  }
}

/** Below the clock's milliseconds the microseconds are random, so that two proofs of one millisecond differ. */
export function instantOf(milliseconds: number, random: Random): Instant {
  const whole = Math.floor(milliseconds);
  const rest = whole % 1000;
  return { time: whole - rest, microseconds: rest * 1000 + (random(2).readUInt16BE() % 1000) };
}

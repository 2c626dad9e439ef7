import type { Clock } from '../contract/clock.ts';
import type { ProblemCode, ServiceError } from './service-error.ts';

/** A call that has failed because of a part of the service, and not because of its caller. */
export interface PartFailure {
  readonly code: ProblemCode;
  /** Milliseconds since 1970. */
  readonly atMs: number;
  /** The wrong one, where the error says which. */
  readonly setting: string | undefined;
}

const keptMs = 24 * 3_600_000;

/** The last failure with each code in this instance, for a day: what a check of the parts cannot see. */
export class RecentFailures {
  readonly #clock: Clock;
  readonly #byCode = new Map<ProblemCode, PartFailure>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  record({ code, facts }: ServiceError): void {
    const setting = facts.params?.['setting'];
    this.#byCode.set(code, {
      code,
      atMs: this.#clock.now(),
      setting: setting === undefined ? undefined : String(setting),
    });
  }

  /** The latest with one of the codes. */
  last(codes: readonly ProblemCode[]): PartFailure | undefined {
    const sinceMs = this.#clock.now() - keptMs;
    return codes
      .flatMap((code) => this.#byCode.get(code) ?? [])
      .filter(({ atMs }) => atMs >= sinceMs)
      .toSorted((one, other) => other.atMs - one.atMs)[0];
  }
}

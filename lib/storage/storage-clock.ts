import type { TableClient, TableServiceClientOptions } from '@azure/data-tables';
import type { EventLog } from '../base/event-log.ts';
import { systemClock, type Clock } from '../contract/clock.ts';
import { orNullIfMissing } from './rejections.ts';
import { storageUnavailable } from './storage-failure.ts';

/** Where the storage's time minus the local time is, in milliseconds. */
interface Interval {
  readonly from: number;
  readonly to: number;
}

const witnesses = 3;
// Requests for witnesses, sent concurrently: as many as are missing.
const maxSent = 12;
const loggedFromMs = 5_000;
// The storage has many front ends, whose clocks differ by at most so much from the time that they are meant to have. Otherwise
// their responses would contradict each other: with 200 ms one of 300 decisions failed, with a second one of eight.
const frontEndsMs = 1_000;

/** A clock that all instances share, once it is certain. */
export interface SharedClock extends Clock {
  /** For durations, such as the time that a call has: nobody sets it in between. */
  readonly steady: Pick<Clock, 'now'>;

  /**
   * The time for a decision that one instance makes for all, such as whether a lease has ended.
   *
   * @param request sent as often as needed, for its response; never if the time is certain
   * @throws ServiceError `storage_unavailable` if the responses do not make it certain
   */
  certainNow(request: () => Promise<unknown>): Promise<number>;
}

/** The time for a decision about what another call owns, and for what it is compared with: certain by responses of this table. */
export const certainNowBy = ({
  clock,
  table,
}: {
  readonly clock: SharedClock;
  readonly table: TableClient;
}): Promise<number> => clock.certainNow(() => orNullIfMissing(table.getEntity('-', '-')));

/**
 * The time of the storage, which all instances share: what is visible and which lease has ended must not depend on the clock
 * of one instance.
 *
 * Estimated from the `Date` of its responses, in whole seconds (RFC 9110, 6.6.1). The local clock counts as right until
 * three responses in a row contradict it and agree with each other: one response may be from a server whose clock is wrong.
 * The time is certain when the last three responses agree, thus neither at start nor when the local clock has been set.
 */
export class StorageClock implements SharedClock {
  readonly #local: Clock;
  readonly steady = { now: () => Math.floor(performance.now()) };
  readonly #log: EventLog;
  #accepted: Interval = { from: 0, to: 0 };
  /** Responses in a row that agree with `#accepted`; counted up to `witnesses`. */
  #agreeing = 0;
  #contradicting: Interval[] = [];
  /** All callers wait for the same requests. */
  #witnessing: Promise<void> | undefined;

  constructor(log: EventLog, local: Clock = systemClock) {
    this.#local = local;
    this.#log = log;
  }

  /** The storage's time minus the local time; 0 if the local clock may be right. */
  get differenceMs(): number {
    const { from, to } = this.#accepted;
    return from <= 0 && to >= 0 ? 0 : Math.round((from + to) / 2);
  }

  now(): number {
    return this.#local.now() + this.differenceMs;
  }

  wait(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#local.wait(ms, signal);
  }

  async certainNow(request: () => Promise<unknown>): Promise<number> {
    if (this.#missing > 0) {
      this.#witnessing ??= this.#witness(request).finally(() => (this.#witnessing = undefined));
      await this.#witnessing;
    }
    return this.now();
  }

  async #witness(request: () => Promise<unknown>): Promise<void> {
    let sent = 0;
    while (this.#missing > 0) {
      const missing = this.#missing;
      if (sent + missing > maxSent) {
        throw storageUnavailable(new Error('the times of its responses are missing, or do not agree'));
      }
      sent += missing;
      await Promise.all(Array.from({ length: missing }, request));
    }
  }

  /** How many responses can make the time certain. */
  get #missing(): number {
    const isContradicted = this.#contradicting.length > 0;
    return witnesses - (isContradicted ? this.#contradicting.length : this.#agreeing);
  }

  /** For the clients whose responses are read. */
  readonly policies: NonNullable<TableServiceClientOptions['additionalPolicies']> = [
    {
      position: 'perRetry',
      policy: {
        name: 'storageClock',
        sendRequest: async (request, next) => {
          const sentMs = this.#local.now();
          const response = await next(request);
          const dateMs = Date.parse(response.headers.get('date') ?? '');
          // The date is up to a second before the response was sent, which was between the two local times.
          if (!Number.isNaN(dateMs)) {
            const from = dateMs - this.#local.now() - frontEndsMs;
            this.#observe({ from, to: dateMs + 1000 - sentMs + frontEndsMs });
          }
          return response;
        },
      },
    },
  ];

  #observe(observed: Interval): void {
    const accepted = intersection([this.#accepted, observed]);
    if (accepted) {
      this.#accepted = accepted;
      this.#agreeing = Math.min(this.#agreeing + 1, witnesses);
      this.#contradicting = [];
    } else {
      this.#agreeing = 0;
      const agreed = intersection([...this.#contradicting, observed]);
      this.#contradicting = agreed ? [...this.#contradicting, observed] : [observed];
      if (!agreed || this.#contradicting.length < witnesses) return;
      this.#accepted = agreed;
      this.#agreeing = witnesses;
      this.#contradicting = [];
      if (Math.abs(this.differenceMs) > loggedFromMs)
        this.#log.warn('clock_differs', { seconds: Math.round(this.differenceMs / 1000) });
    }
  }
}

function intersection(intervals: readonly Interval[]): Interval | undefined {
  const common = intervals.reduce((one, other) => ({
    from: Math.max(one.from, other.from),
    to: Math.min(one.to, other.to),
  }));
  return common.from <= common.to ? common : undefined;
}

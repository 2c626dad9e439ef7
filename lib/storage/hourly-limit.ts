import { createHash, randomUUID } from 'node:crypto';
import type { TableClient } from '@azure/data-tables';
import { ServiceError } from '../base/service-error.ts';
import { inSlices } from '../base/slices.ts';
import { conditionalWrite, untilSettled, columnWriter } from './conditional-write.ts';
import { orNullIfMissing } from './rejections.ts';
import type { SharedClock } from './storage-clock.ts';
import { firstRows, odata } from './table-rows.ts';

/** Calls by the minute in which they were made, in minutes since the epoch; oldest first. */
type Minutes = readonly (readonly [minute: number, calls: number])[];

interface Row {
  readonly minutes: string;
  readonly writtenAt: Date;
  /** Of one write, to recognize it if its response was lost. */
  readonly writer: string;
}

const minuteMs = 60_000;
const minutesOfAnHour = 60;
const maxRemoved = 1000;
const parallelRemovals = 8;

/**
 * Counts what callers do within an hour, in one row for each. All instances agree exactly, because a count is written on
 * the condition that its row is as it was read. A call counts until the minute in which it was made is an hour ago, so the
 * limit holds for every period of 60 minutes, and a call becomes free up to a minute late.
 *
 * Two requests for a call: the row, and its next state.
 */
export class HourlyLimit {
  readonly #table: TableClient;
  readonly #clock: SharedClock;
  readonly #partitionKey: string;
  readonly #max: number;

  /** @param what is counted, in the plural: part of the key and of the error */
  constructor(table: TableClient, clock: SharedClock, { what, max }: { what: string; max: number }) {
    this.#table = table;
    this.#clock = clock;
    this.#partitionKey = `hourly-${what}`;
    this.#max = max;
  }

  /** @throws ServiceError `rate_limited` above the limit, with the time until the next call */
  async count(userId: string): Promise<void> {
    const partitionKey = this.#partitionKey;
    const rowKey = keyOf(userId);
    const writer = randomUUID();
    await untilSettled(
      partitionKey,
      async () => {
        const row = await orNullIfMissing(this.#table.getEntity<Row>(partitionKey, rowKey));
        const nowMs = this.#clock.now();
        const now = Math.floor(nowMs / minuteMs);
        // What a clock has written that was ahead counts as now.
        const counted = minutesIn(row).flatMap(([minute, calls]) =>
          minute > now - minutesOfAnHour - 1 ? [[Math.min(minute, now), calls] as const] : [],
        );
        const total = counted.reduce((sum, [, calls]) => sum + calls, 0);
        if (total >= this.#max) throw this.#tooMany(freeAtMs(counted, total - this.#max + 1) - nowMs);
        const minutes = JSON.stringify(withOneMore(counted, now));
        const next = { partitionKey, rowKey, minutes, writtenAt: new Date(nowMs), writer };
        const write = row
          ? this.#table.updateEntity(next, 'Replace', { etag: row.etag })
          : this.#table.createEntity(next);
        return conditionalWrite(write, columnWriter(this.#table, next, 'writer', writer));
      },
      // Of calls at the same time, each crossing lets one through.
      32,
    );
  }

  /** Removes up to 1,000 rows of callers who have called nothing for two hours. */
  async removeExpired(): Promise<void> {
    const before = new Date(this.#clock.now() - 2 * minutesOfAnHour * minuteMs);
    const filter = odata`PartitionKey eq ${this.#partitionKey} and writtenAt lt ${before}`;
    await inSlices(
      await firstRows<Row>(this.#table, filter, maxRemoved),
      parallelRemovals,
      ({ rowKey = '', etag }) =>
        conditionalWrite(this.#table.deleteEntity(this.#partitionKey, rowKey, { etag })),
    );
  }

  #tooMany(waitMs: number): ServiceError {
    const what = this.#partitionKey.slice('hourly-'.length);
    return new ServiceError('rate_limited', {
      detail: `At most ${this.#max} ${what} an hour are allowed for each user.`,
      params: { max: this.#max },
      retryAfterSeconds: Math.max(1, waitMs / 1000),
    });
  }
}

/** When so many of the oldest calls no longer count. */
function freeAtMs(counted: Minutes, calls: number): number {
  let rest = calls;
  for (const [minute, made] of counted) {
    rest -= made;
    if (rest <= 0) return (minute + minutesOfAnHour + 1) * minuteMs;
  }
  return 0;
}

function withOneMore(counted: Minutes, now: number): Minutes {
  const ofNow = counted.filter(([minute]) => minute === now).reduce((sum, [, calls]) => sum + calls, 0);
  return [...counted.filter(([minute]) => minute !== now), [now, ofNow + 1]];
}

/** Read leniently: a row that a hand has broken starts again. */
function minutesIn(row: Row | null): Minutes {
  try {
    const minutes: unknown = JSON.parse(row?.minutes ?? '[]');
    return Array.isArray(minutes) ? (minutes as unknown[]).filter(isMinute) : [];
  } catch {
    return [];
  }
}

const isMinute = (value: unknown): value is readonly [number, number] =>
  Array.isArray(value) && value.length === 2 && value.every(Number.isSafeInteger);

/** Keys cannot have every character, and the table needs no second place with the id of a person. */
const keyOf = (userId: string): string => createHash('sha256').update(userId).digest('hex');

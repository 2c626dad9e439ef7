import type { components } from '../../openapi/openapi-types.ts';

type Hour = components['schemas']['FolderRequestHour'];

const hourMs = 3_600_000;

/** @param start of the hour */
export const endOfHour = (start: string): string => new Date(Date.parse(start) + hourMs).toISOString();

export interface Day {
  /** The beginning of its first hour. */
  readonly start: string;
  /** The end of its last hour. */
  readonly end: string;
  readonly fulfilled: number;
  readonly failed: number;
}

/**
 * The outcomes of each day in the zone of the user, newest first; the oldest day may be incomplete.
 *
 * @param hours oldest first
 * @param dayOf names the day of a time
 */
export function daysOf(
  hours: readonly Hour[],
  dayOf: (at: Date) => string = (at) => at.toDateString(),
): readonly Day[] {
  const days = new Map<string, Day>();
  for (const { start, fulfilled, failed } of hours) {
    const name = dayOf(new Date(start));
    const day = days.get(name) ?? { start, fulfilled: 0, failed: 0 };
    days.set(name, {
      ...day,
      end: endOfHour(start),
      fulfilled: day.fulfilled + fulfilled,
      failed: day.failed + failed,
    });
  }
  return [...days.values()].toReversed();
}

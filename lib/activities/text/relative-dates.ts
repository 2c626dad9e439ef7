import { numberOf } from './number-words.ts';

const days: readonly (readonly [RegExp, number])[] = [
  [/(?<!\p{L})vorgestern(?!\p{L})/iu, -2],
  [/(?<!\p{L})gestern(?!\p{L})/iu, -1],
  [/(?<!\p{L})(?:heute|today)(?!\p{L})/iu, 0],
  [/(?<!\p{L})(?:morgen|tomorrow)(?!\p{L})/iu, 1],
  [/(?<!\p{L})übermorgen(?!\p{L})/iu, 2],
];
const weekdays = [
  /sonntag|sunday/i,
  /montag|monday/i,
  /dienstag|tuesday/i,
  /mittwoch|wednesday/i,
  /donnerstag|thursday/i,
  /freitag|friday/i,
  /samstag|sonnabend|saturday/i,
];
const spans = /(?<!\p{L})(?:in|binnen|innerhalb(?: von)?)\s(\p{L}{1,12}|\d{1,3})\s(tag|woche|day|week)/giu;

/**
 * The days that `given` names in words, relative to `date`: tomorrow, in two weeks, a weekday within the next 14 days.
 * A text may state them as dates.
 */
export function relativeDates(given: string, date: string): Date[] {
  const offsets = new Set(days.filter(([pattern]) => pattern.test(given)).map(([, offset]) => offset));
  for (let offset = 0; offset < 14; offset++) {
    if (weekdays[dayAfter(date, offset).getUTCDay()]?.test(given)) offsets.add(offset);
  }
  for (const [, count = '', unit = ''] of given.matchAll(spans)) {
    const value = numberOf(count);
    if (value !== null) offsets.add(value * (/^(?:woche|week)/i.test(unit) ? 7 : 1));
  }
  return [...offsets].map((offset) => dayAfter(date, offset));
}

function dayAfter(date: string, offset: number): Date {
  const day = new Date(`${date}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() + offset);
  return day;
}

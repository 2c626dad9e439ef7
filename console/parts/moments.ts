import type { Language } from '../texts/language.ts';

/** English dates are European ones, day first. */
const localeOf = { de: 'de-DE', en: 'en-GB' } as const satisfies Record<Language, string>;

const units: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** `3 minutes ago`, `vor 3 Minuten`. */
export function relativeTime(at: Date, now: Date, language: Language): string {
  const format = new Intl.RelativeTimeFormat(localeOf[language], { numeric: 'auto', style: 'short' });
  const seconds = (at.getTime() - now.getTime()) / 1000;
  for (const [unit, length] of units) {
    if (Math.abs(seconds) >= length) return format.format(Math.round(seconds / length), unit);
  }
  return format.format(Math.min(0, Math.round(seconds / 10) * 10), 'second');
}

/** Date and time, in local time. */
export const exactTime = (at: Date, language: Language): string =>
  at.toLocaleString(localeOf[language], { dateStyle: 'medium', timeStyle: 'medium' });

/** The time; at midnight the day instead, which separates the days on an axis. */
export function shortTime(at: Date, language: Language): string {
  const isMidnight = at.getHours() === 0 && at.getMinutes() === 0;
  return isMidnight
    ? at.toLocaleDateString(localeOf[language], { day: 'numeric', month: 'short' })
    : at.toLocaleTimeString(localeOf[language], { timeStyle: 'short' });
}

/** `14 Jan 2027` for `2027-01-14`, in any time zone. */
export const dayText = (day: string, language: Language): string =>
  new Date(day).toLocaleDateString(localeOf[language], { dateStyle: 'medium', timeZone: 'UTC' });

/** `Fri, 14 Jan`, in local time. */
export const weekdayText = (at: Date, language: Language): string =>
  at.toLocaleDateString(localeOf[language], { weekday: 'short', day: 'numeric', month: 'short' });

export const clockTime = (at: Date, language: Language): string =>
  at.toLocaleTimeString(localeOf[language], { timeStyle: 'medium' });

/** `2 min`, `3 Std.` */
export function duration(seconds: number, language: Language): string {
  const [unit, length] = units.find(([, size]) => seconds >= size) ?? (['second', 1] as const);
  return new Intl.NumberFormat(localeOf[language], { style: 'unit', unit, unitDisplay: 'short' }).format(
    Math.floor(seconds / length),
  );
}

import type { Language } from '../texts/text-of-code.ts';

/** English dates are European ones, day first. */
const localeOf = { de: 'de-DE', en: 'en-GB' } as const satisfies Record<Language, string>;

const units: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** `3 minutes ago`, `vor 3 Minuten`. */
function relativeTime(at: Date, now: Date, language: Language): string {
  const format = new Intl.RelativeTimeFormat(localeOf[language], { numeric: 'auto', style: 'long' });
  const seconds = (at.getTime() - now.getTime()) / 1000;
  for (const [unit, length] of units) {
    if (Math.abs(seconds) >= length) return format.format(Math.round(seconds / length), unit);
  }
  return format.format(Math.min(0, Math.round(seconds / 10) * 10), 'second');
}

const minuteMs = 60_000;
/** Until then, how long ago it was says more than the time. */
const relativeUntilMs = 60 * minuteMs;

/**
 * `3 minutes ago`, `today, 14:05`, `yesterday, 14:05`, `14 Jan, 14:05`, in local time; the year only if it is another one.
 */
export function momentText(at: Date, now: Date, language: Language): string {
  if (Math.abs(now.getTime() - at.getTime()) < relativeUntilMs) return relativeTime(at, now, language);
  const locale = localeOf[language];
  const daysAgo = Math.round((dayStart(now) - dayStart(at)) / (24 * 60 * minuteMs));
  const isNear = daysAgo === 0 || daysAgo === 1;
  const day = isNear
    ? new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(-daysAgo, 'day')
    : at.toLocaleDateString(locale, {
        day: 'numeric',
        month: 'short',
        ...(at.getFullYear() !== now.getFullYear() && { year: 'numeric' }),
      });
  return `${day}, ${at.toLocaleTimeString(locale, { timeStyle: 'short' })}`;
}

const dayStart = (at: Date): number => new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();

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

/** `Fri, 14 Jan, 14:00`, in local time. */
export const hourText = (at: Date, language: Language): string =>
  `${weekdayText(at, language)}, ${at.toLocaleTimeString(localeOf[language], { timeStyle: 'short' })}`;

export const clockTime = (at: Date, language: Language): string =>
  at.toLocaleTimeString(localeOf[language], { timeStyle: 'medium' });

/** `2 minutes`, `3 Stunden` */
export function duration(seconds: number, language: Language): string {
  const [unit, length] = units.find(([, size]) => seconds >= size) ?? (['second', 1] as const);
  return new Intl.NumberFormat(localeOf[language], { style: 'unit', unit, unitDisplay: 'long' }).format(
    Math.floor(seconds / length),
  );
}

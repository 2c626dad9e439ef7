import type { Language } from '../texts/language.ts';

/** Dates in English are those of Europe, the day first. */
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

/** With date, in local time. */
export const exactTime = (at: Date, language: Language): string =>
  at.toLocaleString(localeOf[language], { dateStyle: 'medium', timeStyle: 'medium' });

export const clockTime = (at: Date, language: Language): string =>
  at.toLocaleTimeString(localeOf[language], { timeStyle: 'medium' });

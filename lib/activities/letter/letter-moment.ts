import { isGerman } from '../text/language.ts';

/** The time at which a letter is written, with the time zone and language of its dates. */
export interface LetterMoment {
  readonly atMs: number;
  /** IANA name, e.g. `Europe/Berlin`. */
  readonly timeZone: string;
  /** BCP 47 tag for the names of months and weekdays. */
  readonly language: string;
}

export type DateField = 'DATE' | 'TIME' | 'CREATEDATE' | 'SAVEDATE';

/**
 * Formats the moment by the picture of a Word date field (ECMA-376 part 1, 17.16.4.1), such as `dd.MM.yyyy` or
 * `d. MMMM yyyy 'um' HH:mm`. Without a picture, formats it as Word does in the language of the letter.
 */
export function momentAs(field: DateField, picture: string | null, moment: LetterMoment): string {
  const shown = picture ?? (isGerman(moment.language) ? germanPictures : otherPictures)[field];
  const value = valuesOf(moment);
  return shown.replace(items, (item, ...literals: (string | undefined)[]) => {
    // Only months and minutes, and the two clocks, differ in case.
    const name = /^[DYS]/.test(item) ? item.toLowerCase() : item;
    return literals[0] ?? literals[1] ?? value[name]?.() ?? item;
  });
}

const germanPictures: Record<DateField, string> = {
  DATE: 'dd.MM.yyyy',
  TIME: 'HH:mm',
  CREATEDATE: 'dd.MM.yyyy HH:mm:ss',
  SAVEDATE: 'dd.MM.yyyy HH:mm:ss',
};
// Unambiguous in every country: 05/11/2026 is May in some and November in others.
const otherPictures: Record<DateField, string> = {
  DATE: 'd MMMM yyyy',
  TIME: 'HH:mm',
  CREATEDATE: 'd MMMM yyyy HH:mm:ss',
  SAVEDATE: 'd MMMM yyyy HH:mm:ss',
};

// Case distinguishes months (M) from minutes (m), and the 24-hour clock (H) from the 12-hour clock (h). LibreOffice writes
// `d\ MMMM`.
const items =
  /'([^']*)'|\\(.)|AM\/PM|am\/pm|[dD]{1,4}|M{1,4}|[yY]{4}|[yY]{2}|H{1,2}|h{1,2}|m{1,2}|[sS]{1,2}/g;

function valuesOf({ atMs, timeZone, language }: LetterMoment): Record<string, () => string> {
  const one = (options: Intl.DateTimeFormatOptions, type: Intl.DateTimeFormatPartTypes): string =>
    new Intl.DateTimeFormat(language, { ...options, timeZone, numberingSystem: 'latn', calendar: 'gregory' })
      .formatToParts(atMs)
      .find((part) => part.type === type)?.value ?? '';
  const [date = '', time = ''] = isoLocal(atMs, timeZone).split('T');
  const [year = '', month = '', day = ''] = date.split('-');
  const [hour = '', minute = '', second = ''] = time.split(':');
  const short = (digits: string): string => String(Number(digits));
  const hour12 = String(((Number(hour) + 11) % 12) + 1);
  // Includes the day: languages with two forms of a month's name then use the form that dates have.
  const monthName = (month: 'long' | 'short'): string => one({ day: 'numeric', month }, 'month');
  return {
    d: () => short(day),
    dd: () => day,
    ddd: () => one({ weekday: 'short' }, 'weekday'),
    dddd: () => one({ weekday: 'long' }, 'weekday'),
    M: () => short(month),
    MM: () => month,
    MMM: () => monthName('short'),
    MMMM: () => monthName('long'),
    yy: () => year.slice(2),
    yyyy: () => year,
    H: () => short(hour),
    HH: () => hour,
    h: () => hour12,
    hh: () => hour12.padStart(2, '0'),
    m: () => short(minute),
    mm: () => minute,
    s: () => short(second),
    ss: () => second,
    'AM/PM': () => (Number(hour) < 12 ? 'AM' : 'PM'),
    'am/pm': () => (Number(hour) < 12 ? 'am' : 'pm'),
  };
}

/** Local time in the time zone, `2026-11-22T10:05:00`. */
export function isoLocal(atMs: number, timeZone: string): string {
  return isoFormat(timeZone).format(atMs).replace(' ', 'T');
}

// Creating a format takes 80 µs, a quarter of a one-page letter; a service has one time zone.
let lastFormat: { readonly timeZone: string; readonly format: Intl.DateTimeFormat } | undefined;

function isoFormat(timeZone: string): Intl.DateTimeFormat {
  if (lastFormat?.timeZone !== timeZone) {
    // The Swedish locale formats dates as ISO 8601.
    const format = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium', timeZone });
    lastFormat = { timeZone, format };
  }
  return lastFormat.format;
}

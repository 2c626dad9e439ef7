import { isGerman } from '../../text/language/language.ts';

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
  const shown = picture ?? usualPicture(field, moment.language);
  return shown.replace(items, (item, ...literals: (string | undefined)[]) => {
    // Only months and minutes, and the two clocks, differ in case.
    const name = /^[DYS]/.test(item) ? item.toLowerCase() : item;
    return literals[0] ?? literals[1] ?? itemAs(name, moment);
  });
}

function usualPicture(field: DateField, language: string): string {
  if (field === 'TIME') return 'HH:mm';
  // Unambiguous in every country: 05/11/2026 is May in some and November in others.
  const date = isGerman(language) ? 'dd.MM.yyyy' : 'd MMMM yyyy';
  return field === 'DATE' ? date : `${date} HH:mm:ss`;
}

// Case distinguishes months (M) from minutes (m), and the 24-hour clock (H) from the 12-hour clock (h). LibreOffice writes
// `d\ MMMM`.
const items =
  /'([^']*)'|\\(.)|AM\/PM|am\/pm|[dD]{1,4}|M{1,4}|[yY]{4}|[yY]{2}|H{1,2}|h{1,2}|m{1,2}|[sS]{1,2}/g;

/** One item of a picture: its letter is what it shows, its length the form. */
function itemAs(item: string, moment: LetterMoment): string {
  const { atMs, timeZone, language } = moment;
  const named = (options: Intl.DateTimeFormatOptions, type: Intl.DateTimeFormatPartTypes): string =>
    new Intl.DateTimeFormat(language, { ...options, timeZone, numberingSystem: 'latn', calendar: 'gregory' })
      .formatToParts(atMs)
      .find((part) => part.type === type)?.value ?? '';
  const [year = '', month, day, hour, minute, second] = isoLocal(moment).split(/[-T:]/);
  const [letter = ''] = item;
  if (item === 'AM/PM') return Number(hour) < 12 ? 'AM' : 'PM';
  if (item === 'am/pm') return Number(hour) < 12 ? 'am' : 'pm';
  if (letter === 'y') return year.slice(-item.length);
  if (item.length > 2) {
    const form = item.length === 3 ? 'short' : 'long';
    // Includes the day: languages with two forms of a month's name then use the form that dates have.
    return letter === 'd'
      ? named({ weekday: form }, 'weekday')
      : named({ day: 'numeric', month: form }, 'month');
  }
  const hour12 = `${((Number(hour) + 11) % 12) + 1}`;
  const numbers = new Map(Object.entries({ d: day, M: month, H: hour, h: hour12, m: minute, s: second }));
  return String(Number(numbers.get(letter))).padStart(item.length, '0');
}

// Creating a format takes 80 µs, a quarter of a one-page letter; a service has one time zone.
const isoFormats = new Map<string, Intl.DateTimeFormat>();

/** The time in its time zone, `2026-11-22T10:05:00`. */
export function isoLocal({ atMs, timeZone }: LetterMoment): string {
  // The Swedish locale formats dates as ISO 8601.
  const format =
    isoFormats.get(timeZone) ??
    new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium', timeZone });
  isoFormats.set(timeZone, format);
  return format.format(atMs).replace(' ', 'T');
}

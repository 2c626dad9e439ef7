import {
  type Day,
  dateOf,
  dayAt,
  daysFrom,
  mondayOf,
  mondayOfWeek,
  monthNames,
  monthNumber,
  monthsAfter,
  nearestDays,
  weekdayNames,
  weekdayNumber,
  weekdayOf,
} from './calendar.ts';

const word = (pattern: string, flags = 'iu'): RegExp =>
  new RegExp(`(?<!\\p{L})(?:${pattern})(?!\\p{L})`, flags);

const offsets: readonly (readonly [pattern: RegExp, days: number])[] = [
  [word('vorgestern'), -2],
  [word('gestern|yesterday|letzte nacht|last night'), -1],
  [word('heute|today'), 0],
  [word('morgen|tomorrow'), 1],
  [word('übermorgen'), 2],
];

// Their direction is not read: on a Friday, "diese" and "nächste Woche" are the same to some and different to others.
const relative =
  '(?:(?:über)?nächste|kommende|letzte|vorige|vergangene|diese|(?:ende|bis) (?:de|diese)|nä\\.?|next|last)[nmrs]?\\s';
const aWeek = word(`${relative}(?:woche|week)|wochenende`);
const aMonth = word(
  `${relative}(?:monats?|month)|monats(?:ende|ersten?)|ultimo|(?:zum|am) (?:nächsten )?ersten`,
);
const aQuarter = word('quartalsende|ende (?:des|dieses) quartals');
const endOfYear = word('jahresende|jahreswechsel|ende (?:des|diesen|dieses) jahres|silvester');
const nextYear = word('(?:nächste|kommende|next)[nrs]?\\s(?:jahr(?:es)?|year)|neujahr');

/** "ab Januar", "Ende März": the next month of this name. */
const monthOnly = word(`(?:ab|seit|bis|zum|anfang|mitte|ende|from|since)\\s(${monthNames})`, 'giu');

const weekday = new RegExp(`(?<!\\p{L})(${weekdayNames})`, 'giu');

const aDay = String.raw`(?:0?[1-9]|[12]\d|3[01])`;
/** A day without its month: "bis zum 15.", "di 8. od do 10.12.", "8 oder 10.12." */
const dayOnly = new RegExp(
  String.raw`(?<![\d.,])(${aDay})(?:\.(?!\s?\d)|(?=\s?(?:[-–/&+,]|u|und|od|oder|bzw|bis)\.?\s?(?:\p{L}{2}\.?\s)?${aDay}\.))`,
  'giu',
);

/** The days that `given` names relative to `today` or to `dates`, those that it contains. */
export function namedDays(given: string, today: Day, dates: readonly Day[]): Day[] {
  const { year, month } = dateOf(today);
  const mondays = [
    ...(aWeek.test(given) ? [-7, 0, 7, 14].map((days) => mondayOf(today) + days) : []),
    ...[...given.matchAll(/(?:KW|Kalenderwoche)\s?(\d{1,2})(?!\d)/giu)].map(([, week]) =>
      mondayOfWeek(Number(week), today),
    ),
  ];
  const weekdays = new Set([...given.matchAll(weekday)].map(([, name = '']) => weekdayNumber(name)));
  const named = [
    ...(aMonth.test(given) ? [month - 2, month - 1, month] : []),
    ...(aQuarter.test(given) ? [month - 1 - ((month - 1) % 3) + 2] : []),
    ...(endOfYear.test(given) ? [11] : []),
    ...(nextYear.test(given) ? [12, 23] : []),
    ...[...given.matchAll(monthOnly)].map(
      ([, name = '']) => ((monthNumber(name) - month + 12) % 12) + month - 1,
    ),
  ].map((count) => dayAt(year, count + 1, 1));
  return [
    ...offsets.filter(([pattern]) => pattern.test(given)).map(([, days]) => today + days),
    ...mondays.flatMap((monday) => [monday, monday + 4, monday + 6]),
    // Of the last week too: "seit Montag".
    ...[today - 7, today, today + 7, ...mondays, ...dates.map((day) => mondayOf(day))]
      .flatMap((first) => daysFrom(first, 7))
      .filter((day) => weekdays.has(weekdayOf(day))),
    ...named.flatMap((first) => [first, first + 14, monthsAfter(first, 1) - 1]),
    ...[...given.matchAll(dayOnly)].flatMap(([, date]) => [
      ...daysFrom(today - 31, 62).filter((day) => dateOf(day).date === Number(date)),
      ...dates.flatMap((day) => nearestDays(dateOf(day).month, Number(date), today)),
    ]),
  ];
}

const deadline = new RegExp(
  `(?<!\\p{L})(?:(?:bis|zum) )?(?:ende (?:der|dieser|nächster|kommender|der (?:nächsten|kommenden)) woche|(?<=bis |bis zum |zum )ende (?:des|dieses) monats|(?:innerhalb|binnen) (?:einer|eines) (?:woche|monats)|übermorgen|(?<!(?:guten|am|jeden) )morgen|by (?:the )?end of (?:the|this|next) week|within (?:a|one) (?:week|month)|tomorrow)(?!\\p{L})`,
  'giu',
);
const weekdayInText =
  /(?<!\p{L})(sonntag|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sunday|monday|tuesday|wednesday|thursday|friday|saturday)(?!s?(?:gasse|platz|straße)|,?\s(?:de[nmr]\s)?\d)/giu;
const span =
  /(?<!\p{L})(?:woche|wo\.|8 tage|acht tage|7 tage|sieben tage|week|kw|kalenderwoche|monat|month|quartal|ultimo)/iu;

/**
 * Weekdays and deadlines in words that `given` does not name; a weekday beside a date is `wrongWeekdays`' matter. A weekday is known when a named or written day is one; a
 * deadline when `given` has a span or a day that it may mean.
 */
export function unknownDays(text: string, given: string, dates: readonly Day[], today: Day): string[] {
  const stated = dates.filter((day) => day !== today);
  const named = [...stated, ...namedDays(given, today, stated)];
  const weekdays = new Set([
    ...named.map((day) => weekdayOf(day)),
    ...[...given.matchAll(weekday)].map(([, name = '']) => weekdayNumber(name)),
  ]);
  const isKnownWeek = span.test(given) || weekdays.size > 0;
  const unknownWeekdays = [...text.matchAll(weekdayInText)].filter(
    ([, name = '']) => !weekdays.has(weekdayNumber(name)),
  );
  const unknownDeadlines = [...text.matchAll(deadline)].filter(([whole]) => {
    const offset = offsets.find(([pattern]) => pattern.test(whole));
    if (offset !== undefined) {
      return !named.includes(today + offset[1]) && !offset[0].test(given);
    }
    return !isKnownWeek;
  });
  return [...unknownWeekdays, ...unknownDeadlines].map(([whole]) => whole);
}

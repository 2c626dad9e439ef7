import { type Figure, figuresIn } from './figures.ts';
import {
  type Day,
  dateOf,
  dayAt,
  dayOf,
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
const endOfYear = word('jahresende|jahreswechsel|ende (?:des|diesen|dieses) jahres|silvester');

/** "ab Januar", "Ende März": the next month of this name. */
const monthOnly = word(`(?:ab|seit|bis|zum|anfang|mitte|ende|from|since)\\s(${monthNames})`, 'giu');

/** "gekauft märz 24", "3. Okt. '25": a year of two digits after the name of its month. */
const shortYear = new RegExp(
  `(?<![\\p{L}\\d])(?:(\\d{1,2})\\.\\s?)?(${monthNames})\\.?\\s['’]?(\\d{2})(?!\\d)`,
  'giu',
);

const following = word('danach|darauf|drauf|folgetag');
const weekday = new RegExp(`(?<!\\p{L})(${weekdayNames})`, 'giu');

const aDay = String.raw`(?:0?[1-9]|[12]\d|3[01])`;
/** A day without its month: "bis zum 15.", "di 8. od do 10.12.", "8 oder 10.12." */
const dayOnly = new RegExp(
  String.raw`(?<![\d.,])(${aDay})(?:\.(?!\s?\d)|(?=\s?(?:[-–/&+,]|u|und|od|oder|bzw|bis)\.?\s?(?:\p{L}{2}\.?\s)?${aDay}\.))`,
  'giu',
);

const offsetDays = (given: string, today: Day): Day[] =>
  offsets.filter(([pattern]) => pattern.test(given)).map(([, days]) => today + days);

/** The days that `given` names relative to `today` or to `dates`, those that it contains. */
export function namedDays(given: string, today: Day, dates: readonly Day[]): Day[] {
  const { year, month } = dateOf(today);
  const mondays = [
    ...(aWeek.test(given) ? [-7, 0, 7, 14].map((days) => mondayOf(today) + days) : []),
    ...[
      ...given.matchAll(
        /(?:KW|Kalenderwoche)\s?(\d{1,2})(?!\d)(?:\s(?:auf|statt|oder|und|bis)\s(\d{1,2})(?!\.?\d))?/giu,
      ),
    ].flatMap(([, ...weeks]) => weeks.filter(Boolean).map((week) => mondayOfWeek(Number(week), today))),
  ];
  const weekdays = new Set([...given.matchAll(weekday)].map(([, name = '']) => weekdayNumber(name)));
  const named = [
    ...(aMonth.test(given) ? [month - 2, month - 1, month] : []),
    ...(endOfYear.test(given) ? [11] : []),
    ...[...given.matchAll(monthOnly)].map(
      ([, name = '']) => ((monthNumber(name) - month + 12) % 12) + month - 1,
    ),
  ].map((count) => dayAt(year, count + 1, 1));
  // "Freitag 15.1., Montag drauf", "3.12., sonst am Tag danach"
  const followed = following.test(given) ? dates : [];
  return [
    ...offsetDays(given, today),
    ...followed.map((day) => day + 1),
    ...mondays.flatMap((monday) => [monday, monday + 4, monday + 6]),
    // Of the last week too: "seit Montag".
    ...[
      today - 7,
      today,
      today + 7,
      ...mondays,
      ...dates.map((day) => mondayOf(day)),
      ...followed.map((day) => day + 1),
    ]
      .flatMap((first) => daysFrom(first, 7))
      .filter((day) => weekdays.has(weekdayOf(day))),
    ...named.flatMap((first) => [first, first + 14, monthsAfter(first, 1) - 1]),
    ...[...given.matchAll(shortYear)].map(([, date = 1, name = '', year]) =>
      dayAt(2000 + Number(year), monthNumber(name), Number(date)),
    ),
    ...[...given.matchAll(dayOnly)].flatMap(([, date]) => [
      ...daysFrom(today - 31, 62).filter((day) => dateOf(day).date === Number(date)),
      ...dates.flatMap((day) => nearestDays(dateOf(day).month, Number(date), today)),
    ]),
  ];
}

const deadline = new RegExp(
  `(?<!\\p{L})(?:(?:bis|zum) )?(?:ende (?:der|dieser|nächster|kommender|der (?:nächsten|kommenden)) woche|(?<=bis |bis zum |zum )ende (?:des|dieses) monats|(?<=bis |bis zum |zum |am )(?:wochenende|monatsende)|(?:innerhalb|binnen) (?:einer|eines) (?:woche|monats)|übermorgen|(?<!(?:guten|am|jeden|diesem) )morgen|by (?:the )?end of (?:the|this|next) week|within (?:a|one) (?:week|month)|tomorrow)(?!\\p{L})`,
  'giu',
);
const spanInWords = /innerhalb|binnen|within/iu;
const weekdayInText =
  /(?<!\p{L})(sonntag|montag(?!e)|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sunday|monday|tuesday|wednesday|thursday|friday|saturday)(?!s?(?:gasse|platz|straße)|,?\s(?:de[nmr]\s)?\d)/giu;
const month = new RegExp(`(?<!\\p{L})(${monthNames})(?!\\p{L})`, 'giu');
const monthInText = new RegExp(
  `(?<!\\p{L})(?:ab|seit|bis|im|zum|anfang|mitte|ende|in|from|since|until) (${monthNames})(?!\\p{L}|\\s\\d)`,
  'giu',
);
/** From some months on, others follow. */
const manyMonths =
  /monat|rate|quartal|halbjahr|(?<!\p{L})(?:jahre?n?(?!\p{L})|q\s?[1-4])|month|year|\d\.\s?(?:-|–|bis)/iu;
const partOfDay =
  /(?<!\p{L})(?:am )?(?:(?:mon|diens|mittwoch|donners|frei|sams|sonn)?(?:tag)?)(vormittag|nachmittag|abend)(?!\p{L})/giu;

/**
 * Weekdays, parts of the day, months, and deadlines in words that `given` does not name; a weekday beside a date is the
 * matter of {@link wrongWeekdays}. A weekday is known when a named or written day is one; a deadline when a day that `given`
 * names is one that it may mean.
 */
export function unknownDays(text: string, given: string, facts: readonly Figure[], today: Day): string[] {
  const stated = facts.flatMap((figure) => dayIn(figure, today)).filter((day) => day !== today);
  const named = [...stated, ...namedDays(given, today, stated)];
  const unknown = [
    ...unknownWeekdays(text, given, [...stated, ...offsetDays(given, today)]),
    ...unknownDeadlines(text, facts, named, today),
    ...(facts.some(({ kind }) => kind === 'time') ? [] : unknownPartsOfDay(text, given)),
    ...(manyMonths.test(given) ? [] : unknownMonths(text, given, named)),
  ];
  return unknown.map(([whole]) => whole);
}

function unknownWeekdays(text: string, given: string, named: readonly Day[]): RegExpExecArray[] {
  const known = weekdaysIn(given, named);
  return [...text.matchAll(weekdayInText)].filter(([, name = '']) => !known.has(weekdayNumber(name)));
}

const weekdaysIn = (given: string, named: readonly Day[]): ReadonlySet<number> =>
  new Set([
    ...named.map((day) => weekdayOf(day)),
    ...[...given.matchAll(weekday)].map(([, name = '']) => weekdayNumber(name)),
  ]);

function unknownDeadlines(
  text: string,
  facts: readonly Figure[],
  named: readonly Day[],
  today: Day,
): RegExpExecArray[] {
  const ends = facts.flatMap((figure) => endOfSpan(figure, today));
  return [...text.matchAll(deadline)].filter(([phrase]) => {
    const known = new Set([...named, ...(spanInWords.test(phrase) ? ends : [])]);
    return !daysMeant(phrase, today).some((day) => known.has(day));
  });
}

/** "Frist 8 Tage" ends on a day that "innerhalb einer Woche" means. */
function endOfSpan(figure: Figure, today: Day): Day[] {
  if (figure.kind !== 'quantity') return [];
  const { unit, value } = figure;
  if (unit === 'day') return [today + value];
  return unit === 'month' ? [monthsAfter(today, value)] : [];
}

/** The days on which a deadline in words may end. */
function daysMeant(phrase: string, today: Day): Day[] {
  const offset = offsets.find(([pattern]) => pattern.test(phrase));
  if (offset !== undefined) return [today + offset[1]];
  const isMonth = /mona|month/iu.test(phrase);
  if (spanInWords.test(phrase)) return isMonth ? daysFrom(today + 28, 4) : daysFrom(today + 6, 3);
  const { year, month } = dateOf(today);
  if (isMonth) return [dayAt(year, month + 1, 0)];
  const friday = mondayOf(today) + 4;
  const isNext = /nächst|kommend|next/iu.test(phrase);
  // On a Friday, the end of the week may be that of the next one.
  return [
    ...(isNext ? [] : daysFrom(friday, 3)),
    ...(isNext || today >= friday ? daysFrom(friday + 7, 3) : []),
  ];
}

const unknownPartsOfDay = (text: string, given: string): RegExpExecArray[] =>
  [...text.matchAll(partOfDay)].filter(([, part = '']) => !given.toLowerCase().includes(part.toLowerCase()));

function unknownMonths(text: string, given: string, named: readonly Day[]): RegExpExecArray[] {
  const known = new Set([
    ...named.map((day) => dateOf(day).month),
    ...[...given.matchAll(month)].map(([, name = '']) => monthNumber(name)),
  ]);
  return [...text.matchAll(monthInText)].filter(([, name = '']) => !known.has(monthNumber(name)));
}

/** The days that a date may mean, and the first of a month with its year. */
export function dayIn(figure: Figure, today: Day): Day[] {
  if (figure.kind !== 'date') return [];
  const { date = 1, month, year } = figure;
  return year === undefined ? nearestDays(month, date, today) : [dayAt(year, month, date)];
}

// Not the end of "Montag bis Mittwoch", whose date is that of Monday.
const weekdayBefore = new RegExp(
  String.raw`(?<!\p{L})(?<!tag,? (?:bis|und|oder|sowie) (?:zum )?|woch,? (?:bis|und|oder|sowie) (?:zum )?|tags? ?[-–] ?|(?:Mo|Di|Mi|Do|Fr)\.?(?: bis | und |-|–))(${weekdayNames})\.?,?\s(?:(?:den|dem|der|the)\s)?$`,
  'iu',
);

/** Weekdays directly before a date that falls on another one. */
export function wrongWeekdays(text: string, today: string): string[] {
  return figuresIn(text).flatMap((figure) => {
    if (figure.kind !== 'date' || figure.date === undefined) return [];
    const [before, name = ''] =
      weekdayBefore.exec(text.slice(Math.max(0, figure.index - 40), figure.index)) ?? [];
    if (before === undefined) return [];
    const { year, month, date } = figure;
    const days = year === undefined ? nearestDays(month, date, dayOf(today)) : [dayAt(year, month, date)];
    const isRight = days.some((day) => weekdayOf(day) === weekdayNumber(name));
    return isRight ? [] : [`${before}${figure.excerpt}`];
  });
}

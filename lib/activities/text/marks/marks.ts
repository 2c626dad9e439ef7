import { dateOf, dayOf } from './calendar.ts';
import { attachments, attachmentRequest } from '../language/text-patterns.ts';
import { unknownNames } from '../names/people.ts';
import type { WrittenText } from '../task/text-provider.ts';
import { detailsOf, orderOf, type WritingTask } from '../task/writing-task.ts';
import { daysOf, laterTimes, namedDays, periodsBetween, weekdayForm } from './days.ts';
import { KnownForms } from './known-forms.ts';
import { type Place, placesIn, referenceUnit } from './places.ts';
import { type Fact, mayBeAmount, Steps, sumOfLast } from './steps.ts';

/** A place of the text that its reader should compare, because the data do not have it literally. */
export interface Mark {
  readonly kind: 'figure' | 'wrongWeekday' | 'attachment' | 'name';
  /** In `subject + '\n' + content`. */
  readonly start: number;
  readonly excerpt: string;
  /** How it follows from the data by one step, in their spelling: `6.200 + 19 %`. Without it, nothing explains the place. */
  readonly from?: string;
}

const listNumber = /(?:^|\n)[ \t]*(?:[-•] )?\d{1,2}[.)](?=[ \t]+(?!\d))/gu;
const tax = /(?<!\p{L})(?:mwst|mehrwertsteuer|ust|umsatzsteuer|netto|brutto|vat|net|gross)(?!\p{L})/iu;
const isTaxRate = ({ value, unit }: Place): boolean => unit === '%' && (value === 19 || value === 7);
/** `100 %`, and `1` of something. */
const isUsual = ({ form, unit }: Place): boolean =>
  (form === 'n1' && unit === '') || (form === 'n100' && unit === '%');
/** Full names only: `so`, `do`, and `mi` are also words. */
const isAbbreviation = ({ kind, excerpt }: Place): boolean => kind === 'weekday' && excerpt.length <= 3;

/**
 * The places of a text that are not in the data: those that one step explains, and those that nothing does.
 * @param body the text between salutation and closing formula
 */
export function marksIn({ subject, content }: WrittenText, task: WritingTask, body: string): Mark[] {
  const text = `${subject}\n${content}`;
  const order = orderOf(task);
  const data = `${detailsOf(task)}\n${order}`;
  return [
    ...figureMarks(text, data, task.date),
    ...attachmentMarks(text, order),
    ...nameMarks(text, data, [`${subject}\n`, body]),
  ].toSorted((one, other) => one.start - other.start);
}

function figureMarks(text: string, data: string, date: string): Mark[] {
  const today = dayOf(date);
  const given = placesIn(data, true).filter((each) => !isSoAsWord(each, data));
  const known = new KnownForms(data, given, today);
  const days = namedDays(data, given, today);
  const all = placesIn(text.replace(listNumber, (number) => ' '.repeat(number.length)));
  const besideDate = weekdaysBesideDates(all, text);
  const places = all.filter((each) => besideDate.has(each) || !isAbbreviation(each));
  const hasTax = tax.test(data);
  const isLiteral = (each: Place): boolean =>
    isUsual(each) || known.has(each) || (isTaxRate(each) && (hasTax || isBeforeTax(each, text)));

  const numbers = explainedNumbers(places, given, isLiteral, hasTax, text);
  const periods = periodsBetween(
    days,
    given.filter(({ kind }) => kind === 'time'),
  );
  const fromDay = (place: Place): string | undefined =>
    days.find(({ day, isDate }) => {
      if (place.kind === 'date') return daysOf(place.form, today).includes(day);
      if (place.kind === 'weekday') return isDate && weekdayForm(day) === place.form;
      if (place.kind === 'month') return place.form === `m${dateOf(day).month}`;
      return place.form === `n${dateOf(day).year}`;
    })?.from;
  const times = laterTimes(given);
  const fromTime = ({ kind, form }: Place): string | undefined =>
    kind === 'time'
      ? (times.get(form) ??
        given.find((each) => each.kind === 'time' && isHalfDayLater(form, each.form))?.excerpt)
      : undefined;

  return places.flatMap((place): Mark[] => {
    const dateBeside = besideDate.get(place);
    if (dateBeside !== undefined) {
      if (daysOf(dateBeside.form, today).some((day) => weekdayForm(day) === place.form)) return [];
      const end = dateBeside.start + dateBeside.excerpt.length;
      return [{ kind: 'wrongWeekday', start: place.start, excerpt: text.slice(place.start, end) }];
    }
    if (isLiteral(place)) return [];
    const from = numbers.get(place) ?? periods.get(place.form) ?? fromDay(place) ?? fromTime(place);
    const { start, excerpt } = place;
    return [{ kind: 'figure', start, excerpt: excerpt.trim(), ...(from !== undefined && { from }) }];
  });
}

/** `zzgl. 19 % MwSt.` */
const isBeforeTax = ({ start, excerpt }: Place, text: string): boolean =>
  tax.test(text.slice(start + excerpt.length, start + excerpt.length + 25));

/** "so" is Sunday only before a date or a time. */
const isSoAsWord = ({ kind, excerpt, start }: Place, data: string): boolean =>
  kind === 'weekday' && /^so$/i.test(excerpt) && !/^\.?,?\s?\d/u.test(data.slice(start + excerpt.length));

/** An hour from 1 to 11 may be one of the afternoon. */
const isHalfDayLater = (form: string, given: string): boolean =>
  Number(given.slice(1)) < 720 && Number(form.slice(1)) === Number(given.slice(1)) + 720;

/** The weekdays that stand before their date: `Mittwoch, 2.12.2026`. */
function weekdaysBesideDates(places: readonly Place[], text: string): Map<Place, Place> {
  return new Map(
    places.flatMap((each, at) => {
      const next = places[at + 1];
      if (each.kind !== 'weekday' || next?.kind !== 'date' || isEndOfRange(places[at - 1], each, text))
        return [];
      const between = text.slice(each.start + each.excerpt.length, next.start);
      return /^(?:s?[.,]{0,2}\s(?:de[nmr]\s)?|\s?\()$/u.test(between) ? [[each, next] as const] : [];
    }),
  );
}

/** `von Montag bis Mittwoch, 30.11. bis 2.12.`: the first date is that of the first day. */
function isEndOfRange(before: Place | undefined, { start }: Place, text: string): boolean {
  if (before?.kind !== 'weekday') return false;
  return /^\s?(?:bis|und|oder|to|and|–|-)\s?$/u.test(text.slice(before.start + before.excerpt.length, start));
}

/** The numbers of the text that follow from those of the data, or from those that the text has shown before. */
function explainedNumbers(
  places: readonly Place[],
  given: readonly Place[],
  isLiteral: (place: Place) => boolean,
  hasTax: boolean,
  text: string,
): Map<Place, string> {
  const explained = new Map<Place, string>();
  const steps = new Steps(hasTax);
  const givenFacts = factsIn(given);
  for (const fact of givenFacts) steps.add(fact);
  const positions = new Positions(text);
  for (const place of places.filter(({ value }) => value !== undefined)) {
    const fact = factOf(place);
    if (!isLiteral(place)) {
      const from =
        place.kind === 'number'
          ? (positions.sum(fact) ?? steps.from(fact) ?? sumOfRun(fact, givenFacts))
          : undefined;
      if (from === undefined) continue;
      explained.set(place, from);
    }
    steps.add(fact);
    positions.add(place, fact);
  }
  return explained;
}

const factOf = ({ value = 0, unit = '', excerpt }: Place): Fact => ({ value, unit, excerpt: excerpt.trim() });
const factsIn = (places: readonly Place[]): Fact[] =>
  places.filter(({ value, unit }) => value !== undefined && unit !== referenceUnit).map(factOf);

const mostPositions = 100;

/** The amounts that a text has listed so far: the last number of each line, and the amounts of money in one sentence. */
class Positions {
  readonly #text: string;
  #line = -1;
  #ofLines: Fact[] = [];
  #ofMoney: Fact[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  add({ start }: Place, fact: Fact): void {
    const line = this.#text.lastIndexOf('\n', start);
    const before = line === this.#line ? this.#ofLines.slice(0, -1) : this.#ofLines;
    this.#line = line;
    this.#ofLines = [...before, fact].slice(-mostPositions);
    if (/^[A-Z]{3}$/.test(fact.unit)) this.#ofMoney = [...this.#ofMoney, fact].slice(-mostPositions);
  }

  sum(total: Fact): string | undefined {
    return [this.#ofLines.filter(({ unit }) => unit !== '%'), this.#ofMoney]
      .map((facts) => sumOfLast(total, facts))
      .find(Boolean);
  }
}

/** The sum of numbers that follow each other in the data. */
function sumOfRun(total: Fact, facts: readonly Fact[]): string | undefined {
  const amounts = facts.filter(mayBeAmount).slice(0, mostPositions);
  for (let end = amounts.length; end > 2; end--) {
    const from = sumOfLast(total, amounts.slice(0, end));
    if (from !== undefined) return from;
  }
  return undefined;
}

/** All mentions are marks: an ordered attachment is one that somebody must not forget. */
function attachmentMarks(text: string, order: string): Mark[] {
  const [from] = attachmentRequest.exec(order) ?? [];
  return attachments
    .flatMap((pattern) => [...text.matchAll(pattern)])
    .map(({ 0: excerpt, index: start }) => ({
      kind: 'attachment',
      start,
      excerpt: excerpt.trim(),
      ...(from !== undefined && { from }),
    }));
}

// The salutation has a rule of its own.
function nameMarks(text: string, data: string, parts: readonly string[]): Mark[] {
  return parts.flatMap((part) =>
    unknownNames(part, data).map((excerpt) => ({
      kind: 'name' as const,
      start: text.indexOf(excerpt, text.indexOf(part)),
      excerpt,
    })),
  );
}

import { dayOf, daysOf, weekdayOf } from './calendar.ts';
import { attachments, attachmentRequest } from '../language/text-patterns.ts';
import { unknownNames } from '../names/people.ts';
import type { WrittenText } from '../task/text-provider.ts';
import { detailsOf, orderOf, type WritingTask } from '../task/writing-task.ts';
import { stepsInTime } from './days.ts';
import { knownForms } from './known-forms.ts';
import { type Place, placesIn } from './places.ts';
import { isFact, Steps, taxRates } from './steps.ts';

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
/** `1` of something, `100 %`, and a rate of VAT need no order. */
const usual = new Set(['n1', '%100', ...taxRates.map((rate) => `%${rate}`)]);
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
  const given = placesIn(data, true);
  const isKnown = knownForms(data, given, today);
  const stepsOfTime = stepsInTime(data, given, today);
  const places = placesIn(text.replace(listNumber, (number) => ' '.repeat(number.length)));
  const stepsOfNumbers = new Steps(given.filter(isFact));

  return places.flatMap((place, at): Mark[] => {
    const { start, excerpt } = place;
    const date = dateBeside(place, places[at + 1], text);
    if (date !== undefined) {
      const isRight = daysOf(date.form, today).some((day) => place.form === `w${weekdayOf(day)}`);
      const whole = text.slice(start, date.start + date.excerpt.length);
      return isRight ? [] : [{ kind: 'wrongWeekday', start, excerpt: whole }];
    }
    const isLiteral = usual.has(place.form) || isKnown(place);
    const line = text.lastIndexOf('\n', start);
    const sum =
      place.kind === 'number' && isFact(place) && !isLiteral ? stepsOfNumbers.from(place, line) : undefined;
    // What the text has shown is the basis of the next step.
    if (isFact(place) && (isLiteral || sum !== undefined)) stepsOfNumbers.add(place, line);
    if (isLiteral || isAbbreviation(place)) return [];
    const from = sum ?? stepsOfTime.get(place.form);
    return [{ kind: 'figure', start, excerpt, ...(from !== undefined && { from }) }];
  });
}

/** The date after its weekday: `Mittwoch, 2.12.2026`. */
function dateBeside(place: Place, next: Place | undefined, text: string): Place | undefined {
  if (place.kind !== 'weekday' || next?.kind !== 'date') return undefined;
  // `von Montag bis Mittwoch, 30.11. bis 2.12.`: the first date is that of the first day.
  if (/(?:tag|woch)\s(?:bis|und|–|-)\s$/u.test(text.slice(0, place.start).slice(-20))) return undefined;
  const between = text.slice(place.start + place.excerpt.length, next.start);
  return /^(?:s?[.,]{0,2}\s(?:de[nmr]\s)?|\s?\()$/u.test(between) ? next : undefined;
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

import { dayOf, monthNames } from './calendar.ts';
import { type Figure, figuresIn } from './figures.ts';
import { knowledge } from './known-figures.ts';
import { unknownDays } from './named-days.ts';
import { phrase } from '../language/spelling.ts';
import type { WritingTask } from '../task/writing-task.ts';

/**
 * Finds the numbers, dates, amounts, email addresses, web addresses and account numbers in `text` that neither `given`
 * contains nor follow from it by one step. Compares values, not characters: `05.01.2027` covers `5. Januar` and `1250`
 * covers `1.250,00 EUR`, but an offer number covers no price and an amount no other currency. A value that follows is
 * known to the next step, because a text that shows each step can be checked by its reader. The project's number counts
 * as a whole: the digits of `P-2026-014` do not vouch for `14 Uhr`.
 */
export function unknownFigures(
  text: string,
  given: string,
  { project, date }: Pick<WritingTask, 'project' | 'date'>,
): string[] {
  const withoutProject = (whole: string): string =>
    project === null ? whole : whole.replace(phrase(project.number), ' ');
  const plain = withoutProject(given);
  const today = dayOf(date);
  let facts = figuresIn(plain);
  const checked = withoutListNumbers(withoutProject(text)).normalize('NFC');
  let unknown = figuresIn(checked).filter((figure) => isChecked(figure, checked));
  for (let step = 0; step < mostSteps && unknown.length > 0; step++) {
    const isKnown = knowledge(facts, plain, today);
    const derived = new Set(unknown.filter(isKnown));
    if (derived.size === 0) break;
    // First, because only the first facts are combined.
    facts = [...derived].filter(({ kind }) => kind !== 'date').concat(facts);
    unknown = unknown.filter((figure) => !derived.has(figure));
  }
  return [...new Set([...unknown.map(({ excerpt }) => excerpt), ...unknownDays(text, given, facts, today)])];
}

const mostSteps = 3;

/**
 * A number in words is checked where it measures time, or counts what a noun says and is above four: a text counts what
 * the order lists ("drei Mängel", "alle vier Pläne").
 */
function isChecked(figure: Figure, text: string): boolean {
  if (figure.kind !== 'quantity' || figure.isWord !== true) {
    return true;
  }
  const after = text.slice(figure.index, figure.index + 80);
  const measuresTime = figure.written > 1 && /minute|day|month/.test(figure.unit);
  return measuresTime || (figure.written > 4 && countsThings.test(after));
}

/**
 * "acht unserer Kollegen" and "zwei Kaltmieten", but neither "zweite Rate" nor "beide Pläne" nor what the next line lists,
 * "zwei Korrekturen:".
 */
const countsThings =
  /^(?![Bb]eid|[Hh]alb|[Dd]oppel|[Aa]chten|\p{L}+(?<!ach)te[mnrs]?\s)\p{L}+\s(?:\p{Ll}{3,20}\s)?(?!Sie\s|Punkte|Fragen|Mal\s)\p{Lu}\p{Ll}(?![^.!?\n]*:(?:\s|$))/u;

function withoutListNumbers(text: string): string {
  return text.replace(
    new RegExp(`^[ \\t]*(?:[-•] )?\\d{1,2}[.)][ \\t]+(?!\\d|(?:${monthNames}|[ou]g|ba)(?!\\p{L}))`, 'gimu'),
    '',
  );
}

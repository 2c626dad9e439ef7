import type { EventLog } from '../../base/event-log.ts';
import { ServiceError } from '../../base/service-error.ts';
import { type HiddenNames, hiddenNames, openNames } from './names/hidden-names.ts';
import { damagedWords } from './language/damaged-characters.ts';
import { isGerman } from './language/language.ts';
import { correctionFor, promptFor } from './prompt.ts';
import { withoutSender } from './names/closing.ts';
import { checkOf, type Finding, type TextCheck } from './text-check.ts';
import type { TextProvider, WrittenText } from './task/text-provider.ts';
import { type Derived, type FindingCode, type Warning, warningOf } from './task/warning.ts';
import { detailsOf, orderOf, type WritingTask } from './task/writing-task.ts';

/** The subject without its prefix, the text, and warnings for its reader. */
export interface ActivityText extends WrittenText {
  readonly warnings: readonly Warning[];
  readonly derived: readonly Derived[];
}

/** The findings that make a text unusable as it is. The others are for a person to judge: what they find may be right. */
const unusable: ReadonlySet<FindingCode> = new Set([
  'placeholder_left',
  'markdown',
  'model_chatter',
  'wrong_language',
  'salutation_missing',
  'name_altered',
  'too_long',
  'damaged_characters',
]);

/**
 * Has the provider write the text, checks it, and regenerates it once when the check finds that it is unusable.
 * Remaining findings become warnings: a person reads the text anyway, and another attempt costs more than it fixes.
 * @throws ServiceError `ai_provider_error` or `ai_provider_unavailable`
 */
export async function writeActivityText(
  provider: TextProvider,
  task: WritingTask,
  log: EventLog,
): Promise<ActivityText> {
  const names = provider.sendsNames ? openNames(task) : hiddenNames(task);
  const session = provider.session(log);
  const prompt = promptFor(names.task);
  const first = checkedText(await session.write(prompt), names);
  const faults = unusableIn(first.findings);
  if (faults.length === 0) return finishText(first, names);
  log.info('text_regenerated', { findings: codesOf(faults) });
  try {
    const written = await session.write([...prompt, ...correctionFor(first.text, faults, task.language)]);
    const second = checkedText(written, names);
    return finishText(unusableIn(second.findings).length <= faults.length ? second : first, names);
  } catch (error) {
    // The first text is usable; discarding it because the provider is busy would help no one.
    if (!(error instanceof ServiceError)) throw error;
    return finishText(first, names);
  }
}

/** Checks a text that a person has edited. What only an order can tell (figures, names, attachments) is not a finding. */
export function editedText(written: WrittenText, task: WritingTask): ActivityText {
  const text = tidyText(written);
  const findings = checkOf(text, task).findings.filter(({ code }) => !comparedWithOrder.has(code));
  return finishText({ text, findings, derived: [] }, openNames(task));
}

const comparedWithOrder: ReadonlySet<FindingCode> = new Set([
  'unknown_figure',
  'unknown_name',
  'unknown_attachment',
]);

/** Contains pseudonyms when the provider must not receive names. */
export interface CheckedText extends TextCheck {
  readonly text: WrittenText;
}

/** A text of the provider, tidied, and everything that the rules say of it. */
export function checkedText(written: WrittenText, { task, altered }: HiddenNames): CheckedText {
  const { subject, content } = tidyText(written);
  const text = {
    subject,
    content: task.activityType === 'Email' ? content : withoutSender(content, task.sender),
  };
  const misspelled = [...new Set(altered(`${subject}\n${content}`))];
  const damaged = damagedWords(`${written.subject}\n${written.content}`, isGerman(task.language));
  const given = `${detailsOf(task)}\n${orderOf(task)}`;
  const newlyDamaged = [...new Set(damaged)].filter((each) => !given.includes(each));
  const { findings, derived } = checkOf(text, task);
  const all = [
    ...findings,
    ...newlyDamaged.map((excerpt) => ({ code: 'damaged_characters' as const, excerpt })),
    ...misspelled.map((excerpt) => ({ code: 'name_altered' as const, excerpt })),
  ];
  return { text, findings: all, derived };
}

export const unusableIn = (findings: readonly Finding[]): Finding[] =>
  findings.filter(({ code }) => unusable.has(code));

const codesOf = (findings: readonly Finding[]): string =>
  [...new Set(findings.map(({ code }) => code))].join(',');

const mostSubjectCharacters = 200;

/** Direction marks, which reorder a printed line, and characters of no width. */
const invisible = /[\u200b-\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Fixes what needs no regeneration: line endings, blank lines, and labels that models put before a subject. */
function tidyText({ subject, content }: WrittenText): WrittenText {
  const line = subject
    .replace(invisible, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .replace(/^(?:(?:(?:betreff|betr\.|subject)\s*:|aai#)\s*)+/iu, '');
  return {
    subject: shortenText(line === '' ? subject.trim() : line),
    content: content
      .replace(/\r\n|[\r\u0085\u2028\u2029]/g, '\n')
      .replace(/(?![\n\t])\p{Cc}/gu, '')
      .replace(invisible, '')
      .split('\n')
      .map((line) => line.trimEnd())
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim(),
  };
}

function shortenText(subject: string): string {
  if (subject.length <= mostSubjectCharacters) return subject;
  return `${subject
    .slice(0, mostSubjectCharacters)
    .toWellFormed()
    .replace(/\s+\S*$/, '')}…`;
}

function finishText({ text, findings, derived }: CheckedText, { task, restored }: HiddenNames): ActivityText {
  const whole = `${text.subject}\n${text.content}`;
  // Names are longer or shorter than their pseudonyms. Each piece is restored once: a text may have thousands of places.
  let [done, length] = [0, 0];
  const restoredStart = (start: number): number => {
    length += restored(whole.slice(done, start)).length;
    done = start;
    return length;
  };
  return {
    subject: restored(text.subject),
    content: restored(text.content),
    warnings: findings.map(({ code, excerpt }) => warningOf(code, task.language, restored(excerpt ?? ''))),
    derived: derived.map(({ excerpt, from, start }) => ({
      excerpt: restored(excerpt),
      from: restored(from),
      start: restoredStart(start),
    })),
  };
}

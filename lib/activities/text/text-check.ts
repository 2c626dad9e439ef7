import { unknownFigures } from './unknown-figures.ts';
import { isGerman } from './language.ts';
import { bodyOf, senderLines } from './closing.ts';
import { acceptedSalutations } from './salutation.ts';
import type { WrittenText } from './text-response.ts';
import { otherLanguageOf } from './language-detection.ts';
import { gaps, informal, markdown } from './text-patterns.ts';
import { mostEmailWords, type WritingTask } from './writing-task.ts';

/** A fault that the reader would have to correct before sending. `excerpt` quotes the text. */
export interface Finding {
  readonly code:
    | 'placeholder_left'
    | 'markdown'
    | 'informal_address'
    | 'unknown_figure'
    | 'salutation_missing'
    | 'sender_repeated'
    | 'wrong_language'
    | 'name_altered'
    | 'too_long';
  readonly excerpt?: string;
}

/**
 * Finds, deterministically, what a prompt alone does not prevent: gaps to fill in, Markdown, informal address, figures
 * and dates that were not given. It cannot find an invented name or promise; the user reads the text before sending it.
 * `npm run bench activities` prints the precision and recall of each rule.
 */
export function findingsIn(text: WrittenText, task: WritingTask): Finding[] {
  const whole = `${text.subject}\n${text.content}`;
  const given = [
    task.description,
    task.sender,
    task.date,
    task.project?.number ?? '',
    task.project?.name ?? '',
    ...[task.contact.company, task.contact.title, task.contact.firstName, task.contact.lastName].map(
      (part) => part ?? '',
    ),
  ].join('\n');
  const isNew = (excerpt: string): boolean => !given.includes(excerpt);
  const isRightLanguage = otherLanguageOf(bodyOf(text.content), task.language) === null;
  return [
    ...found('placeholder_left', whole, gaps, isNew),
    ...found('markdown', whole, markdown, isNew),
    // "du" is also French.
    ...(isGerman(task.language) && isRightLanguage
      ? found('informal_address', text.content, informal, isNew)
      : []),
    ...unknownFigures(whole, given, {
      identifiers: task.project === null ? [] : [task.project.number],
      date: task.date,
    }).map((excerpt): Finding => ({ code: 'unknown_figure', excerpt })),
    ...salutationFinding(text.content, task),
    ...senderFinding(text.content, task),
    ...(isRightLanguage ? [] : [{ code: 'wrong_language' } as const]),
    ...(task.activityType === 'Email' && wordsIn(text.content) > mostEmailWords
      ? [{ code: 'too_long' } as const]
      : []),
  ];
}

function salutationFinding(content: string, { contact, language }: WritingTask): Finding[] {
  const greetings = acceptedSalutations(contact, language);
  const [expected] = greetings;
  return expected === undefined || greetings.some((greeting) => startsWithLine(content, greeting))
    ? []
    : [{ code: 'salutation_missing', excerpt: expected }];
}

// An email ends with the name; in a letter, the template has it.
function senderFinding(content: string, { activityType, sender }: WritingTask): Finding[] {
  const lines = senderLines(content, sender);
  const [repeated] = lines.slice(activityType === 'Email' ? 1 : 0);
  return repeated === undefined ? [] : [{ code: 'sender_repeated', excerpt: quoted(repeated.trim()) }];
}

function found(
  code: Finding['code'],
  text: string,
  patterns: readonly RegExp[],
  isNew: (excerpt: string) => boolean,
): Finding[] {
  const excerpts = patterns.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(([excerpt]) => excerpt.trim()),
  );
  return [...new Set(excerpts)].filter(isNew).map((excerpt) => ({ code, excerpt: quoted(excerpt) }));
}

// Cuts at a space, so no pseudonym is cut in half.
function quoted(excerpt: string): string {
  return excerpt.length <= 80 ? excerpt : `${excerpt.slice(0, 80).replace(/\s\S*$/, '')} …`;
}

function startsWithLine(content: string, line: string): boolean {
  const flat = (text: string): string => text.replace(/\s+/g, ' ').trim();
  return flat(content.split('\n', 1)[0] ?? '') === flat(line);
}

function wordsIn(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\d]/u.test(word)).length;
}

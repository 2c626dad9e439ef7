import { bodyOf, hasClosing, isSignedByOther, senderLines } from './names/closing.ts';
import { isInOtherLanguage, sentencesInOtherLanguage } from './language/language-detection.ts';
import { isGerman } from './language/language.ts';
import { addressesRecipient, salutation } from './names/salutation.ts';
import { phrase, sentencesOf } from './language/spelling.ts';
import { chatter, gaps, informal, markdown, unusualCharacters } from './language/text-patterns.ts';
import type { WrittenText } from './task/text-provider.ts';
import { type Mark, marksIn } from './marks/marks.ts';
import type { Derived, FindingCode } from './task/warning.ts';
import { detailsOf, mostEmailWords, orderOf, type WritingTask } from './task/writing-task.ts';

/** A fault that the reader would have to correct before sending. `excerpt` quotes the text. */
export interface Finding {
  readonly code: FindingCode;
  readonly excerpt?: string;
}

export interface TextCheck {
  readonly findings: readonly Finding[];
  readonly derived: readonly Derived[];
}

/** What a rule sees. */
interface Checked {
  readonly task: WritingTask;
  readonly subject: string;
  readonly content: string;
  readonly whole: string;
  /** The text between salutation and closing formula. */
  readonly body: string;
  /** All that the provider received, as text, without the text to revise: its gaps and markup are still faults. */
  readonly given: string;
  /** With the text to revise: its reader has seen the warnings of its details, and may have written some. */
  readonly known: string;
  readonly isRightLanguage: boolean;
  /** The places that neither are in the data nor follow from them. */
  readonly unknown: readonly Mark[];
}

type Rule = (checked: Checked) => readonly string[];

/** Damaged characters are found in the text as it was written, before it is tidied (activity-text.ts). */
type RuleCode = Exclude<FindingCode, 'damaged_characters'>;

/** The excerpts that each rule finds; an empty excerpt is a fault of the whole text. In the order of the findings. */
const rules: Readonly<Record<RuleCode, Rule>> = {
  placeholder_left: ({ whole, given }) => newMatches(whole, gaps, given),
  markdown: ({ whole, given }) => newMatches(whole, markdown, given),
  // "du" is also French. What the text quotes from the data may address anybody.
  informal_address: ({ content, given, task, isRightLanguage }) =>
    isGerman(task.language) && isRightLanguage ? matches(withoutQuotations(content, given), informal) : [],
  model_chatter: ({ whole, given }) => newMatches(whole, chatter, given),
  unusual_characters: ({ whole, given, task }) =>
    isLatin(task.language) ? newMatches(whole, unusualCharacters, given) : [],
  unknown_attachment: ({ unknown }) => excerpts(unknown, 'attachment'),
  unknown_figure: ({ unknown }) => excerpts(unknown, 'figure'),
  wrong_weekday: ({ unknown }) => excerpts(unknown, 'wrongWeekday'),
  // The salutation has a rule of its own.
  unknown_name: ({ unknown }) => excerpts(unknown, 'name'),
  salutation_missing: ({ content, task }) => {
    const line = salutation(task.contact, task.language);
    return line === null || addressesRecipient(firstLine(content), task) ? [] : [line];
  },
  closing_missing: ({ content, task, isRightLanguage }) =>
    hasKnownClosings(task.language) && isRightLanguage && !hasClosing(content, task.sender) ? [''] : [],
  // An email ends with the name; in a letter, the template has it.
  sender_repeated: ({ content, task: { activityType, sender } }) =>
    senderLines(content, sender)
      .slice(activityType === 'Email' ? 1 : 0)
      .slice(0, 1)
      .map((line) => line.trim()),
  name_altered: ({ content, task }) => (isSigned(content, task) ? [] : [task.sender]),
  paragraph_repeated: ({ body }) => repeatedPassagesIn(body),
  wrong_language: ({ body, known, isRightLanguage, task: { language } }) =>
    isRightLanguage
      ? sentencesInOtherLanguage(body, language).filter((sentence) => !known.includes(sentence))
      : [''],
  too_long: ({ content, task: { activityType } }) =>
    activityType === 'Email' && wordsIn(content) > mostEmailWords ? [''] : [],
};

/**
 * Finds, deterministically, what a prompt alone does not prevent: gaps to fill in, Markdown, informal address, figures,
 * dates and names that were not given. It cannot find an invented promise; the user reads the text before sending it.
 * `npm run evaluate-texts -w tools -- --labeled` measures the rules on labeled texts.
 */
export function checkOf({ subject, content }: WrittenText, task: WritingTask): TextCheck {
  const marks = marksIn({ subject, content }, task, bodyOf(content, task.sender));
  const body = bodyOf(content, task.sender);
  const given = detailsOf(task);
  const checked: Checked = {
    task,
    subject,
    content,
    whole: `${subject}\n${content}`,
    body,
    given,
    known: `${given}\n${orderOf(task)}`,
    isRightLanguage: !isInOtherLanguage(body, task.language),
    unknown: marks.filter(({ from }) => from === undefined),
  };
  return {
    findings: Object.entries(rules).flatMap(([code, rule]) =>
      [...new Set(rule(checked))].map((excerpt) => ({
        code: code as FindingCode,
        ...(excerpt !== '' && { excerpt: quoteExcerpt(excerpt) }),
      })),
    ),
    derived: marks.flatMap(({ excerpt, from, start }) =>
      from === undefined ? [] : { excerpt, from, start },
    ),
  };
}

export const findingsIn = (text: WrittenText, task: WritingTask): readonly Finding[] =>
  checkOf(text, task).findings;

const matches = (text: string, patterns: readonly RegExp[]): string[] =>
  patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([excerpt]) => excerpt.trim()));

/** Compares whole words: "Einladung" contains no "du". */
const newMatches = (text: string, patterns: readonly RegExp[], given: string): string[] =>
  matches(text, patterns).filter((excerpt) => !(given.includes(excerpt) && phrase(excerpt).test(given)));

const withoutQuotations = (text: string, given: string): string =>
  text.replace(/[„“»"]([^„“”»«"\n]{1,200})[“”«"]/gu, (all, quotation: string) =>
    given.includes(quotation) ? ' ' : all,
  );

const isLatin = (language: string): boolean =>
  new Intl.NumberFormat(language).resolvedOptions().numberingSystem === 'latn';

const hasKnownClosings = (language: string): boolean =>
  ['de', 'en'].includes(new Intl.Locale(language).language);

const excerpts = (marks: readonly Mark[], kind: Mark['kind']): string[] =>
  marks.filter((each) => each.kind === kind).map(({ excerpt }) => excerpt);

const leastWordsRepeated = 5;

/** Sentences and lines that occur twice; shorter ones ("Vielen Dank.") may. */
function repeatedPassagesIn(body: string): string[] {
  const passages = sentencesOf(body).filter((each) => wordsIn(each) >= leastWordsRepeated);
  const seen = new Set<string>();
  return passages.filter((passage) => {
    const plain = passage
      .toLowerCase()
      .replace(/[^\p{L}\d]+/gu, ' ')
      .trim();
    const isRepeated = seen.has(plain);
    seen.add(plain);
    return isRepeated;
  });
}

function isSigned(content: string, { activityType, sender, language }: WritingTask): boolean {
  if (sender === '') return true;
  if (activityType === 'Document') return !isSignedByOther(content, sender);
  if (hasKnownClosings(language) && hasClosing(content, sender))
    return senderLines(content, sender).length > 0;
  return content.includes(sender.split(' ').at(-1) ?? '') || hasKnownClosings(language);
}

/** Below the chatter that some models begin with, which is a finding of its own. */
const firstLine = (content: string): string =>
  content.split('\n').find((line) => line.trim() !== '' && matches(line, chatter).length === 0) ?? '';

// Cuts at a space, so no pseudonym is cut in half.
function quoteExcerpt(excerpt: string): string {
  return excerpt.length <= 80 ? excerpt : `${excerpt.slice(0, 80).replace(/\s\S*$/, '')} …`;
}

function wordsIn(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\d]/u.test(word)).length;
}

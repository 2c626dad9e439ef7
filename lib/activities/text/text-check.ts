import { acceptedSalutations } from './salutation.ts';
import type { WrittenText } from './text-answer.ts';
import { isGerman } from './language.ts';
import { unknownFigures } from './known-figures.ts';
import { mostEmailWords, type WritingTask } from './writing-task.ts';

/** What a reader would have to correct before sending. `excerpt` quotes the text. */
export interface Finding {
  readonly code:
    | 'placeholder_left'
    | 'markdown'
    | 'informal_address'
    | 'unknown_figure'
    | 'salutation_missing'
    | 'too_long';
  readonly excerpt?: string;
}

/**
 * Deterministic: finds what a prompt alone does not keep out (gaps to fill in, Markdown, Du-form, figures and dates
 * nobody gave). An invented name or promise can not be found this way; the user reads the text before it is sent.
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
  const greetings = acceptedSalutations(task.contact, task.language);
  return [
    ...found('placeholder_left', whole, gaps, isNew),
    ...found('markdown', whole, markdown, isNew),
    ...(isGerman(task.language) ? found('informal_address', text.content, informal, isNew) : []),
    ...unknownFigures(whole, given, task.project === null ? [] : [task.project.number]).map(
      (excerpt): Finding => ({ code: 'unknown_figure', excerpt }),
    ),
    ...(greetings[0] !== undefined && !greetings.some((greeting) => startsWithLine(text.content, greeting))
      ? [{ code: 'salutation_missing', excerpt: greetings[0] } as const]
      : []),
    ...(task.activityType === 'Email' && wordsIn(text.content) > mostEmailWords
      ? [{ code: 'too_long' } as const]
      : []),
  ];
}

// Every repetition is bounded or can not overlap with what follows it: a model may be told to answer with 20,000 braces.
const gaps = [
  /\[[^\]\n]{1,60}\]/g,
  /\{{1,2}[^{}\n]{1,60}\}{1,2}/g,
  /<[\p{L}][^>\n]{0,60}>/gu,
  /_{3,}|\.{5,}|(?<![\p{L}\d])(?:X{3,}|x{3,})(?![\p{L}\d])/gu,
  // Dates and times: XX.XX.2027, XX.XX., XX:XX, and 12.XX.2027, 10:XX. A lone XX may be a Roman numeral.
  /(?<![\p{L}\d])(?:XX|xx)(?:[.:](?:XX|xx|\d{1,4}))+(?![\p{L}\d])/gu,
  /(?<![\p{L}\d.:])\d{1,2}[.:](?:XX|xx)(?![\p{L}\d])/gu,
  /(?<!\p{L})(?:TT\.MM\.JJJJ|TT\.MM\.|DD\.MM\.YYYY|JJJJ|Muster(?:mann|frau|firma|straße|stadt)|Lorem ipsum)(?!\p{L})/gu,
];

const markdown = [
  /\*\*[^*\n]+\*\*|__[^_\n]+__/g,
  /^#{1,6} .*$/gm,
  /^[ \t]*[-*•] .*$/gm,
  /`[^`\n]+`/g,
  /^[ \t]*>.*$/gm,
];

const informal = [
  /(?<!\p{L})(?:[Dd]u|[Dd]ich|[Dd]ir|[Dd]ein(?:e[mnrs]?)?|[Ee]uch|[Ee]uer|[Ee]ure[mnrs]?)(?!\p{L})/gu,
];

function found(
  code: Finding['code'],
  text: string,
  patterns: readonly RegExp[],
  isNew: (excerpt: string) => boolean,
): Finding[] {
  const excerpts = patterns.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(([excerpt]) => excerpt.trim()),
  );
  return [...new Set(excerpts)].filter(isNew).map((excerpt) => ({ code, excerpt: excerpt.slice(0, 80) }));
}

function startsWithLine(content: string, line: string): boolean {
  const flat = (text: string): string => text.replace(/\s+/g, ' ').trim();
  return flat(content.split('\n', 1)[0] ?? '') === flat(line);
}

function wordsIn(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\d]/u.test(word)).length;
}

import { z } from 'zod';
import { valueOfJson } from '../../lib/contract/json.ts';
import { type EventLog, eventLog } from '../../lib/base/event-log.ts';
import { ServiceError } from '../../lib/base/service-error.ts';
import { type ActivityText, writeActivityText } from '../../lib/activities/text/activity-text.ts';
import { salutation } from '../../lib/activities/text/names/salutation.ts';
import type { TextProvider } from '../../lib/activities/text/task/text-provider.ts';
import { mostEmailWords } from '../../lib/activities/text/task/writing-task.ts';
import type { Order } from './orders.ts';

export interface Evaluation {
  readonly order: Order;
  /** What a careful colleague would change before sending; empty if the text is ready to send. */
  readonly faults: readonly string[];
  readonly text: ActivityText | null;
  /** Why there is no text. */
  readonly failure: TextFailure | null;
  readonly words: number;
  /** Whether a check found a fault and the text was regenerated. */
  readonly wasRegenerated: boolean;
  readonly seconds: number;
  readonly tokens: { readonly input: number; readonly output: number };
}

export interface TextFailure {
  readonly code: string;
  readonly detail: string;
  /** Whether the provider responded, but not with JSON of the schema. */
  readonly isOtherForm: boolean;
}

export interface EvaluationOptions {
  readonly understands: boolean;
  readonly now?: () => number;
}

const sender = 'Jörg Schäfer';

/** Generates the text of one order and reviews it as a colleague would. */
export async function evaluate(
  order: Order,
  provider: TextProvider,
  { understands, now = () => performance.now() }: EvaluationOptions,
): Promise<Evaluation> {
  const startedAt = now();
  const events: LoggedLine[] = [];
  const task = {
    ...order,
    sender: order.sender ?? sender,
    language: 'de',
    date: '2026-11-20',
    houseStyle: '',
  };
  let text: ActivityText | null = null;
  let failure: TextFailure | null = null;
  try {
    text = await writeActivityText(provider, task, logTo(events));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    // Not an error of the provider's API, which has a status: what it sent is no JSON, or not of the schema.
    const last = events.findLast(({ event }) => event === 'ai_call_failed');
    failure = {
      code: error.code,
      detail: error.facts.detail ?? '',
      isOtherForm: last?.reason === 'form' || last?.name === 'SyntaxError',
    };
  }
  return {
    order,
    faults: text === null ? [`${failure?.code}: ${failure?.detail}`] : faultsOf(text, order, understands),
    text,
    failure,
    words: text === null ? 0 : wordsIn(text.content),
    wasRegenerated: events.some(({ event }) => event === 'text_regenerated'),
    seconds: (now() - startedAt) / 1000,
    tokens: { input: sum(events, 'input'), output: sum(events, 'output') },
  };
}

/** What a careful colleague would change. `understands` requires more than a repetition of the description. */
export function faultsOf(
  { subject, content, warnings }: Omit<ActivityText, 'derived'>,
  order: Order,
  understands: boolean,
): string[] {
  const whole = `${subject}\n${content}`;
  const deeper = understands ? order.understands : undefined;
  const says = [...order.says, ...(deeper?.says ?? [])];
  const neverSays = [...(order.neverSays ?? []), ...(deeper?.neverSays ?? [])];
  const words = wordsIn(content);
  const isEmail = order.activityType === 'Email';
  const end = content.split('\n').slice(-2).join('\n');
  const faults: readonly (readonly [boolean, string])[] = [
    ...says.map((pattern) => [!pattern.test(whole), `does not say ${pattern.source}`] as const),
    ...neverSays.map((pattern) => [pattern.test(whole), `says ${pattern.source}`] as const),
    ...warnings.map(({ message }) => [true, message] as const),
    [subject.length > 80, `the subject has ${subject.length} characters`],
    [understands && !/^[\p{Lu}\d]/u.test(subject), 'the subject begins with a lower-case letter'],
    [!content.startsWith(`${salutation(order.contact, 'de')}\n\n`), 'no blank line after the salutation'],
    [content.split('\n\n').length < 3, 'only one paragraph'],
    [isEmail && words > mostEmailWords, `${words} words in an email`],
    [!isEmail && (words < 30 || words > 320), `${words} words in a letter`],
    [
      end !== (isEmail ? `Mit freundlichen Grüßen\n${order.sender ?? sender}` : '\nMit freundlichen Grüßen'),
      `ends with "${end.replaceAll('\n', ' / ')}"`,
    ],
    [understands && whole.includes(order.description), 'repeats the description as it was typed'],
    // In German, the text after the comma of a salutation continues in lower case, except for nouns and Sie.
    [
      understands && /^(?:Wir|Ich|Hiermit|Bitte|Gern|Leider|Vielen)(?!\p{L})/mu.test(firstLine(content)),
      'begins with a capital letter',
    ],
  ];
  return faults.filter(([isFault]) => isFault).map(([, fault]) => fault);
}

const firstLine = (content: string): string =>
  content.split('\n').filter((line) => line.trim() !== '')[1] ?? '';

const wordsIn = (text: string): number => text.split(/\s+/).filter((word) => /[\p{L}\d]/u.test(word)).length;

interface LoggedLine {
  readonly event: string;
  readonly input?: number;
  readonly output?: number;
  /** Of `ai_call_failed`. */
  readonly name?: string;
  readonly reason?: string;
}

const sum = (lines: readonly LoggedLine[], field: 'input' | 'output'): number =>
  lines.reduce((total, line) => total + (line.event === 'ai_tokens' ? (line[field] ?? 0) : 0), 0);

function logTo(events: LoggedLine[]): EventLog {
  const line = (text: string): void => void events.push(JSON.parse(text) as LoggedLine);
  return eventLog({ info: line, warn: line, error: line });
}

/** A table for people, and the number of texts that could be sent unchanged. */
export function evaluationTable(evaluations: readonly Evaluation[]): string {
  const rows = evaluations.map(
    ({ order, faults, words, wasRegenerated, seconds }) =>
      `| ${order.occasion} | ${order.activityType} | ${order.description.slice(0, 48)} | ${words} | ${wasRegenerated ? 'yes' : ''} | ${seconds.toFixed(1)} | ${faults.join('; ') || 'ready to send'} |`,
  );
  return [
    '| occasion | | description | words | written twice | s | what a colleague would change |',
    '|---|---|---|---|---|---|---|',
    ...rows,
    '',
    summaryText(summaryOf(evaluations)),
  ].join('\n');
}

const printedSummary = z.object({
  texts: z.number(),
  ready: z.number(),
  regenerated: z.number(),
  meanSeconds: z.number(),
  inputTokens: z.number(),
  outputTokens: z.number(),
});
export type Summary = Readonly<z.output<typeof printedSummary>>;

/** @throws Error for a text that is not what `--json` prints */
export function summaryIn(text: string): Summary {
  const printed = z.object({ summary: printedSummary }).safeParse(valueOfJson(text));
  if (!printed.success) throw new Error('--baseline: expected a file that --json has written');
  return printed.data.summary;
}

export function summaryOf(evaluations: readonly Evaluation[]): Summary {
  const total = (value: (each: Evaluation) => number): number =>
    evaluations.reduce((rest, each) => rest + value(each), 0);
  return {
    texts: evaluations.length,
    ready: total(({ faults }) => Number(faults.length === 0)),
    regenerated: total(({ wasRegenerated }) => Number(wasRegenerated)),
    meanSeconds: Math.round((total(({ seconds }) => seconds) / Math.max(1, evaluations.length)) * 10) / 10,
    inputTokens: total(({ tokens }) => tokens.input),
    outputTokens: total(({ tokens }) => tokens.output),
  };
}

const summaryText = (each: Summary): string =>
  `${each.ready} of ${each.texts} ready to send, ${each.regenerated} written twice, ${each.meanSeconds} s each, ${each.inputTokens} tokens in, ${each.outputTokens} tokens out`;

/** The summary beside that of an earlier run, such as one with another model or prompt. */
export const comparison = (now: Summary, before: Summary): string =>
  `before: ${summaryText(before)}\nnow:    ${summaryText(now)}`;

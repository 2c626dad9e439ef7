import { z } from 'zod';

export interface WrittenText {
  readonly subject: string;
  readonly content: string;
}

/** An answer without a usable text. `reason` is for the log: it never holds what the model wrote. */
export class TextAnswerError extends Error {
  override readonly name = 'TextAnswerError';
  readonly reason: 'form' | 'length' | 'filter' | 'refusal' | 'failed';
  /** The provider's own code where it reports a failure with status 200. */
  readonly code: string | undefined;

  constructor(reason: TextAnswerError['reason'], code?: string) {
    super(`The answer has no usable text: ${[reason, code].filter(Boolean).join(', ')}.`);
    this.reason = reason;
    this.code = code;
  }
}

// Some compatible servers accept a schema and do not follow it, so the answer is checked as if there had been none.
const writtenText = z.object({
  subject: z.string().trim().min(1).max(1000),
  content: z.string().trim().min(1).max(20_000),
});

// Mistral's reasoning models answer with parts, of which the text parts are the answer.
const chatContent = z.union([
  z.string(),
  z
    .array(z.object({ type: z.string(), text: z.string().nullish() }))
    .transform((parts) => parts.map(({ type, text }) => (type === 'text' ? (text ?? '') : '')).join('')),
]);

const chatAnswer = z.object({
  choices: z.tuple(
    [
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({ content: chatContent.nullish(), refusal: z.string().nullish() }),
      }),
    ],
    z.unknown(),
  ),
});

/** @throws TextAnswerError */
export function chatText(answer: unknown): WrittenText {
  const parsed = chatAnswer.safeParse(answer);
  if (!parsed.success) throw new TextAnswerError('form');
  const [{ finish_reason, message }] = parsed.data.choices;
  if (finish_reason === 'length') throw new TextAnswerError('length');
  if (finish_reason === 'content_filter') throw new TextAnswerError('filter');
  if (message.refusal) throw new TextAnswerError('refusal');
  return textOf(message.content ?? '');
}

const responsesAnswer = z.object({
  status: z.string().nullish(),
  error: z.object({ code: z.string().nullish() }).nullish(),
  incomplete_details: z.object({ reason: z.string().nullish() }).nullish(),
  output: z
    .array(
      z.object({
        content: z
          .array(z.object({ type: z.string(), text: z.string().optional(), refusal: z.string().optional() }))
          .nullish()
          .catch(null),
      }),
    )
    .default([]),
});

/** @throws TextAnswerError */
export function responsesText(answer: unknown): WrittenText {
  const parsed = responsesAnswer.safeParse(answer);
  if (!parsed.success) throw new TextAnswerError('form');
  const { status, error, incomplete_details: incomplete, output } = parsed.data;
  if (error) throw new TextAnswerError('failed', error.code ?? undefined);
  if (status === 'incomplete')
    throw new TextAnswerError(incomplete?.reason === 'content_filter' ? 'filter' : 'length');
  const contents = output.flatMap(({ content }) => content ?? []);
  if (contents.some(({ type }) => type === 'refusal')) throw new TextAnswerError('refusal');
  return textOf(contents.map(({ type, text }) => (type === 'output_text' ? (text ?? '') : '')).join(''));
}

function textOf(answer: string): WrittenText {
  const value = parsedJson(answer) ?? parsedJson(objectIn(answer));
  const parsed = writtenText.safeParse(value);
  if (!parsed.success) throw new TextAnswerError('form');
  return parsed.data;
}

function parsedJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/**
 * The JSON object in an answer of a server that enforces no schema: after what the model has thought (DeepSeek's
 * templates open `<think>` in the prompt, so that only its end is seen), in a Markdown fence or between sentences, with
 * line breaks in its strings as they are. Nothing is added: an answer that was cut off stays unreadable.
 */
function objectIn(answer: string): string {
  const said = answer.slice(answer.lastIndexOf('</think>') + 1);
  let inString = false;
  return said.slice(said.indexOf('{'), said.lastIndexOf('}') + 1).replace(/\\[^]|["\n\r\t]/g, (token) => {
    if (token === '"') inString = !inString;
    return inString ? (escaped[token] ?? token) : token;
  });
}

const escaped: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

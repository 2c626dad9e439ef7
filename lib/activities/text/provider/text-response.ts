import * as z from 'zod';
import { valueOfJson } from '../../../contract/json.ts';
import type { WrittenText } from '../task/text-provider.ts';

/** The response has no usable text. `reason` is for the log and never contains what the model wrote. */
export class UnusableTextError extends Error {
  override readonly name = 'UnusableTextError';
  readonly reason: 'form' | 'length' | 'filter' | 'refusal' | 'outage';

  constructor(reason: UnusableTextError['reason']) {
    super(`The response has no usable text: ${reason}.`);
    this.reason = reason;
  }
}

// Some compatible servers accept a schema and ignore it, so every response is checked.
const writtenText = z.object({
  subject: z.string().trim().min(1).max(1000),
  content: z.string().trim().min(1).max(20_000),
});

// Mistral's reasoning models return parts; the text parts together are the content.
const chatContent = z.union([
  z.string(),
  z
    .array(z.object({ type: z.string(), text: z.string().nullish() }))
    .transform((parts) => parts.map(({ type, text }) => (type === 'text' ? (text ?? '') : '')).join('')),
]);

const chatResponse = z.object({
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

// Servers and gateways pass on the words of others: Mistral's, Anthropic's and Gemini's (UKGovernmentBEIS/inspect_ai#5189,
// GoogleCloudPlatform/generative-ai#791).
const cutOff = /^(?:length|model_length|max_tokens|max_output_tokens)$/i;
const filtered = /^(?:content_filter|content_filtered|safety|prohibited_content|blocklist|spii|recitation)$/i;

/**
 * @param maxOutputTokens as requested: some gateways say of a text that was cut off there that it is complete
 * @throws UnusableTextError
 */
export function textIn(response: unknown, maxOutputTokens = Infinity): WrittenText {
  const parsed = chatResponse.safeParse(response);
  if (!parsed.success) throw new UnusableTextError('form');
  const [{ finish_reason, message }] = parsed.data.choices;
  const reason = finish_reason ?? '';
  if (cutOff.test(reason)) throw new UnusableTextError('length');
  if (filtered.test(reason)) throw new UnusableTextError('filter');
  // A gateway whose own provider failed in the middle of the text (maximhq/bifrost#5425).
  if (reason === 'error') throw new UnusableTextError('outage');
  if (message.refusal) throw new UnusableTextError('refusal');
  const written = textOf(message.content ?? '');
  if (written) return written;
  // project-arbr/arbr-control-plane#34
  throw new UnusableTextError((tokensOf(response)?.output ?? 0) >= maxOutputTokens ? 'length' : 'form');
}

const count = z.int().nonnegative().optional();
const usage = z.object({ usage: z.object({ prompt_tokens: count, completion_tokens: count }) });

/** What the call costs, reasoning included; `null` from servers that do not count. */
export function tokensOf(response: unknown): { input: number; output: number } | null {
  const parsed = usage.safeParse(response);
  if (!parsed.success) return null;
  const { prompt_tokens: input = 0, completion_tokens: output = 0 } = parsed.data.usage;
  return { input, output };
}

function textOf(content: string): WrittenText | undefined {
  const value = valueOfJson(content) ?? valueOfJson(objectIn(content));
  return writtenText.safeParse(value).data;
}

/**
 * Extracts the JSON object from the content of a server that enforces no schema: after the model's reasoning
 * (DeepSeek's templates open `<think>` in the prompt, so only the closing tag is in the content), in a Markdown fence
 * or between sentences, with unescaped line breaks in its strings. Completes nothing: truncated content remains
 * unreadable.
 */
function objectIn(content: string): string {
  const said = content.slice(content.lastIndexOf('</think>') + 1);
  let inString = false;
  return said.slice(said.indexOf('{'), said.lastIndexOf('}') + 1).replace(/\\[^]|["\n\r\t]/g, (token) => {
    if (token === '"') inString = !inString;
    return inString ? (escaped[token] ?? token) : token;
  });
}

const escaped: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

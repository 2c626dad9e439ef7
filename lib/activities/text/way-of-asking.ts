import { APIError } from 'openai/error';
import type { Message } from './message.ts';

/**
 * What the chat wire asks of a server beyond the messages. "OpenAI-compatible" servers differ in just this, and none of
 * them says so before it is asked.
 */
export interface WayOfAsking {
  /** Older servers know `max_tokens` only, OpenAI's reasoning models know the other one only. */
  readonly limit: 'max_completion_tokens' | 'max_tokens' | 'none';
  readonly format: 'json_schema' | 'json_object' | 'none';
  /** The form of the answer stands in the prompt too: there are servers that accept a schema and ignore it. */
  readonly inWords: boolean;
}

export const firstWay: WayOfAsking = {
  limit: 'max_completion_tokens',
  format: 'json_schema',
  inWords: false,
};

const simplerLimit = { max_completion_tokens: 'max_tokens', max_tokens: 'none', none: null } as const;
const simplerFormat = { json_schema: 'json_object', json_object: 'none', none: null } as const;

/**
 * The next way down for what the server has just refused, `null` when it refused something else. Four steps at most.
 */
export function simplerWay(way: WayOfAsking, refusal: unknown): WayOfAsking | null {
  if (!(refusal instanceof APIError) || (refusal.status !== 400 && refusal.status !== 422)) return null;
  const words = `${refusal.param ?? ''} ${refusal.message}`;
  const limit = /\bmax_(?:completion_)?tokens\b/.test(words) ? simplerLimit[way.limit] : way.limit;
  const format = /response_format|json_schema|json_object/.test(words)
    ? simplerFormat[way.format]
    : way.format;
  if (limit === null || format === null) return null;
  if (limit === way.limit && format === way.format) return null;
  // `json_object` is refused by OpenAI and DeepSeek unless the prompt speaks of JSON, and makes no promise of names.
  return { limit, format, inWords: way.inWords || format !== 'json_schema' };
}

// In English whatever the language of the text: it is about the wire, and models know it by heart.
const formInWords =
  'Reply with one JSON object and nothing else: {"subject": "…", "content": "…"}. Write line breaks inside of its strings as \\n.';

/** The messages with the form of the answer in words. The rule joins the system message: some servers take only one. */
export function withFormInWords(messages: readonly Message[]): readonly Message[] {
  return messages.map((message) =>
    message.role === 'system' ? { ...message, content: `${message.content}\n${formInWords}` } : message,
  );
}

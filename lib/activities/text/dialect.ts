import { APIError } from 'openai/error';
import type { Message } from './message.ts';

/**
 * The optional parameters of a request, which vary between servers that call themselves OpenAI-compatible. No server
 * announces what it supports; its rejections show it.
 */
export interface Dialect {
  /** Older servers accept only `max_tokens`, OpenAI's reasoning models only `max_completion_tokens`. */
  readonly limit: 'max_completion_tokens' | 'max_tokens' | 'none';
  readonly format: 'json_schema' | 'json_object' | 'none';
  /** Reasoning models think for minutes by default; `none` for servers and models that reject the parameter. */
  readonly effort: 'low' | 'none';
  /** The prompt describes the JSON object too: some servers accept a schema and ignore it. */
  readonly formInPrompt: boolean;
}

export const firstDialect: Dialect = {
  limit: 'max_completion_tokens',
  format: 'json_schema',
  effort: 'low',
  formInPrompt: false,
};

const simplerLimit = { max_completion_tokens: 'max_tokens', max_tokens: 'none', none: null } as const;
const simplerFormat = { json_schema: 'json_object', json_object: 'none', none: null } as const;

/** The next simpler dialect after a rejection, or `null` when the server rejected something else. At most five steps. */
export function simplerDialect(dialect: Dialect, rejection: unknown): Dialect | null {
  if (!(rejection instanceof APIError) || (rejection.status !== 400 && rejection.status !== 422)) return null;
  const words = `${rejection.param ?? ''} ${rejection.message}`;
  const limit = /\bmax_(?:completion_)?tokens\b/.test(words) ? simplerLimit[dialect.limit] : dialect.limit;
  const format = /response_format|json_schema|json_object/.test(words)
    ? simplerFormat[dialect.format]
    : dialect.format;
  const effort = /reasoning_effort/.test(words) ? 'none' : dialect.effort;
  if (limit === null || format === null) return null;
  if (limit === dialect.limit && format === dialect.format && effort === dialect.effort) return null;
  // OpenAI and DeepSeek reject `json_object` unless the prompt mentions JSON, and it does not guarantee property names.
  return { limit, format, effort, formInPrompt: dialect.formInPrompt || format !== 'json_schema' };
}

// In English for every language of the text: models follow this phrasing best.
const form =
  'Reply with one JSON object and nothing else: {"subject": "…", "content": "…"}. Write line breaks inside its strings as \\n.';

/** Adds the description of the JSON object to the system message, because some servers accept only one such message. */
export function withFormInPrompt(messages: readonly Message[]): readonly Message[] {
  return messages.map((message) =>
    message.role === 'system' ? { ...message, content: `${message.content}\n${form}` } : message,
  );
}

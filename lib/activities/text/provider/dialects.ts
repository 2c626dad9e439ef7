import { APIError } from 'openai/error';
import { zodResponseFormat } from 'openai/helpers/zod';
import * as z from 'zod';
import { isExplained } from './text-provider-failure.ts';

// Strings without bounds: Azure's structured outputs do not support minLength, maxLength or pattern. text-response.ts
// checks the lengths.
const wireText = z.object({
  subject: z.string().describe('Betreff, eine Zeile'),
  content: z.string().describe('Text mit Anrede und Grußformel, Absätze durch eine Leerzeile getrennt'),
});
const response_format = zodResponseFormat(wireText, 'activity');

/**
 * The optional parameters of a request, which vary between servers that call themselves OpenAI-compatible. No server
 * announces what it supports; its rejections show it. Reasoning models think for minutes without `reasoning_effort`,
 * and models that don't reason reject it; the rest is for Mistral, for DeepSeek and older Azure, and for whatever else.
 *
 * @param maxOutputTokens includes reasoning
 */
export const dialectsWith = (maxOutputTokens: number) =>
  [
    { response_format, max_completion_tokens: maxOutputTokens, reasoning_effort: 'low' },
    { response_format, max_completion_tokens: maxOutputTokens },
    { response_format, max_tokens: maxOutputTokens },
    { response_format: { type: 'json_object' }, max_tokens: maxOutputTokens },
    {},
  ] as const;

const isRejection = (error: unknown): error is APIError =>
  error instanceof APIError && (error.status === 400 || error.status === 422);

/** Whether a simpler dialect may work: servers have more words for a parameter they don't know than any list has. */
export const mayBeDialect = (error: unknown): error is APIError => isRejection(error) && !isExplained(error);

const parameters = [
  /\bmax_(?:completion_)?tokens\b/,
  /response_format|json_schema|json_object/,
  /reasoning_effort/,
  // Ollama's name for the effort (ollama/ollama#12561, Gitlawb/openclaude#1371).
  /\bthink value\b|\bdoes not support thinking\b/,
];

/** Whether the rejection names a parameter that this server never accepts; another reason may be gone at the next call. */
export const namesParameter = (error: APIError): boolean => {
  const said = `${error.param ?? ''} ${error.message}`;
  return parameters.some((each) => each.test(said));
};

import * as z from 'zod';
import { valueOfJson } from '../../../contract/json.ts';
import type { WrittenText } from '../task/text-provider.ts';

/** The response has no usable text. `reason` is for the log and never contains what the model wrote. */
export class UnusableTextError extends Error {
  override readonly name = 'UnusableTextError';
  readonly reason: 'form' | 'page' | 'length' | 'filter' | 'refusal' | 'outage';

  constructor(reason: UnusableTextError['reason']) {
    super(`The response has no usable text: ${reason}.`);
    this.reason = reason;
  }
}

// Some compatible servers accept a schema and ignore it (NVIDIA/TensorRT#4855), so every response is checked. Without a
// letter it is the form that the prompt shows.
const writtenText = z.object({
  subject: z.string().trim().min(1).max(1000),
  content: z.string().trim().min(1).max(20_000).regex(/\p{L}/u),
});

// Reasoning models return parts, with a type of their own for the reasoning; the others together are the content. Their
// types vary (rohitg00/pro-workflow#98).
const chatContent = z.union([
  z.string(),
  z
    .array(z.object({ type: z.string().nullish(), text: z.string().nullish() }))
    .transform((parts) =>
      parts.map(({ type, text }) => (/think|reason/i.test(type ?? '') ? '' : (text ?? ''))).join(''),
    ),
]);

const optionalText = z.string().nullish().catch(undefined);
const message = z.object({
  content: chatContent.nullish(),
  refusal: z.string().nullish(),
  reasoning: optionalText,
  reasoning_content: optionalText,
  tool_calls: z
    .array(z.object({ function: z.object({ arguments: z.string() }) }))
    .nullish()
    .catch(undefined),
});

const chatResponse = z.object({
  choices: z.tuple([z.object({ finish_reason: z.string().nullish(), message })], z.unknown()),
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
  // Of a sign-in, a portal, or the provider's website.
  if (typeof response === 'string' && response.trimStart().startsWith('<'))
    throw new UnusableTextError('page');
  const parsed = chatResponse.safeParse(response);
  if (!parsed.success) throw new UnusableTextError('form');
  const [{ finish_reason, message }] = parsed.data.choices;
  const reason = finish_reason ?? '';
  if (cutOff.test(reason)) throw new UnusableTextError('length');
  if (filtered.test(reason)) throw new UnusableTextError('filter');
  // A gateway whose own provider failed in the middle of the text (maximhq/bifrost#5425).
  if (reason === 'error') throw new UnusableTextError('outage');
  if (message.refusal) throw new UnusableTextError('refusal');
  const written = textOf(message.content ?? '') ?? textElsewhere(message);
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
  const texts = [content, objectIn(content)].map((each) => writtenText.safeParse(valueOfJson(each)).data);
  return texts.find(Boolean);
}

/**
 * The text of a message without content: gateways that request a schema by a tool return the tool's arguments
 * (BerriAI/litellm#6741), and vLLM takes all that a model says for its reasoning if the model does not reason
 * (QwenLM/Qwen3#1297, vllm-project/vllm#53284). Nothing else may be there, because reasoning has drafts.
 */
function textElsewhere({
  content,
  tool_calls,
  reasoning,
  reasoning_content,
}: z.output<typeof message>): WrittenText | undefined {
  if ((content ?? '').trim() !== '') return undefined;
  const said = [tool_calls?.[0]?.function.arguments, reasoning_content, reasoning];
  return said.map((each) => writtenText.safeParse(valueOfJson(each)).data).find(Boolean);
}

/**
 * The JSON object in the content of a server that enforces no schema: after the model's reasoning (DeepSeek's templates
 * open `<think>` in the prompt, so only the closing tag is in the content; raw channels of gpt-oss, llama-farm/llamafarm#753),
 * in a Markdown fence, between sentences (Open-Historia/open-historia#353), in another object or a list
 * (phenobarbital/ai-parrot#338), or twice (ConardLi/easy-dataset#507). The last that begins like the requested one counts: what
 * precedes it is a draft. Completes nothing: truncated content remains unreadable.
 */
function objectIn(content: string): string {
  const said = content.slice(content.lastIndexOf('</think>') + 1);
  return objectAt(
    said,
    [...said.matchAll(/\{\s*"(?:subject|content)"\s*:/g)].at(-1)?.index ?? said.indexOf('{'),
  );
}

/** The object that begins there, with the line breaks in its strings escaped; empty if it does not end. */
function objectAt(text: string, start: number): string {
  if (start === -1) return '';
  let object = '';
  let at = start;
  let depth = 0;
  let inString = false;
  for (const { 0: token, index } of text.slice(start).matchAll(/\\[^]|["{}\n\r\t]/g)) {
    object += text.slice(at, start + index) + (inString ? (escaped[token] ?? token) : token);
    at = start + index + token.length;
    if (token === '"') inString = !inString;
    if (inString) continue;
    if (token === '{') depth += 1;
    if (token === '}') depth -= 1;
    if (depth === 0) return object;
  }
  return '';
}

const escaped: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

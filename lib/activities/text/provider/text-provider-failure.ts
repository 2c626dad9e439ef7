import { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from 'openai/error';
import * as z from 'zod';
import { retryAfterSecondsIn } from '../../../contract/retry.ts';
import type { EventFields } from '../../../base/event-log.ts';
import { ServiceError } from '../../../base/service-error.ts';
import { ResponseBrokenOffError, ResponseTooLargeError } from './bounded-fetch.ts';
import { messageWithout } from './provider-message.ts';
import { UnusableTextError } from './text-response.ts';

/** The consequences of a failed call: the error for the caller, and whether to retry first. */
export interface Failure {
  readonly error: ServiceError;
  /** `now`: once, without a wait. `later`: after `retryAfterSeconds` of the error, if it has them. */
  readonly retry: Retry;
  readonly facts: EventFields;
}

type Retry = 'never' | 'now' | 'later';
/** `setting`: the one that an administrator has to correct; nothing that a user does helps before. */
type Row = readonly [retry: Retry, detail: string, setting?: string];

/**
 * Maps every failure of a call to the text provider (docs/http-contract.md, "Activities"). The provider's own message
 * is never passed on, and logged without what was sent (provider-message.ts).
 *
 * @param sent texts of which no word may be in the log
 */
export function failureOf(error: unknown, sent: readonly string[] = []): Failure {
  const [retry, detail, setting] = rowFor(error);
  const retryAfterSeconds = requestedDelaySeconds(error);
  return {
    error: new ServiceError(
      retry === 'later' || error instanceof ResponseBrokenOffError
        ? 'ai_provider_unavailable'
        : 'ai_provider_error',
      {
        detail,
        ...(setting !== undefined && { params: { setting } }),
        ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      },
    ),
    retry,
    facts: factsOf(error, sent),
  };
}

function rowFor(error: unknown): Row {
  if (error instanceof UnusableTextError) return unusableTexts[error.reason];
  if (error instanceof APIUserAbortError || error instanceof APIConnectionTimeoutError) {
    return ['later', 'The AI provider did not respond in time.'];
  }
  if (error instanceof APIConnectionError) return ['later', 'The AI provider could not be reached.'];
  if (error instanceof ResponseTooLargeError)
    return ['never', 'The response of the AI provider is larger than 1 MiB.'];
  if (error instanceof ResponseBrokenOffError) {
    return ['now', 'The response of the AI provider broke off.'];
  }
  // The body is not JSON, or the client failed to process it for another reason.
  if (!(error instanceof APIError) || error.status === undefined)
    return ['now', 'The response of the AI provider is unusable.'];
  const { status = 0 } = error as APIError;
  return (
    explanationOf(error) ??
    byStatus[status] ??
    byStatus[Math.floor(status / 100)] ?? [
      'never',
      `The AI provider rejected the call with status ${status}; ai_call_failed in the log has its message.`,
    ]
  );
}

const cutOff: Row = [
  'never',
  'The text of the AI provider was cut off at the limit of tokens (AI_MAX_OUTPUT_TOKENS).',
  'AI_MAX_OUTPUT_TOKENS',
];
const unusableTexts: Readonly<Record<UnusableTextError['reason'], Row>> = {
  form: ['now', 'The AI provider returned no usable subject and text.'],
  page: [
    'now',
    'The AI provider returned a web page instead of a text: its address leads to something else (AI_BASE_URL).',
    'AI_BASE_URL',
  ],
  length: cutOff,
  filter: ['never', 'The content filter of the AI provider stopped the text.'],
  refusal: ['never', 'The AI provider declined to write this text.'],
  outage: ['later', 'The AI provider failed in the middle of the text.'],
};

/** What a rejection says of itself. All that are given must match. */
interface Signs {
  readonly status?: readonly number[];
  /** Against `code` and `type`, of which each provider uses another. */
  readonly code?: RegExp;
  readonly says?: RegExp;
}

const anyOf = (...phrases: readonly RegExp[]): RegExp =>
  new RegExp(phrases.map(({ source }) => source).join('|'), 'i');

const filteredOrder: Row = ['never', 'The content filter of the AI provider rejected the description.'];
const outOfQuota: Row = ['later', 'The quota or credit of the AI provider is used up.'];
const noModel: Row = [
  'never',
  'The AI provider has no such model, or has switched it off (AI_MODEL).',
  'AI_MODEL',
];

const tooManyTokens: Row = [
  'never',
  'The AI model takes fewer tokens than the order and AI_MAX_OUTPUT_TOKENS together: set a lower limit, or have the server take more.',
  'AI_MAX_OUTPUT_TOKENS',
];

const wrongCountry: Row = [
  'never',
  'The AI provider does not serve the country or region of this service or account (AI_BASE_URL).',
  'AI_BASE_URL',
];

/**
 * The rejections that tell their reason, first match first. The sources are public reports of what the providers send.
 * Nothing here is a guess from the status alone; that is {@link byStatus}.
 */
const explained: readonly (readonly [Signs, Row])[] = [
  // openai-agents-python#806
  [{ code: /^(?:content_filter|content_policy_violation|moderation_blocked)$/ }, filteredOrder],
  // Gateways replace the code by the status, and keep what Azure says (stanford-crfm/helm#3327).
  [{ status: [400], says: /\bcontent management policy\b|\bContentPolicyViolation/i }, filteredOrder],
  // koa-fin/sep#2; OpenRouter and DeepSeek send 402.
  [{ code: /^(?:insufficient_quota|billing_not_active|billing_hard_limit_reached)$/ }, outOfQuota],
  [{ status: [402] }, outOfQuota],
  // anthropics/claude-code#4684, as an invalid request
  [
    { status: [400, 403], says: /\b(?:credit )?balance is too low\b|\binsufficient (?:balance|credits?)\b/i },
    outOfQuota,
  ],
  // vllm-project/vllm#2964, sgl-project/sglang#892: no dialect helps, all have the rules as this message.
  [
    { status: [400, 422], says: /\bsystem\b.{0,20}\bnot supported\b/i },
    [
      'never',
      'The AI model takes no system message, which has the rules of the text (AI_MODEL).',
      'AI_MODEL',
    ],
  ],
  // Azure, for a model of embeddings or images.
  [
    { code: /^(?:OperationNotSupported|unsupported_api_for_model)$/ },
    ['never', 'The AI model does not write texts: it is of another kind (AI_MODEL).', 'AI_MODEL'],
  ],
  [
    { code: /^(?:model_not_found|DeploymentNotFound|ModelDeprecated|model_decommissioned|invalid_model)$/ },
    noModel,
  ],
  [
    {
      status: [400, 404, 410, 422],
      says: anyOf(
        /\bmodel\b.{0,80}\bnot (?:exist|found)\b/,
        /\bmodel\b.{0,80}\b(?:deprecated|decommissioned)\b/,
        /\binvalid model\b/,
      ),
    },
    noModel,
  ],
  [{ status: [400], says: /\blimit was reached\b/i }, cutOff],
  // vllm#42474 and #20409; llama.cpp; OpenAI; DeepSeek
  [
    { status: [400, 413, 422], code: /^(?:context_length_exceeded|exceed_context_size_error)$/ },
    tooManyTokens,
  ],
  [
    {
      status: [400, 413, 422],
      says: anyOf(
        /\bcontext (?:length|size|window)\b/,
        /tokens?\b.{0,40}\btoo large\b/,
        /\bat most \d+ (?:\w+ )?tokens\b/,
        /\brange of max_tokens\b/,
      ),
    },
    tooManyTokens,
  ],
  // More than the account has for a minute (Aider-AI/aider#1880, continuedev/continue#10602): later is the same.
  [{ status: [413, 429], says: /\brequest too large\b.{0,200}\btokens per min/i }, tooManyTokens],
  // continue#12547, TabularEditor3#1557
  [
    {
      status: [401, 403],
      says: anyOf(
        /\bvirtual network\b/,
        /\bfirewall\b/,
        /\bprivate endpoint\b/,
        /\bpublic (?:network )?access\b/,
        /\bip address\b/,
      ),
    },
    [
      'never',
      'A network rule of the AI provider denies access from this service: its virtual network, firewall, or private endpoint (AI_BASE_URL).',
      'AI_BASE_URL',
    ],
  ],
  // home-assistant/core#120072, opencode#42736
  [{ code: /^(?:unsupported_country_region_territory|RegionError)$/ }, wrongCountry],
  [
    {
      status: [400, 403, 451],
      says: anyOf(
        /\b(?:country|region|location)\b.{0,40}\bnot (?:available|supported)\b/,
        /\bnot available in your (?:country|region)\b/,
      ),
    },
    wrongCountry,
  ],
  [
    { status: [403], says: /\bmodel\b|\bdeployment\b/i },
    ['never', 'The key of this service has no permission for the AI model (AI_MODEL).', 'AI_MODEL'],
  ],
];

function explanationOf(error: APIError): Row | undefined {
  const { status = 0, code, type, message } = error;
  return explained.find(
    ([signs]) =>
      (signs.status?.includes(status) ?? true) &&
      (signs.code === undefined || [code, type].some((each) => signs.code!.test(String(each)))) &&
      (signs.says?.test(message) ?? true),
  )?.[1];
}

/** Whether the rejection tells its reason, which then is not a parameter that the server does not know. */
export const isExplained = (error: APIError): boolean => explanationOf(error) !== undefined;

const reported = z.object({
  choices: z.tuple([]).nullish(),
  error: z.looseObject({ code: z.unknown().optional(), type: z.unknown().optional() }),
});
const status = z.coerce.number().int().min(400).max(599);

/**
 * The rejection that a gateway sends with status 200, in place of a text (BerriAI/litellm#27030, Aider-AI/aider#3550), if it has
 * a status or tells its reason.
 */
export function rejectionIn(response: unknown): APIError | undefined {
  const { data } = reported.safeParse(response);
  if (!data) return undefined;
  const { code, type } = data.error;
  const given = type === 'invalid_request_error' ? 400 : status.safeParse(code).data;
  const error = APIError.generate(given ?? 400, data, undefined, new Headers());
  return given === undefined && !isExplained(error) ? undefined : error;
}

const serverError: Row = ['later', 'The AI provider reported a server error.'];
/** By the status, or by its first digit. */
const byStatus: Readonly<Record<number, Row>> = {
  3: [
    'never',
    'The AI provider redirects to another address; redirects are not followed (AI_BASE_URL).',
    'AI_BASE_URL',
  ],
  401: ['never', 'The AI provider rejected the key of this service (AI_API_KEY).', 'AI_API_KEY'],
  404: ['never', 'The AI provider has no such model or address (AI_MODEL, AI_BASE_URL).', 'AI_BASE_URL'],
  408: serverError,
  409: serverError,
  410: [
    'never',
    'The AI provider has switched off this model or address (AI_MODEL, AI_BASE_URL).',
    'AI_MODEL',
  ],
  429: ['later', 'The AI provider is busy.'],
  5: serverError,
};

const longestRetryAfterSeconds = 3600;

function requestedDelaySeconds(error: unknown): number | undefined {
  // Someone has to pay first; an hour is a sensible wait for a client, and too long for a retry.
  if (rowFor(error) === outOfQuota) return longestRetryAfterSeconds;
  const headers = error instanceof APIError ? (error as APIError).headers : undefined;
  const seconds = headers && retryAfterSecondsIn(headers);
  return seconds === undefined ? undefined : Math.min(seconds, longestRetryAfterSeconds);
}

function factsOf(error: unknown, sent: readonly string[]): EventFields {
  const name = error instanceof Error ? error.constructor.name : typeof error;
  if (error instanceof UnusableTextError) return { name, reason: error.reason };
  const [, , setting] = rowFor(error);
  if (!(error instanceof APIError)) return { name };
  return {
    name,
    status: error.status,
    ...(setting !== undefined && { setting }),
    providerCode: codeOnly(error.code),
    providerRequestId: codeOnly(error.requestID),
    ...(error.status !== undefined && { providerMessage: messageWithout(error.message, sent) }),
  };
}

// Accepts codes and ids only, so a message or a key that a server puts there is not logged. vLLM's codes are numbers.
function codeOnly(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && /^(?!(?:sk|key)-)[\w.-]{1,100}$/i.test(text) ? text : undefined;
}

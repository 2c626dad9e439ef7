import { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from 'openai/error';
import { retryAfterSecondsIn } from '../../../contract/retry.ts';
import type { EventFields } from '../../../base/event-log.ts';
import { ServiceError } from '../../../base/service-error.ts';
import { ResponseBrokenOffError, ResponseTooLargeError } from './bounded-fetch.ts';
import { UnusableTextError } from '../task/text-response.ts';

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
 * is never passed on: OpenAI repeats a part of the key in its 401, and others may repeat the prompt.
 */
export function failureOf(error: unknown): Failure {
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
    facts: factsOf(error),
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
  if (isOutOfQuota(error)) return ['later', 'The quota of the AI provider is used up.'];
  const { status = 0, code } = error as APIError;
  return (
    byCode[code ?? ''] ??
    byStatus[status] ??
    byStatus[Math.floor(status / 100)] ?? [
      'never',
      `The AI provider rejected the call with status ${status}.`,
    ]
  );
}

const unusableTexts: Readonly<Record<UnusableTextError['reason'], Row>> = {
  form: ['now', 'The AI provider returned no usable subject and text.'],
  length: ['never', 'The text of the AI provider was cut off.'],
  filter: ['never', 'The content filter of the AI provider stopped the text.'],
  refusal: ['never', 'The AI provider declined to write this text.'],
};

const noModel: Row = [
  'never',
  'The AI provider has no such model, or has switched it off (AI_MODEL).',
  'AI_MODEL',
];
const byCode: Readonly<Record<string, Row>> = {
  model_not_found: noModel,
  DeploymentNotFound: noModel,
  content_filter: ['never', 'The content filter of the AI provider rejected the description.'],
};

const serverError: Row = ['later', 'The AI provider reported a server error.'];
/** By the status, or by its first digit. */
const byStatus: Readonly<Record<number, Row>> = {
  3: [
    'never',
    'The AI provider redirects to another address; redirects are not followed (AI_BASE_URL).',
    'AI_BASE_URL',
  ],
  401: ['never', 'The AI provider rejected the key of this service (AI_API_KEY).', 'AI_API_KEY'],
  403: ['never', 'The key of this service has no permission for the AI model (AI_MODEL).', 'AI_MODEL'],
  404: ['never', 'The AI provider has no such model or address (AI_MODEL, AI_BASE_URL).', 'AI_BASE_URL'],
  408: serverError,
  409: serverError,
  429: ['later', 'The AI provider is busy.'],
  5: serverError,
};

const isOutOfQuota = ({ code, type }: APIError): boolean =>
  code === 'insufficient_quota' || type === 'insufficient_quota';

const longestRetryAfterSeconds = 3600;

function requestedDelaySeconds(error: unknown): number | undefined {
  if (!(error instanceof APIError)) return undefined;
  // Someone has to pay first; an hour is a sensible wait for a client, and too long for a retry.
  if (isOutOfQuota(error)) return longestRetryAfterSeconds;
  const { headers } = error as APIError;
  const seconds = headers && retryAfterSecondsIn(headers);
  return seconds === undefined ? undefined : Math.min(seconds, longestRetryAfterSeconds);
}

function factsOf(error: unknown): EventFields {
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
  };
}

// Accepts codes and ids only, so a message or a key that a server puts there is not logged.
function codeOnly(text: string | null | undefined): string | undefined {
  return text && /^[\w.-]{1,100}$/.test(text) && !/^(?:sk|key)-/i.test(text) ? text : undefined;
}

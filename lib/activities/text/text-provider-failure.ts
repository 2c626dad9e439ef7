import { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from 'openai/error';
import { retryAfterMs } from '../../contract/retry.ts';
import type { EventFields } from '../../base/event-log.ts';
import { type ProblemCode, ServiceError } from '../../base/service-error.ts';
import { AnswerTooLargeError } from './bounded-fetch.ts';
import { TextAnswerError } from './text-answer.ts';

/** What becomes of a failed call: the answer to the caller, and what may be tried before giving it. */
export interface Failure {
  readonly error: ServiceError;
  /** `null`: never. `repair`: ask once more at once. Otherwise after a wait, as long as the provider asks for. */
  readonly retry: null | 'repair' | { readonly afterMs: number | undefined };
  readonly facts: EventFields;
}

/**
 * Every way a call to the text provider fails (docs/http-contract.md, "Activities"). The provider's own words go
 * nowhere: OpenAI repeats a part of the key in its 401, and others may repeat the prompt.
 */
export function failureOf(error: unknown): Failure {
  const { code, detail, retry, retryAfterSeconds } = rowFor(error);
  const facts = factsOf(error);
  const cause = new Error(Object.values(facts).filter(Boolean).join(' '));
  return {
    error: new ServiceError(code, {
      detail,
      cause,
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    }),
    retry,
    facts,
  };
}

interface Row {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly retry: Failure['retry'];
  readonly retryAfterSeconds?: number | undefined;
}

function rowFor(error: unknown): Row {
  if (error instanceof TextAnswerError) return answerRow(error);
  if (error instanceof APIUserAbortError || error instanceof APIConnectionTimeoutError) {
    return unavailable('The AI provider did not answer in time.');
  }
  if (error instanceof APIConnectionError) return unavailable('The AI provider could not be reached.');
  if (error instanceof APIError && error.status !== undefined) return statusRow(error);
  if (error instanceof AnswerTooLargeError) return final('The AI provider answered with more than 1 MiB.');
  // A body that is no JSON, or whatever else the client trips over.
  return unusable('The AI provider answered with something unusable.');
}

const unavailable = (detail: string, retryAfterMs?: number): Row => ({
  code: 'ai_provider_unavailable',
  detail,
  retry: { afterMs: retryAfterMs },
  retryAfterSeconds: retryAfterMs === undefined ? undefined : retryAfterMs / 1000,
});
const unusable = (detail: string): Row => ({ code: 'ai_provider_error', detail, retry: 'repair' });
const final = (detail: string): Row => ({ code: 'ai_provider_error', detail, retry: null });
const outOfQuota: Row = {
  code: 'ai_provider_unavailable',
  detail: 'The quota of the AI provider is used up.',
  retry: null,
  // Somebody has to pay first; an hour is what a client may sensibly wait.
  retryAfterSeconds: 3600,
};

function answerRow({ reason, code }: TextAnswerError): Row {
  switch (reason) {
    case 'form':
      return unusable('The AI provider answered without a usable subject and text, also when asked again.');
    case 'length':
      return final('The text of the AI provider was cut off.');
    case 'filter':
      return final('The content filter of the AI provider stopped the text.');
    case 'refusal':
      return final('The AI provider refused to write this text.');
    case 'failed':
      return failedRow(code);
  }
}

// The responses wire reports some failures with status 200.
function failedRow(code: string | undefined): Row {
  if (code === 'insufficient_quota') return outOfQuota;
  if (code === 'rate_limit_exceeded') return unavailable('The AI provider is busy.');
  return code === 'server_error'
    ? unavailable('The AI provider has a fault.')
    : final('The AI provider failed.');
}

function statusRow(error: APIError): Row {
  const { status = 0, code, type } = error;
  if (code === 'insufficient_quota' || type === 'insufficient_quota') return outOfQuota;
  if (status === 429) return unavailable('The AI provider is busy.', askedDelayMs(error));
  if (status === 408 || status === 409 || status >= 500) {
    return unavailable('The AI provider has a fault.', askedDelayMs(error));
  }
  if (status >= 300 && status < 400) {
    return final('The AI provider redirects to another address, which is not followed (AI_BASE_URL).');
  }
  if (status === 401) return final('The AI provider does not accept the key of this service (AI_API_KEY).');
  if (status === 403) return final('The key of this service may not use the AI model (AI_MODEL).');
  if (status === 404)
    return final('The AI provider does not know the model or address (AI_MODEL, AI_BASE_URL).');
  if (code === 'content_filter')
    return final('The content filter of the AI provider refused the description.');
  return final(`The AI provider refused the call with status ${status}.`);
}

function askedDelayMs({ headers }: APIError): number | undefined {
  const ms = Number.parseFloat(headers?.get('retry-after-ms') ?? '');
  if (Number.isFinite(ms)) return Math.max(0, ms);
  return retryAfterMs(headers?.get('retry-after'), { date: headers?.get('date'), receivedAtMs: Date.now() });
}

function factsOf(error: unknown): EventFields {
  const name = error instanceof Error ? error.constructor.name : typeof error;
  if (error instanceof TextAnswerError) return { name, reason: error.reason, providerCode: error.code };
  if (!(error instanceof APIError)) return { name };
  return {
    name,
    status: error.status,
    providerCode: named(error.code),
    providerRequestId: named(error.requestID),
  };
}

// Codes and ids, not sentences: a server that puts its message or a key there is not repeated.
function named(text: string | null | undefined): string | undefined {
  return text && /^[\w.-]{1,100}$/.test(text) && !/^(?:sk|key)-/i.test(text) ? text : undefined;
}

import { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from 'openai/error';
import { retryAfterMs } from '../../contract/retry.ts';
import type { EventFields } from '../../base/event-log.ts';
import { type ProblemCode, ServiceError } from '../../base/service-error.ts';
import { ResponseTooLargeError } from './bounded-fetch.ts';
import { UnusableTextError } from './text-response.ts';

/** The consequences of a failed call: the error for the caller, and whether to retry first. */
export interface Failure {
  readonly error: ServiceError;
  /**
   * `null`: do not retry. `repair`: retry once, without a wait. Otherwise retry after the provider's delay, if it sent
   * one.
   */
  readonly retry: null | 'repair' | { readonly afterMs: number | undefined };
  readonly facts: EventFields;
}

/**
 * Maps every failure of a call to the text provider (docs/http-contract.md, "Activities"). The provider's own message
 * is never passed on: OpenAI repeats a part of the key in its 401, and others may repeat the prompt.
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
  if (error instanceof UnusableTextError) return unusableTextRow(error);
  if (error instanceof APIUserAbortError || error instanceof APIConnectionTimeoutError) {
    return unavailable('The AI provider did not respond in time.');
  }
  if (error instanceof APIConnectionError) return unavailable('The AI provider could not be reached.');
  if (error instanceof APIError && error.status !== undefined) return statusRow(error);
  if (error instanceof ResponseTooLargeError)
    return final('The response of the AI provider is larger than 1 MiB.');
  // The body is not JSON, or the client failed to process it for another reason.
  return unusable('The response of the AI provider is unusable.');
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
  // Someone has to pay first; an hour is a sensible wait for a client.
  retryAfterSeconds: 3600,
};

function unusableTextRow({ reason }: UnusableTextError): Row {
  switch (reason) {
    case 'form':
      return unusable('The AI provider returned no usable subject and text.');
    case 'length':
      return final('The text of the AI provider was cut off.');
    case 'filter':
      return final('The content filter of the AI provider stopped the text.');
    case 'refusal':
      return final('The AI provider declined to write this text.');
  }
}

function statusRow(error: APIError): Row {
  const { status = 0, code, type } = error;
  if (code === 'insufficient_quota' || type === 'insufficient_quota') return outOfQuota;
  if (status === 429) return unavailable('The AI provider is busy.', requestedDelayMs(error));
  if (status === 408 || status === 409 || status >= 500) {
    return unavailable('The AI provider reported a server error.', requestedDelayMs(error));
  }
  if (status >= 300 && status < 400) {
    return final('The AI provider redirects to another address; redirects are not followed (AI_BASE_URL).');
  }
  if (status === 401) return final('The AI provider rejected the key of this service (AI_API_KEY).');
  if (status === 403) return final('The key of this service has no permission for the AI model (AI_MODEL).');
  if (code === 'model_not_found' || code === 'DeploymentNotFound') {
    return final('The AI provider has no such model, or has switched it off (AI_MODEL).');
  }
  if (status === 404) return final('The AI provider has no such model or address (AI_MODEL, AI_BASE_URL).');
  if (code === 'content_filter')
    return final('The content filter of the AI provider rejected the description.');
  return final(`The AI provider rejected the call with status ${status}.`);
}

function requestedDelayMs({ headers }: APIError): number | undefined {
  const ms = Number.parseFloat(headers?.get('retry-after-ms') ?? '');
  if (Number.isFinite(ms)) return Math.max(0, ms);
  return retryAfterMs(headers?.get('retry-after'), { date: headers?.get('date'), receivedAtMs: Date.now() });
}

function factsOf(error: unknown): EventFields {
  const name = error instanceof Error ? error.constructor.name : typeof error;
  if (error instanceof UnusableTextError) return { name, reason: error.reason };
  if (!(error instanceof APIError)) return { name };
  return {
    name,
    status: error.status,
    ...((error.code === 'model_not_found' || error.code === 'DeploymentNotFound') && { setting: 'AI_MODEL' }),
    providerCode: codeOnly(error.code),
    providerRequestId: codeOnly(error.requestID),
  };
}

// Accepts codes and ids only, so a message or a key that a server puts there is not logged.
function codeOnly(text: string | null | undefined): string | undefined {
  return text && /^[\w.-]{1,100}$/.test(text) && !/^(?:sk|key)-/i.test(text) ? text : undefined;
}

import { problems, type ServiceError } from '../base/service-error.ts';

// Retryable errors carry Retry-After (docs/http-contract.md); this is the default.
const defaultRetryAfterSeconds = 5;

/** A response lists no more faults than this (docs/http-contract.md, "Everywhere"). */
export const maxErrors = 100;

/** RFC 9457 `application/problem+json`. */
export function problemOf(error: ServiceError, requestId: string) {
  const [status, title] = problems[error.code];
  const { detail, params, errors, headers, retryAfterSeconds, members } = error.facts;
  const isRetryable = status === 503 || status === 429;
  const retryAfter = isRetryable ? (retryAfterSeconds ?? defaultRetryAfterSeconds) : undefined;
  return {
    status,
    headers: {
      'content-type': 'application/problem+json',
      // Required by RFC 9110, 15.5.2; most errors bring their own.
      ...(status === 401 && {
        'www-authenticate': error.code === 'invalid_agent_key' ? 'x-api-key' : 'Bearer',
      }),
      ...(retryAfter !== undefined && { 'retry-after': String(Math.max(1, Math.ceil(retryAfter))) }),
      ...headers,
    },
    body: JSON.stringify({
      // A URN: about:blank would oblige the title to be the bare HTTP phrase (RFC 9457 section 4.2.1).
      type: `urn:problem-type:${error.code}`,
      title,
      status,
      detail: detail ?? title,
      code: error.code,
      requestId,
      ...(params && { params }),
      ...(errors && { errors: errors.slice(0, maxErrors) }),
      ...members,
    }),
  };
}

import { systemClock } from './clock.ts';

/**
 * The delay before another attempt of a request that a user is waiting for: `baseMs`, doubled with each further failure.
 * Half of it is random, and not all, so that the few attempts are not wasted in quick succession (docs/decisions/0015).
 *
 * @param failures consecutive ones: 1 after the first
 * @param random from [0, 1)
 */
export const backoffMs = (failures: number, baseMs: number, random = Math.random()): number =>
  baseMs * 2 ** (failures - 1) * (0.5 + random / 2);

export const pause = (failures: number, baseMs: number): Promise<void> =>
  systemClock.wait(backoffMs(failures, baseMs));

/**
 * `Retry-After` in milliseconds (RFC 9110 section 10.2.3): seconds, or the date to wait for, in any of the three date
 * formats of section 5.6.7. Undefined for anything else. The RFC has no fractions of a second, but AI providers
 * send them.
 *
 * @param response `date` is the response's Date header: a `Retry-After` date is relative to the server's clock where it is known
 */
export function retryAfterMs(
  retryAfter: string | null | undefined,
  response: { readonly date: string | null | undefined; readonly receivedAtMs: number },
): number | undefined {
  const text = retryAfter?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const untilMs = httpDateMs(text);
  if (untilMs === undefined) return undefined;
  return Math.max(0, untilMs - (httpDateMs(response.date?.trim() ?? '') ?? response.receivedAtMs));
}

/** `Retry-After` of a response that has just arrived. */
export function retryAfterSecondsIn(headers: Headers): number | undefined {
  const response = { date: headers.get('date'), receivedAtMs: Date.now() };
  const ms = retryAfterMs(headers.get('retry-after'), response);
  return ms === undefined ? undefined : ms / 1000;
}

// Date.parse alone accepts much that is not an HTTP date, such as -5, and reads the asctime format as local time.
function httpDateMs(text: string): number | undefined {
  const isAsctime = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/.test(text);
  if (!isAsctime && !/^[A-Z][a-z]+, .* GMT$/.test(text)) return undefined;
  const ms = Date.parse(isAsctime ? `${text} GMT` : text);
  return Number.isNaN(ms) ? undefined : ms;
}

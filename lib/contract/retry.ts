import { systemClock, type Clock } from './clock.ts';

/** What retries depend on: the clock, and random numbers from [0, 1). */
export interface RetryTiming {
  readonly clock: Clock;
  readonly random: () => number;
}

export const systemTiming: RetryTiming = { clock: systemClock, random: Math.random };

export interface Backoff {
  /** Consecutive failures, including this one: 1 after the first. */
  readonly failures: number;
  readonly baseMs: number;
  readonly maxMs?: number;
  /**
   * `full` draws the delay uniformly from zero to the ceiling, for endless loops. `equal` keeps half of the ceiling, so that
   * the few attempts of a request that a user is waiting for are not wasted in quick succession (docs/decisions/0015).
   */
  readonly jitter: 'full' | 'equal';
}

/** The delay after a failure. Its ceiling is `baseMs`, doubled with each further failure, up to `maxMs`. */
export function backoffMs(
  { failures, baseMs, maxMs = Number.POSITIVE_INFINITY, jitter }: Backoff,
  random: number,
): number {
  const ceilingMs = Math.min(maxMs, baseMs * 2 ** (failures - 1));
  return jitter === 'full' ? random * ceilingMs : ceilingMs * (0.5 + random / 2);
}

/** Waits before another attempt of a request that a user is waiting for. */
export const pause = (failures: number, baseMs: number): Promise<void> =>
  systemClock.wait(backoffMs({ failures, baseMs, jitter: 'equal' }, Math.random()));

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

// Date.parse alone accepts much that is not an HTTP date, such as -5, and reads the asctime format as local time.
function httpDateMs(text: string): number | undefined {
  const isAsctime = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/.test(text);
  if (!isAsctime && !/^[A-Z][a-z]+, .* GMT$/.test(text)) return undefined;
  const ms = Date.parse(isAsctime ? `${text} GMT` : text);
  return Number.isNaN(ms) ? undefined : ms;
}

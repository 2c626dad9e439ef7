import { ApiProblem, problemOf } from '../openapi/api-problem.ts';
import { realTiming, type Timing } from '../uploads/timing.ts';
import type { Fetch } from './problem-client.ts';

// A user is counted for a minute.
const longestWaitMs = 60_000;
const maxTries = 6;
const takesKey = /\/(?:folder-requests|uploads?|activities\/(?:generate|letters|emails))$/;
const isSafePost = /\/(?:provision|refresh|complete)$/;

/**
 * Repeats a request that the service is too busy for, or whose response was lost, if a repetition does nothing twice: after
 * `Retry-After`, or 1 s, 2 s, 4 s …, within a minute. Requests that take an `Idempotency-Key` get one unless they have it.
 *
 * @throws ApiProblem `unreachable` when there was no response; the signal's reason when it was aborted
 */
export const withRetries =
  (send: Fetch, timing: Timing = realTiming): Fetch =>
  async (request) => {
    const { method, signal } = request;
    const { pathname } = new URL(request.url);
    if (method === 'POST' && takesKey.test(pathname) && !request.headers.has('idempotency-key')) {
      request.headers.set('idempotency-key', crypto.randomUUID());
    }
    const mayRepeat =
      method !== 'POST' || request.headers.has('idempotency-key') || isSafePost.test(pathname);
    const startedAt = timing.now();
    for (let tries = 1; ; tries += 1) {
      const outcome = await outcomeOf(send, request.clone());
      if (outcome instanceof Response && outcome.ok) return outcome;
      const problem = outcome instanceof Response ? await problemOf(outcome.clone()) : outcome;
      // The response to the first one was lost.
      if (tries > 1 && method === 'DELETE' && problem.status === 404)
        return new Response(null, { status: 204 });
      const backoffMs = 1000 * 2 ** (tries - 1) * (0.5 + timing.random() / 2);
      const waitMs = Math.max(backoffMs, (problem.retryAfterSeconds ?? 0) * 1000);
      const isTime = tries < maxTries && timing.now() + waitMs - startedAt <= longestWaitMs;
      // The gateway counts calls before the service sees them.
      const isLimited = problem.status === 429 && problem.code !== 'too_many_uploads';
      if (isTime && (isLimited || (mayRepeat && mayPass(problem)))) {
        await timing.pause(waitMs, signal);
        continue;
      }
      if (outcome instanceof Response) return outcome;
      throw outcome;
    }
  };

/** Whether the same request may succeed later without anybody's doing. */
export function mayPass({ status, code }: ApiProblem): boolean {
  if (code === 'unreachable' || code === 'request_in_progress') return true;
  // The service's own 502 has a reason that a repetition does not change.
  if (code === 'too_many_uploads') return false;
  if (status === 502) return code === 'unexpected_response';
  return status === 429 || (status === 503 && code !== 'not_configured') || status === 504;
}

async function outcomeOf(send: Fetch, request: Request): Promise<Response | ApiProblem> {
  try {
    return await send(request);
  } catch (error) {
    request.signal.throwIfAborted();
    // fetch throws it when there is no response.
    if (!(error instanceof TypeError)) throw error;
    const detail = 'The service did not respond.';
    return new ApiProblem(0, { code: 'unreachable', detail }, undefined, error);
  }
}

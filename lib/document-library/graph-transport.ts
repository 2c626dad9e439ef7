import type { User } from '../callers/caller.ts';
import type { OnBehalfOf } from '../callers/on-behalf-of.ts';
import { interactionRequired } from '../callers/interaction-required.ts';
import { LibraryError, retryAfterSecondsOf } from './library-error.ts';
import { systemTiming, type RetryTiming } from '../contract/retry.ts';
import { waitBeforeRetryMs } from './retries.ts';

export interface GraphRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Set where a repetition could take effect twice: then only what was surely not done is tried again. */
  readonly isUnrepeatable?: boolean;
}

const timeoutMs = 20_000;
const maxAttempts = 4;
// 302: throttled, SharePoint has sent callers to a page (/_layouts/15/Throttle.htm).
const retriedStatuses: ReadonlySet<number> = new Set([302, 408, 429, 500, 502, 503, 504, 509]);
const surelyNotDone: ReadonlySet<number> = new Set([302, 429, 503]);
// How Microsoft asks applications to name themselves; undecorated traffic is throttled first.
const userAgent = 'NONISV|ProjectFolders|DocumentService/1.0';

/** An answer, refusals included. */
export interface GraphAnswer {
  readonly response: Response;
  /** An earlier try got no answer, or one of a gateway: what was asked for may have been done twice. */
  readonly isRepeated: boolean;
}

/**
 * Sends one request to Graph with the user's token: a time-out per try, up to four tries, one new token when the
 * library refuses this one. A repeated creation may be refused for what its first try has made: `isRepeated` tells.
 */
export class GraphTransport {
  readonly #tokens: OnBehalfOf;
  readonly #timing: RetryTiming;

  constructor(tokens: OnBehalfOf, timing: RetryTiming = systemTiming) {
    this.#tokens = tokens;
    this.#timing = timing;
  }

  /**
   * @throws LibraryError `busy` when no answer came; ServiceError `interaction_required` for a claims challenge, and
   * whatever the exchange throws
   */
  async send(user: User, url: string, request: GraphRequest): Promise<GraphAnswer> {
    let renewed = false;
    let isRepeated = false;
    for (let attempt = 1; ; attempt += 1) {
      const token = await this.#tokens.tokenFor(user);
      const outcome = await this.#attempt(url, request, token);
      if (outcome instanceof Response) {
        const challenge = claimsChallenge(outcome);
        if (challenge !== undefined) throw await refused(outcome, challenge);
        if (outcome.status === 401 && !renewed) {
          renewed = true;
          this.#tokens.forget(user, token);
          await outcome.body?.cancel();
          continue;
        }
        const retried = request.isUnrepeatable ? surelyNotDone : retriedStatuses;
        if (!retried.has(outcome.status)) return { response: outcome, isRepeated };
      } else if (request.isUnrepeatable) {
        throw outcome;
      }
      const retryAfter = outcome instanceof Response ? retryAfterSecondsOf(outcome.headers) : undefined;
      const waitMs = waitBeforeRetryMs(attempt, maxAttempts, retryAfter, this.#timing.random);
      if (waitMs === null) {
        if (outcome instanceof Response) return { response: outcome, isRepeated };
        throw outcome;
      }
      if (!(outcome instanceof Response && surelyNotDone.has(outcome.status))) isRepeated = true;
      if (outcome instanceof Response) await outcome.body?.cancel();
      await this.#timing.clock.wait(waitMs);
    }
  }

  async #attempt(
    url: string,
    { method, headers, body }: GraphRequest,
    token: string,
  ): Promise<Response | LibraryError> {
    try {
      return await fetch(url, {
        method,
        ...(body !== undefined && { body }),
        headers: { ...headers, authorization: `Bearer ${token}`, 'user-agent': userAgent },
        // A redirect is never an answer to these calls, and must not take the token along.
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      });
    } catch (cause) {
      return new LibraryError('busy', { cause });
    }
  }
}

/** The claims of a challenge as base64 (continuous access evaluation, conditional access), if it is one. */
function claimsChallenge(response: Response): string | undefined {
  if (response.status !== 401 && response.status !== 403) return undefined;
  const header = response.headers.get('www-authenticate') ?? '';
  if (!/\berror="?insufficient_claims\b/i.test(header)) return undefined;
  return /\bclaims="([A-Za-z0-9+/=_-]*)"/i.exec(header)?.[1] ?? '';
}

async function refused(response: Response, claimsBase64: string): Promise<Error> {
  await response.body?.cancel();
  const claims = Buffer.from(claimsBase64, 'base64').toString('utf8');
  return interactionRequired(claims, new Error(`Graph answered ${response.status} with a claims challenge`));
}

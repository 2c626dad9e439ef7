import type { User } from '../callers/caller.ts';
import type { OnBehalfOf } from '../callers/on-behalf-of.ts';
import { interactionRequired } from '../callers/interaction-required.ts';
import { LibraryError, retryAfterSecondsOf } from './library-error.ts';
import { systemClock } from '../contract/clock.ts';
import { waitBeforeRetryMs } from './retries.ts';

export interface GraphRequest {
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Set if a repetition could take effect twice: then only requests that certainly had no effect are retried. */
  readonly isUnrepeatable?: boolean;
  /** The response is a redirect to content. */
  readonly isRedirected?: boolean;
}

const timeoutMs = 20_000;
const maxAttempts = 4;
// 302: when throttling, SharePoint has redirected callers to a page.
const retriedStatuses: ReadonlySet<number> = new Set([302, 408, 429, 500, 502, 503, 504, 509]);
const surelyNotDone: ReadonlySet<number> = new Set([302, 429, 503]);
// Microsoft asks applications to identify themselves this way; other traffic is throttled first.
const userAgent = 'NONISV|ProjectFolders|DocumentService/1.0';

/** A response, including rejections. */
export interface GraphResponse {
  readonly response: Response;
  /** An earlier attempt had no response, or one of a gateway: the request may have taken effect twice. */
  readonly isRepeated: boolean;
}

/**
 * Sends one request to Graph with the user's token: a timeout per attempt, at most four attempts, and one new token if
 * the library rejects the first. A repeated creation may be rejected because of what the first attempt created; see
 * `isRepeated`.
 */
export class GraphTransport {
  readonly #tokens: OnBehalfOf;

  constructor(tokens: OnBehalfOf) {
    this.#tokens = tokens;
  }

  /**
   * @throws LibraryError `busy` without a response; ServiceError `interaction_required` for a claims challenge; errors of
   * the token exchange
   */
  async send(user: User, url: string, request: GraphRequest): Promise<GraphResponse> {
    let renewed = false;
    let isRepeated = false;
    for (let attempt = 1; ; attempt += 1) {
      const token = await this.#tokens.tokenFor(user);
      const outcome = await this.#attempt(url, request, token);
      if (outcome instanceof Response) {
        const challenge = claimsChallenge(outcome);
        if (challenge !== undefined) throw await challengeError(outcome, challenge);
        if (outcome.status === 401 && !renewed) {
          renewed = true;
          this.#tokens.forget(user, token);
          await outcome.body?.cancel();
          continue;
        }
        const retried = request.isUnrepeatable ? surelyNotDone : retriedStatuses;
        const isContent = request.isRedirected === true && contentUrlOf(outcome) !== null;
        if (isContent || !retried.has(outcome.status)) return { response: outcome, isRepeated };
      } else if (request.isUnrepeatable) {
        throw outcome;
      }
      const retryAfter = outcome instanceof Response ? retryAfterSecondsOf(outcome.headers) : undefined;
      const waitMs = waitBeforeRetryMs(attempt, maxAttempts, retryAfter);
      if (waitMs === null) {
        if (outcome instanceof Response) return { response: outcome, isRepeated };
        throw outcome;
      }
      if (!(outcome instanceof Response && surelyNotDone.has(outcome.status))) isRepeated = true;
      if (outcome instanceof Response) await outcome.body?.cancel();
      await systemClock.wait(waitMs);
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
        headers: {
          accept: 'application/json',
          ...headers,
          authorization: `Bearer ${token}`,
          'user-agent': userAgent,
        },
        // A redirect must not receive the token.
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      });
    } catch (cause) {
      return new LibraryError('busy', { cause });
    }
  }
}

/** Where the response redirects to, unless that is the page for callers that are throttled. */
export function contentUrlOf({ status, headers }: Response): string | null {
  const location = status === 302 ? headers.get('location') : null;
  return location === null || /\/_layouts\/15\/Throttle\.htm/i.test(location) ? null : location;
}

/** If the response is a claims challenge (continuous access evaluation, conditional access): its claims, in base64. */
function claimsChallenge(response: Response): string | undefined {
  if (response.status !== 401 && response.status !== 403) return undefined;
  const header = response.headers.get('www-authenticate') ?? '';
  if (!/\berror="?insufficient_claims\b/i.test(header)) return undefined;
  return /\bclaims="([A-Za-z0-9+/=_-]*)"/i.exec(header)?.[1] ?? '';
}

async function challengeError(response: Response, claimsBase64: string): Promise<Error> {
  await response.body?.cancel();
  const claims = Buffer.from(claimsBase64, 'base64').toString('utf8');
  return interactionRequired(claims, new Error(`Graph responded ${response.status} with a claims challenge`));
}

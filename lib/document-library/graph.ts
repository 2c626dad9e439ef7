import type { User } from '../callers/caller.ts';
import type { OnBehalfOf } from '../callers/on-behalf-of.ts';
import { interactionRequired } from '../callers/interaction-required.ts';
import { systemClock } from '../contract/clock.ts';
import { retryAfterSecondsIn } from '../contract/retry.ts';
import { isLibraryError, LibraryError, libraryErrorOf } from './library-error.ts';
import { waitBeforeRetryMs } from './retries.ts';

interface GraphRequest {
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Set if a repetition could take effect twice: then only requests that certainly had no effect are retried. */
  readonly isUnrepeatable?: boolean;
  /** The response is a redirect to content. */
  readonly isRedirected?: boolean;
}

/** A response, including rejections. */
interface GraphResponse {
  readonly method: string;
  readonly response: Response;
  /** An earlier attempt had no response, or one of a gateway: the request may have taken effect twice. */
  readonly isRepeated: boolean;
}

const timeoutMs = 20_000;
const maxAttempts = 4;
// 302: when throttling, SharePoint has redirected callers to a page.
const retriedStatuses: ReadonlySet<number> = new Set([302, 408, 429, 500, 502, 503, 504, 509]);
const surelyNotDone: ReadonlySet<number> = new Set([302, 429, 503]);
// Microsoft asks applications to identify themselves this way; other traffic is throttled first.
const userAgent = 'NONISV|ProjectFolders|DocumentService/1.0';

/**
 * Microsoft Graph on behalf of a user. Without the official SDK (docs/decisions/0004).
 *
 * Paths are relative to the version, with percent-encoded segments; a `nextLink` of this Graph is accepted as a whole.
 * Responses are unchecked JSON. Each request has a timeout per attempt, at most four attempts, and one new token if the
 * library rejects the first. A repeated creation may be rejected because of what the first attempt created; see
 * `isRepeated`.
 *
 * All methods throw LibraryError, `busy` without a response; ServiceError `interaction_required` for a claims challenge;
 * the errors of the on-behalf-of exchange.
 */
export class Graph {
  readonly #base: string;
  readonly #tokens: OnBehalfOf;

  /** @param baseUrl e.g. `https://graph.microsoft.com/v1.0` */
  constructor(baseUrl: string, tokens: OnBehalfOf) {
    this.#base = baseUrl;
    this.#tokens = tokens;
  }

  async get(user: User, path: string): Promise<unknown> {
    return bodyOf(await this.#sent(user, path, { method: 'GET' }));
  }

  /** Like `get`, with the time by the library's clock; `body` is null if the library does not find it. */
  async find(user: User, path: string): Promise<{ body: unknown; at: Date }> {
    const reply = await this.#sent(user, path, { method: 'GET' });
    const at = new Date(Date.parse(reply.response.headers.get('date') ?? '') || Date.now());
    try {
      return { body: await bodyOf(reply), at };
    } catch (error) {
      if (isLibraryError(error, 'notFound')) return { body: null, at };
      throw error;
    }
  }

  /** @param isUnrepeatable whether a repetition would create something a second time */
  async post(user: User, path: string, body: unknown, isUnrepeatable = false): Promise<unknown> {
    const headers = { 'content-type': 'application/json' };
    const request = { method: 'POST', headers, body: JSON.stringify(body), isUnrepeatable };
    return bodyOf(await this.#sent(user, path, request));
  }

  /** The pre-authenticated URL that a request for content is redirected to. */
  async contentUrl(user: User, path: string): Promise<string> {
    const reply = await this.#sent(user, path, { method: 'GET', isRedirected: true });
    const url = contentUrlOf(reply.response);
    if (url !== null) return url;
    await bodyOf(reply);
    throw new LibraryError('other', { cause: new Error('content without a redirect') });
  }

  async delete(user: User, path: string, headers: Readonly<Record<string, string>> = {}): Promise<void> {
    await bodyOf(await this.#sent(user, path, { method: 'DELETE', headers }));
  }

  /**
   * Uploads bytes that fit in memory, by the simple upload.
   *
   * @param isUnrepeatable whether a repetition would create a second file (conflict behavior rename)
   */
  async put(
    user: User,
    path: string,
    bytes: Uint8Array,
    { contentType, isUnrepeatable }: { contentType: string; isUnrepeatable: boolean },
  ): Promise<unknown> {
    const headers = { 'content-type': contentType };
    const request = { method: 'PUT', headers, body: bytes, isUnrepeatable };
    return bodyOf(await this.#sent(user, path, request));
  }

  async #sent(user: User, path: string, request: GraphRequest): Promise<GraphResponse> {
    const url = path.startsWith('https:') ? path : `${this.#base}${path}`;
    // Another host would receive the user's token.
    if (!url.startsWith(`${this.#base}/`)) {
      throw new LibraryError('other', {
        cause: new Error('a link in a response of Graph leads to another host'),
      });
    }
    const { method } = request;
    let renewed = false;
    let isRepeated = false;
    for (let attempt = 1; ; attempt += 1) {
      const token = await this.#tokens.tokenFor(user);
      const outcome = await attempted(url, request, token);
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
        if (isContent || !retried.has(outcome.status)) return { method, response: outcome, isRepeated };
      } else if (request.isUnrepeatable) {
        throw outcome;
      }
      const retryAfter = outcome instanceof Response ? retryAfterSecondsIn(outcome.headers) : undefined;
      const waitMs = waitBeforeRetryMs(attempt, maxAttempts, retryAfter);
      if (waitMs === null) {
        if (outcome instanceof Response) return { method, response: outcome, isRepeated };
        throw outcome;
      }
      if (!(outcome instanceof Response && surelyNotDone.has(outcome.status))) isRepeated = true;
      if (outcome instanceof Response) await outcome.body?.cancel();
      await systemClock.wait(waitMs);
    }
  }
}

async function attempted(
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

async function bodyOf({ method, response, isRepeated }: GraphResponse): Promise<unknown> {
  const text = await response.text().catch((cause: unknown) => {
    throw new LibraryError('busy', { cause });
  });
  if (!response.ok) {
    const { status, headers } = response;
    throw libraryErrorOf({ status, headers, body: text }, { method, isRepeated });
  }
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new LibraryError('other', { cause });
  }
}

/** Where the response redirects to, unless that is the page for callers that are throttled. */
function contentUrlOf({ status, headers }: Response): string | null {
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

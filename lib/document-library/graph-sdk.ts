import {
  Client,
  GraphClientError,
  HTTPMessageHandler,
  type Context,
  type GraphRequest,
  type Middleware,
  type MiddlewareOptions,
} from '@microsoft/microsoft-graph-client';
import type { User } from '../callers/caller.ts';
import type { OnBehalfOf } from '../callers/on-behalf-of.ts';
import { systemClock } from '../contract/clock.ts';
import { retryAfterSecondsIn } from '../contract/retry.ts';
import { challengeError, claimsChallenge, contentUrlOf } from './graph-responses.ts';
import { LibraryError, libraryErrorOf, libraryTime } from './library-error.ts';
import { waitBeforeRetryMs } from './retries.ts';

export interface CallOptions {
  /** Set if a repetition could take effect twice: then only requests that certainly had no effect are retried. */
  readonly isUnrepeatable?: boolean;
  /** A request whose condition the library cannot check, but its caller: what fails for a while is not repeated. */
  readonly isOnce?: boolean;
  /** The response is a redirect to content. */
  readonly isRedirected?: boolean;
}

/** What a call returns. */
export interface Sent {
  readonly body: unknown;
  /** The time of the response by the library's clock. */
  readonly at: Date;
}

const timeoutMs = 20_000;
const maxAttempts = 4;
// 302: when throttling, SharePoint has redirected callers to a page.
const retriedStatuses: ReadonlySet<number> = new Set([302, 408, 429, 500, 502, 503, 504, 509]);
const surelyNotDone: ReadonlySet<number> = new Set([302, 429, 503]);
// Microsoft asks applications to identify themselves this way; other traffic is throttled first.
const userAgent = 'NONISV|ProjectFolders|DocumentService/1.0';

/** What a call tells the handlers, and they each other. */
class Call implements MiddlewareOptions {
  readonly user: User;
  readonly options: CallOptions;
  /** An earlier attempt had no response, or one of a gateway: the request may have taken effect twice. */
  isRepeated = false;
  /** The time of the last response by the library's clock. */
  at = new Date();

  constructor(user: User, options: CallOptions) {
    this.user = user;
    this.options = options;
  }

  static of({ middlewareControl }: Context): Call {
    return middlewareControl?.getMiddlewareOptions(Call) as Call;
  }
}

/** The official SDK with handlers of ours, before the one that sends. */
export class GraphSdk {
  readonly #client: Client;
  readonly #base: string;

  /** @param baseUrl with the version as its last segment */
  constructor(baseUrl: string, tokens: OnBehalfOf) {
    this.#base = baseUrl;
    const version = baseUrl.lastIndexOf('/');
    this.#client = Client.initWithMiddleware({
      baseUrl: baseUrl.slice(0, version),
      defaultVersion: baseUrl.slice(version + 1),
      middleware: [
        new RejectionHandler(),
        new RetryHandler(),
        new TokenHandler(tokens),
        new AttemptHandler(),
        new HTTPMessageHandler(),
      ],
      fetchOptions: {
        // A redirect must not receive the token.
        redirect: 'manual',
        headers: { accept: 'application/json', 'user-agent': userAgent },
      },
    });
  }

  /** @param send ends the SDK's request, e.g. by `get()` */
  async send(
    user: User,
    path: string,
    send: (request: GraphRequest) => Promise<unknown>,
    options: CallOptions = {},
  ): Promise<Sent> {
    // Another host would receive the user's token.
    if (path.startsWith('https:') && !path.startsWith(`${this.#base}/`)) {
      throw new LibraryError('other', {
        cause: new Error('a link in a response of Graph leads to another host'),
      });
    }
    const call = new Call(user, options);
    try {
      const body = await send(this.#client.api(path).middlewareOptions([call]));
      return { body, at: call.at };
    } catch (error) {
      // The only place where errors of the handlers leave the SDK.
      if (error instanceof HandlerError) throw error.cause;
      // The body: not JSON, or broken off. The SDK's error has the name of the original as its code.
      const isUnusable = (error as { code?: unknown }).code === 'SyntaxError';
      throw new LibraryError(isUnusable ? 'other' : 'busy', { cause: error });
    }
  }
}

/** The SDK passes on only errors of this class; others lose their class and fields. */
class HandlerError extends GraphClientError {
  override readonly cause: unknown;

  constructor(cause: unknown) {
    super();
    // The SDK's constructor sets its own prototype.
    Object.setPrototypeOf(this, HandlerError.prototype);
    this.cause = cause;
  }
}

/** A link of the chain: it calls the next one, whose response is then in the context. */
abstract class Handler implements Middleware {
  protected next!: Middleware;

  setNext(next: Middleware): void {
    this.next = next;
  }

  abstract execute(context: Context): Promise<void>;
}

const responseOf = ({ response }: Context): Response => response as Response;

/** Throws what the caller gets. */
class RejectionHandler extends Handler {
  async execute(context: Context): Promise<void> {
    const call = Call.of(context);
    try {
      await this.next.execute(context);
      const response = responseOf(context);
      call.at = libraryTime(response.headers);
      const isContent = call.options.isRedirected === true && contentUrlOf(response) !== null;
      if (response.ok || isContent) return;
      const body = await response.text().catch((cause: unknown) => {
        throw new LibraryError('busy', { cause });
      });
      const { status, headers } = response;
      const { method = 'GET' } = context.options ?? {};
      throw libraryErrorOf({ status, headers, body }, { method, isRepeated: call.isRepeated });
    } catch (error) {
      throw new HandlerError(error);
    }
  }
}

/** A response, or none. */
type Attempt =
  | { readonly response: Response; readonly outage?: undefined }
  | { readonly response?: undefined; readonly outage: LibraryError };

/** Repeats what failed for a while, if a repetition cannot take effect twice. */
class RetryHandler extends Handler {
  async execute(context: Context): Promise<void> {
    const call = Call.of(context);
    const { isUnrepeatable = false, isOnce = false, isRedirected = false } = call.options;
    if (isOnce) return this.next.execute(context);
    const retried = isUnrepeatable ? surelyNotDone : retriedStatuses;
    for (let attempt = 1; ; attempt += 1) {
      const { response, outage } = await this.#attempt(context);
      if (outage) {
        const waitMs = isUnrepeatable ? null : waitBeforeRetryMs(attempt, maxAttempts, undefined);
        if (waitMs === null) throw outage;
        call.isRepeated = true;
        await systemClock.wait(waitMs);
        continue;
      }
      const isContent = isRedirected && contentUrlOf(response) !== null;
      if (isContent || !retried.has(response.status)) return;
      const waitMs = waitBeforeRetryMs(attempt, maxAttempts, retryAfterSecondsIn(response.headers));
      if (waitMs === null) return;
      if (!surelyNotDone.has(response.status)) call.isRepeated = true;
      await response.body?.cancel();
      await systemClock.wait(waitMs);
    }
  }

  async #attempt(context: Context): Promise<Attempt> {
    try {
      await this.next.execute(context);
      return { response: responseOf(context) };
    } catch (error) {
      if (!(error instanceof LibraryError)) throw error;
      return { outage: error };
    }
  }
}

/** Adds the user's token, and gets a new one if the library rejects the first. */
class TokenHandler extends Handler {
  readonly #tokens: OnBehalfOf;

  constructor(tokens: OnBehalfOf) {
    super();
    this.#tokens = tokens;
  }

  async execute(context: Context): Promise<void> {
    const { user } = Call.of(context);
    const token = await this.#tokens.tokenFor(user);
    await this.#attempt(context, token);
    const response = responseOf(context);
    const challenge = claimsChallenge(response);
    if (challenge !== undefined) throw await challengeError(response, challenge);
    if (response.status !== 401) return;
    this.#tokens.forget(user, token);
    await response.body?.cancel();
    await this.#attempt(context, await this.#tokens.tokenFor(user));
  }

  async #attempt(context: Context, token: string): Promise<void> {
    const options = context.options ?? {};
    const headers = new Headers(options.headers);
    headers.set('authorization', `Bearer ${token}`);
    context.options = { ...options, headers };
    await this.next.execute(context);
  }
}

/** Bounds the time of an attempt. */
class AttemptHandler extends Handler {
  async execute(context: Context): Promise<void> {
    try {
      context.options = { ...context.options, signal: AbortSignal.timeout(timeoutMs) };
      await this.next.execute(context);
    } catch (cause) {
      throw new LibraryError('busy', { cause });
    }
  }
}

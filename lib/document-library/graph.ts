import type { GraphRequest, ResponseType } from '@microsoft/microsoft-graph-client';
import type { User } from '../callers/caller.ts';
import type { OnBehalfOf } from '../callers/on-behalf-of.ts';
import type { CallOptions, Sent } from './graph-sdk.ts';
import { contentUrlOf } from './graph-responses.ts';
import { isLibraryError, LibraryError } from './library-error.ts';

/**
 * Microsoft Graph on behalf of a user: the official SDK with a middleware chain of our own (graph-sdk.ts).
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
  #sdk: ReturnType<typeof load> | undefined;

  /** @param baseUrl e.g. `https://graph.microsoft.com/v1.0` */
  constructor(baseUrl: string, tokens: OnBehalfOf) {
    this.#base = baseUrl;
    this.#tokens = tokens;
  }

  async get(user: User, path: string): Promise<unknown> {
    return (await this.#send(user, path, (request) => request.get())).body;
  }

  /** Like `get`, with the time by the library's clock; `body` is null if the library does not find it. */
  async find(user: User, path: string): Promise<Sent> {
    try {
      return await this.#send(user, path, (request) => request.get());
    } catch (error) {
      if (isLibraryError(error, 'notFound') && error.wire) return { body: null, at: error.wire.at };
      throw error;
    }
  }

  /** @param isUnrepeatable whether a repetition would create something a second time */
  async post(user: User, path: string, body: unknown, isUnrepeatable = false): Promise<unknown> {
    return (await this.#send(user, path, (request) => request.post(body), { isUnrepeatable })).body;
  }

  /** The pre-authenticated URL that a request for content is redirected to. */
  async contentUrl(user: User, path: string): Promise<string> {
    // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- the enum is code of the SDK, which only graph-sdk.ts imports
    const raw = 'raw' as ResponseType;
    const get = (request: GraphRequest) => request.responseType(raw).get();
    const { body } = await this.#send(user, path, get, { isRedirected: true });
    const url = contentUrlOf(body as Response);
    if (url !== null) return url;
    throw new LibraryError('other', { cause: new Error('content without a redirect') });
  }

  /** Like {@link delete}: one attempt if `isOnce`. */
  async patch(
    user: User,
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
    options: Pick<CallOptions, 'isOnce'> = {},
  ): Promise<unknown> {
    const patch = (request: GraphRequest) => request.headers({ ...headers }).patch(body);
    return (await this.#send(user, path, patch, options)).body;
  }

  /** @param options `isOnce`: temporary failures are left to the caller */
  async delete(
    user: User,
    path: string,
    headers: Readonly<Record<string, string>> = {},
    options: Pick<CallOptions, 'isOnce'> = {},
  ): Promise<void> {
    await this.#send(user, path, (request) => request.headers({ ...headers }).delete(), options);
  }

  /**
   * Uploads bytes that fit in memory, by the simple upload.
   *
   * @param isUnrepeatable whether a repetition would create a second file (conflict behavior rename)
   * @param ifMatch replaces only the item with this tag
   */
  async put(
    user: User,
    path: string,
    bytes: Uint8Array,
    {
      contentType,
      isUnrepeatable,
      ifMatch,
    }: { contentType: string; isUnrepeatable: boolean; ifMatch?: string | undefined },
  ): Promise<unknown> {
    // Of any other view, the SDK sends the whole underlying buffer.
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const headers = { 'content-type': contentType, ...(ifMatch !== undefined && { 'if-match': ifMatch }) };
    const put = (request: GraphRequest) => request.headers(headers).put(buffer);
    return (await this.#send(user, path, put, { isUnrepeatable })).body;
  }

  async #send(
    user: User,
    path: string,
    send: (request: GraphRequest) => Promise<unknown>,
    options?: CallOptions,
  ): Promise<Sent> {
    const sdk = await (this.#sdk ??= load(this.#base, this.#tokens));
    return sdk.send(user, path, send, options);
  }
}

/** Loaded by the first call, so other routes start without the SDK. */
async function load(base: string, tokens: OnBehalfOf) {
  const { GraphSdk } = await import('./graph-sdk.ts');
  return new GraphSdk(base, tokens);
}

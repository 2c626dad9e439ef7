import type { User } from '../callers/caller.ts';
import { LibraryError, libraryErrorOf, wireErrorOf } from './library-error.ts';
import type { GraphMethod, GraphSdk } from './graph-sdk.ts';
import { contentUrlOf, type GraphResponse, type GraphTransport } from './graph-transport.ts';

/**
 * Microsoft Graph on behalf of a user: the official SDK for plain JSON calls, over a transport of our own.
 *
 * The SDK's middleware has no timeouts, retries neither 500 nor 502, waits up to three minutes for a `Retry-After`, and
 * decides by host name without port where to send the token. Its errors lose status and headers when the body is not
 * Graph's JSON (as of 3.0.7). Therefore responses are used raw, and file content does not pass through it at all.
 *
 * Paths are relative to the version, with percent-encoded segments; a `nextLink` of this Graph is accepted as a whole.
 * Responses are unchecked JSON. All methods throw LibraryError, or the ServiceErrors of the on-behalf-of exchange.
 */
export class Graph {
  readonly #base: string;
  #sdk: Promise<GraphSdk> | undefined;
  readonly #transport: GraphTransport;

  /** @param baseUrl e.g. `https://graph.microsoft.com/v1.0` */
  constructor(baseUrl: string, transport: GraphTransport) {
    this.#base = baseUrl;
    this.#transport = transport;
  }

  get(user: User, path: string): Promise<unknown> {
    return this.#json(user, 'GET', path);
  }

  /** Like `get`, with the time by the library's clock; `body` is null for 404. */
  async getWithTime(user: User, path: string): Promise<{ body: unknown; at: Date }> {
    const reply = await this.#sent(user, 'GET', path);
    const { response } = reply;
    const at = new Date(Date.parse(response.headers.get('date') ?? '') || Date.now());
    if (response.status !== 404) return { body: await bodyOf('GET', reply), at };
    await response.body?.cancel();
    return { body: null, at };
  }

  post(user: User, path: string, body: unknown): Promise<unknown> {
    return this.#json(user, 'POST', path, body);
  }

  /** Creates what a repeated request would create a second time. */
  async create(user: User, path: string, body: unknown): Promise<unknown> {
    const reply = await this.#transport.send(user, `${this.#base}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      isUnrepeatable: true,
    });
    return bodyOf('POST', reply);
  }

  /** The pre-authenticated URL that a request for content is redirected to. */
  async contentUrl(user: User, path: string): Promise<string> {
    const request = { method: 'GET', headers: {}, isRedirected: true };
    const reply = await this.#transport.send(user, `${this.#base}${path}`, request);
    const url = contentUrlOf(reply.response);
    if (url !== null) return url;
    await bodyOf('GET', reply);
    throw new LibraryError('other', { cause: new Error('content without a redirect') });
  }

  async delete(user: User, path: string, headers: Readonly<Record<string, string>> = {}): Promise<void> {
    await bodyOf('DELETE', await this.#sent(user, 'DELETE', path, { headers }));
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
    { contentType, isUnrepeatable = false }: { contentType: string; isUnrepeatable?: boolean },
  ): Promise<unknown> {
    const reply = await this.#transport.send(user, `${this.#base}${path}`, {
      method: 'PUT',
      headers: { 'content-type': contentType },
      body: bytes,
      isUnrepeatable,
    });
    return bodyOf('PUT', reply);
  }

  async #json(user: User, method: GraphMethod, path: string, body?: unknown): Promise<unknown> {
    return bodyOf(method, await this.#sent(user, method, path, { body }));
  }

  async #sent(
    user: User,
    method: GraphMethod,
    path: string,
    { body, headers = {} }: { body?: unknown; headers?: Readonly<Record<string, string>> } = {},
  ): Promise<GraphResponse> {
    const sdk = await (this.#sdk ??= this.#loadSdk());
    return sdk.send(user, method, this.#relative(path), body, headers);
  }

  /** Loaded by the first call, so other routes start without it. */
  async #loadSdk(): Promise<GraphSdk> {
    const { GraphSdk: Sdk } = await import('./graph-sdk.ts');
    return new Sdk(this.#base, this.#transport);
  }

  #relative(path: string): string {
    if (!path.startsWith('https:')) return path;
    // Another host would receive the user's token.
    if (!path.startsWith(`${this.#base}/`)) {
      throw new LibraryError('other', {
        cause: new Error('a link in a response of Graph leads to another host'),
      });
    }
    return path.slice(this.#base.length);
  }
}

async function bodyOf(method: string, { response, isRepeated }: GraphResponse): Promise<unknown> {
  const text = await response.text().catch((cause: unknown) => {
    throw new LibraryError('busy', { cause });
  });
  if (!response.ok) {
    throw libraryErrorOf({ ...wireErrorOf(response.status, response.headers, text), method, isRepeated });
  }
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new LibraryError('other', { cause });
  }
}

import type { User } from '../callers/caller.ts';
import { LibraryError, libraryErrorOf, wireRefusal } from './library-error.ts';
import type { GraphMethod, GraphSdk } from './graph-sdk.ts';
import type { GraphAnswer, GraphTransport } from './graph-transport.ts';

/**
 * Microsoft Graph on behalf of a user: the official SDK for plain JSON calls, over a transport of our own.
 *
 * The SDK's middleware has no time-outs, retries neither 500 nor 502, waits up to three minutes for a `Retry-After`
 * and decides by host name without port who gets the token; its errors lose status and headers when the body is not
 * Graph's JSON (read in 3.0.7). So answers are taken raw, and bytes do not go through it at all.
 *
 * Paths are relative to the version, segments percent-encoded; a `nextLink` of this Graph is taken whole. Answers are
 * unchecked JSON. Everything throws LibraryError, or the ServiceErrors of the on-behalf-of exchange.
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

  /** As `get`, with the time of the library's clock; `body` is null where there is nothing. */
  async look(user: User, path: string): Promise<{ body: unknown; at: Date }> {
    const answer = await this.#sent(user, 'GET', path);
    const { response } = answer;
    const at = new Date(Date.parse(response.headers.get('date') ?? '') || Date.now());
    if (response.status !== 404) return { body: await bodyOf('GET', answer), at };
    await response.body?.cancel();
    return { body: null, at };
  }

  post(user: User, path: string, body: unknown): Promise<unknown> {
    return this.#json(user, 'POST', path, body);
  }

  patch(user: User, path: string, body: unknown): Promise<unknown> {
    return this.#json(user, 'PATCH', path, body);
  }

  async delete(user: User, path: string, headers: Readonly<Record<string, string>> = {}): Promise<void> {
    await bodyOf('DELETE', await this.#sent(user, 'DELETE', path, { headers }));
  }

  /**
   * Puts bytes that fit in memory, as the simple upload takes them.
   *
   * @param isUnrepeatable when a repetition would make a second file (conflict behaviour rename)
   */
  async put(
    user: User,
    path: string,
    bytes: Uint8Array,
    { contentType, isUnrepeatable = false }: { contentType: string; isUnrepeatable?: boolean },
  ): Promise<unknown> {
    const answer = await this.#transport.send(user, `${this.#base}${path}`, {
      method: 'PUT',
      headers: { 'content-type': contentType },
      body: bytes,
      isUnrepeatable,
    });
    return bodyOf('PUT', answer);
  }

  async #json(user: User, method: GraphMethod, path: string, body?: unknown): Promise<unknown> {
    return bodyOf(method, await this.#sent(user, method, path, { body }));
  }

  async #sent(
    user: User,
    method: GraphMethod,
    path: string,
    { body, headers = {} }: { body?: unknown; headers?: Readonly<Record<string, string>> } = {},
  ): Promise<GraphAnswer> {
    const sdk = await (this.#sdk ??= this.#loadSdk());
    return sdk.send(user, method, this.#relative(path), body, headers);
  }

  /** By the first call: the other routes' cold start does not pay for it. */
  async #loadSdk(): Promise<GraphSdk> {
    const { GraphSdk: Sdk } = await import('./graph-sdk.ts');
    return new Sdk(this.#base, this.#transport);
  }

  #relative(path: string): string {
    if (!path.startsWith('https:')) return path;
    // A link to elsewhere would take the user's token with it.
    if (!path.startsWith(`${this.#base}/`)) {
      throw new LibraryError('other', { cause: new Error('a link in an answer of Graph leads elsewhere') });
    }
    return path.slice(this.#base.length);
  }
}

async function bodyOf(method: string, { response, isRepeated }: GraphAnswer): Promise<unknown> {
  const text = await response.text().catch((cause: unknown) => {
    throw new LibraryError('busy', { cause });
  });
  if (!response.ok) {
    throw libraryErrorOf({ ...wireRefusal(response.status, response.headers, text), method, isRepeated });
  }
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new LibraryError('other', { cause });
  }
}

import type { User } from '../callers/caller.ts';
import { LibraryError, libraryErrorOf, wireErrorOf } from './library-error.ts';
import {
  contentUrlOf,
  type GraphRequest,
  type GraphResponse,
  type GraphTransport,
} from './graph-transport.ts';

/**
 * Microsoft Graph on behalf of a user. Without the official SDK (docs/decisions/0004).
 *
 * Paths are relative to the version, with percent-encoded segments; a `nextLink` of this Graph is accepted as a whole.
 * Responses are unchecked JSON. All methods throw LibraryError, or the ServiceErrors of the on-behalf-of exchange.
 */
export class Graph {
  readonly #base: string;
  readonly #transport: GraphTransport;

  /** @param baseUrl e.g. `https://graph.microsoft.com/v1.0` */
  constructor(baseUrl: string, transport: GraphTransport) {
    this.#base = baseUrl;
    this.#transport = transport;
  }

  async get(user: User, path: string): Promise<unknown> {
    return bodyOf('GET', await this.#sent(user, path, { method: 'GET' }));
  }

  /** Like `get`, with the time by the library's clock; `body` is null for 404. */
  async getWithTime(user: User, path: string): Promise<{ body: unknown; at: Date }> {
    const reply = await this.#sent(user, path, { method: 'GET' });
    const { response } = reply;
    const at = new Date(Date.parse(response.headers.get('date') ?? '') || Date.now());
    if (response.status !== 404) return { body: await bodyOf('GET', reply), at };
    await response.body?.cancel();
    return { body: null, at };
  }

  /** @param isUnrepeatable whether a repetition would create something a second time */
  async post(user: User, path: string, body: unknown, isUnrepeatable = false): Promise<unknown> {
    const headers = { 'content-type': 'application/json' };
    const request = { method: 'POST', headers, body: JSON.stringify(body), isUnrepeatable };
    return bodyOf('POST', await this.#sent(user, path, request));
  }

  /** The pre-authenticated URL that a request for content is redirected to. */
  async contentUrl(user: User, path: string): Promise<string> {
    const reply = await this.#sent(user, path, { method: 'GET', isRedirected: true });
    const url = contentUrlOf(reply.response);
    if (url !== null) return url;
    await bodyOf('GET', reply);
    throw new LibraryError('other', { cause: new Error('content without a redirect') });
  }

  async delete(user: User, path: string, headers: Readonly<Record<string, string>> = {}): Promise<void> {
    await bodyOf('DELETE', await this.#sent(user, path, { method: 'DELETE', headers }));
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
    return bodyOf('PUT', await this.#sent(user, path, request));
  }

  async #sent(user: User, path: string, request: GraphRequest): Promise<GraphResponse> {
    const url = path.startsWith('https:') ? path : `${this.#base}${path}`;
    // Another host would receive the user's token.
    if (!url.startsWith(`${this.#base}/`)) {
      throw new LibraryError('other', {
        cause: new Error('a link in a response of Graph leads to another host'),
      });
    }
    return this.#transport.send(user, url, request);
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

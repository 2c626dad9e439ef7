import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { HttpRequest } from '@azure/functions';
import type { EventLog } from '../base/event-log.ts';
import { IncomingBody } from './incoming-body.ts';

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

// The host's client (.NET's SocketsHttpHandler) closes a connection after a minute without a request. Node's default of 5 s
// would close one while the host sends the next request on it, and the host cannot send a body twice.
const keepAliveTimeoutMs = 75_000;

/**
 * The request and the response behind an invocation, as the proxy that @azure/functions runs in the worker has them
 * (httpProxy.ts, 4.16.5). The library exposes neither; what it exposes applies no back-pressure toward the client and does
 * not report that the client has disconnected (azure-functions-nodejs-library#294). Node's diagnostics channel gives access.
 *
 * Remove this when a release resolves that issue. The remaining difference is then processor time, which `npm run bench
 * documents` measures.
 */
export class ProxyTap {
  readonly #exchanges = new Map<string, Exchange>();
  #hasMissed = false;

  /** For the composition root, before the first request: earlier requests are not found. */
  constructor() {
    subscribe('http.server.request.start', (message) => this.#add(message as Exchange & { server: Server }));
  }

  responseOf(invocationId: string): ServerResponse | undefined {
    return this.#exchanges.get(invocationId)?.response;
  }

  /**
   * The body as the socket delivers it, at half the cost of `request.body`, which copies each chunk and passes it through a
   * web stream. An invocation without a known socket gets `request.body`, and the log reports that once.
   */
  bodyOf(invocationId: string, request: HttpRequest, log: EventLog): IncomingBody {
    const incoming = this.#exchanges.get(invocationId)?.request;
    if (incoming) {
      return new IncomingBody(incoming.iterator({ destroyOnReturn: false }), () => incoming.complete);
    }
    if (!this.#hasMissed) log.warn('proxy_socket_not_found', { invocationId });
    this.#hasMissed = true;
    return bodyOf(request);
  }

  #add({ request, response, server }: Exchange & { readonly server: Server }): void {
    const invocationId = request.headers['x-ms-invocation-id'];
    if (typeof invocationId !== 'string') return;
    server.keepAliveTimeout = keepAliveTimeoutMs;
    this.#exchanges.set(invocationId, { request, response });
    response.once('close', () => this.#exchanges.delete(invocationId));
  }
}

/** The body as @azure/functions provides it. A reader that stops closes the connection. */
export const bodyOf = ({ body }: HttpRequest): IncomingBody =>
  new IncomingBody((body ?? ReadableStream.from([])) as AsyncIterable<Uint8Array>, () => body === null);

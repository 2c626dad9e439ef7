import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpRequest } from '@azure/functions';
import type { EventLog } from '../base/event-log.ts';
import { IncomingBody } from './incoming-body.ts';

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * The request and the response behind an invocation, as the proxy that @azure/functions runs in the worker has them
 * (httpProxy.ts, 4.16.5). The library hands out neither, and what it hands out knows no back-pressure towards the client
 * and does not tell that the client has gone (azure-functions-nodejs-library#294). Node's own diagnostics channel is the
 * way to them.
 *
 * This goes when that issue is solved in a release: when a returned stream is read no faster than the client takes it
 * and canceled when the client goes, and a `request.body` that nobody reads to its end leaves the connection open.
 * Then what remains is processor time: `npm run bench documents` says how much.
 */
export class ProxyTap {
  readonly #exchanges = new Map<string, Exchange>();
  #hasMissed = false;

  private constructor() {
    subscribe('http.server.request.start', (message) => this.#add(message as Exchange));
  }

  /** For the composition root, before the first request: what began earlier is not found. */
  static install(): ProxyTap {
    return new ProxyTap();
  }

  responseOf(invocationId: string): ServerResponse | undefined {
    return this.#exchanges.get(invocationId)?.response;
  }

  /**
   * The body as the socket gives it, half of what receiving it through `request.body` costs: that copies each chunk and
   * passes it through a web stream. Where the invocation has no socket the body is that one, and the log says so once.
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

  #add({ request, response }: Exchange): void {
    const invocationId = request.headers['x-ms-invocation-id'];
    if (typeof invocationId !== 'string') return;
    this.#exchanges.set(invocationId, { request, response });
    response.once('close', () => this.#exchanges.delete(invocationId));
  }
}

/** The body as @azure/functions gives it. Whoever stops reading it cuts the connection. */
export const bodyOf = ({ body }: HttpRequest): IncomingBody =>
  new IncomingBody((body ?? ReadableStream.from([])) as AsyncIterable<Uint8Array>, () => body === null);

// All code that uses the SDK. The first call to Graph loads this file.
import {
  Client,
  ResponseType,
  type Context,
  type GraphRequest,
  type Middleware,
} from '@microsoft/microsoft-graph-client';
import type { User } from '../callers/caller.ts';
import type { GraphResponse, GraphTransport } from './graph-transport.ts';

export type GraphMethod = 'GET' | 'POST' | 'DELETE';

/** The SDK's client over our transport: it builds the request and returns the raw response. */
export class GraphSdk {
  readonly #client: Client;

  /** @param baseUrl with the version as its last segment */
  constructor(baseUrl: string, transport: GraphTransport) {
    const version = baseUrl.lastIndexOf('/');
    this.#client = Client.initWithMiddleware({
      baseUrl: baseUrl.slice(0, version),
      defaultVersion: baseUrl.slice(version + 1),
      middleware: new TransportMiddleware(transport),
    });
  }

  /** @param path relative to the version @throws the errors of the transport */
  async send(
    user: User,
    method: GraphMethod,
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string>>,
  ): Promise<GraphResponse> {
    const call = new GraphCall(user);
    const request = this.#client
      .api(path)
      .headers({ ...headers })
      .responseType(ResponseType.RAW);
    try {
      const response = await sent(request.middlewareOptions([call]), method, body);
      return { response, isRepeated: call.isRepeated };
    } catch (error) {
      // The SDK replaces the transport's error with its own, without the original.
      throw call.failure ?? error;
    }
  }
}

function sent(request: GraphRequest, method: GraphMethod, body: unknown): Promise<Response> {
  switch (method) {
    case 'GET':
      return request.get() as Promise<Response>;
    case 'POST':
      return request.post(body) as Promise<Response>;
    case 'DELETE':
      return request.delete() as Promise<Response>;
  }
}

/** What the SDK passes from the call to the middleware, and what the middleware returns to the call. */
class GraphCall {
  readonly user: User;
  isRepeated = false;
  failure: unknown;

  constructor(user: User) {
    this.user = user;
  }
}

class TransportMiddleware implements Middleware {
  readonly #transport: GraphTransport;

  constructor(transport: GraphTransport) {
    this.#transport = transport;
  }

  async execute(context: Context): Promise<void> {
    const call = context.middlewareControl?.getMiddlewareOptions(GraphCall) as GraphCall | undefined;
    if (!call || typeof context.request !== 'string') throw new Error('a Graph call without a user');
    const { method = 'GET', headers, body } = context.options ?? {};
    try {
      const reply = await this.#transport.send(call.user, context.request, {
        method,
        headers: { accept: 'application/json', ...(headers as Record<string, string> | undefined) },
        ...(typeof body === 'string' && { body }),
      });
      call.isRepeated = reply.isRepeated;
      context.response = reply.response;
    } catch (error) {
      call.failure = error;
      throw error;
    }
  }
}

import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpRequest } from '@azure/functions';
import { IncomingBody } from './incoming-body.ts';

/**
 * Request and response of the proxy that @azure/functions runs in the worker (httpProxy.ts, 4.16.5), by invocation.
 * The library keeps both to itself; Node's own diagnostics channel is the way to them.
 */
const exchanges = new Map<string, { readonly request: IncomingMessage; readonly response: ServerResponse }>();

subscribe('http.server.request.start', (message) => {
  const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
  const invocationId = request.headers['x-ms-invocation-id'];
  if (typeof invocationId !== 'string') return;
  exchanges.set(invocationId, { request, response });
  response.once('close', () => exchanges.delete(invocationId));
});

/** Absent outside the Functions worker. */
export const proxiedResponse = (invocationId: string): ServerResponse | undefined =>
  exchanges.get(invocationId)?.response;

/**
 * The body as the socket gives it. `request.body` would be the same bytes, each copied once more and passed through a
 * web stream, half of what receiving them costs; and who stops reading that one cuts the connection.
 */
export function incomingBody(invocationId: string, { body }: HttpRequest): IncomingBody {
  const incoming = exchanges.get(invocationId)?.request;
  if (incoming) {
    return new IncomingBody(incoming.iterator({ destroyOnReturn: false }), () => incoming.complete);
  }
  return new IncomingBody(
    (body ?? ReadableStream.from([])) as AsyncIterable<Uint8Array>,
    () => body === null,
  );
}

import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpRequest } from '@azure/functions';

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
 * web stream, half of what receiving them costs. Not both may be read.
 */
export const bytesOf = (invocationId: string, { body }: HttpRequest): AsyncIterable<Uint8Array> =>
  // Whoever stops reading still answers: leaving the loop must not cut the connection.
  exchanges.get(invocationId)?.request.iterator({ destroyOnReturn: false }) ??
  ((body ?? []) as AsyncIterable<Uint8Array>);

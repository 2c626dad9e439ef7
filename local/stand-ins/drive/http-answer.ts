import type { ServerResponse } from 'node:http';
import { randomUUID } from 'node:crypto';
import type { Emulator } from './emulator.ts';
import type { GraphResponse } from './exchange.ts';
import { errorBody, GraphError } from './graph-error.ts';

const jsonType =
  'application/json;odata.metadata=minimal;odata.streaming=true;IEEE754Compatible=false;charset=utf-8';

export interface Trace {
  requestId: string;
  clientRequestId: string;
  /** See the request log. */
  depth: number;
}

/** A10: every answer names the request, and repeats the client's own id. */
export function newTrace(clientRequestId: string | string[] | undefined, depth: number): Trace {
  const requestId = randomUUID();
  const repeated = typeof clientRequestId === 'string' ? clientRequestId : requestId;
  return { requestId, clientRequestId: repeated, depth };
}

/** The response for whatever was thrown. Faults of the emulator itself become a 500 that says so, and are logged. */
export function errorResponse(
  { settings, now }: Emulator,
  error: unknown,
  { requestId, clientRequestId }: Trace,
): GraphResponse {
  if (!(error instanceof GraphError)) console.error('drive emulator:', error);
  const refusal =
    error instanceof GraphError
      ? error
      : new GraphError(500, 'generalException', 'The drive emulator failed; its log says more.');
  const json = errorBody(refusal, {
    at: new Date(now()),
    requestId,
    clientRequestId,
    localizedMessage: settings.localizedMessage ?? undefined,
    omitInnerError: settings.omitInnerError,
  });
  return { status: refusal.status, headers: refusal.headers, json };
}

export function send(
  res: ServerResponse,
  response: GraphResponse,
  { requestId, clientRequestId }: Trace,
): void {
  const { status, headers = {}, json, html } = response;
  const text = html ?? (json === undefined ? '' : JSON.stringify(json));
  const type = html !== undefined ? 'text/html; charset=utf-8' : jsonType;
  res.writeHead(status, {
    'request-id': requestId,
    'client-request-id': clientRequestId,
    ...(text === '' ? {} : { 'Content-Type': type }),
    ...(status === 204 || status === 304 ? {} : { 'Content-Length': Buffer.byteLength(text) }),
    ...headers,
  });
  res.end(text);
}

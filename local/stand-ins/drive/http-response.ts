import type { ServerResponse } from 'node:http';
import { randomUUID } from 'node:crypto';
import type { Emulator } from './state/emulator.ts';
import type { GraphResponse } from './base/exchange.ts';
import { errorBody, GraphError } from './base/graph-error.ts';

const jsonType =
  'application/json;odata.metadata=minimal;odata.streaming=true;IEEE754Compatible=false;charset=utf-8';

export interface Trace {
  requestId: string;
  clientRequestId: string;
  /** See request-log.ts. */
  depth: number;
}

/** A10: every response contains a request id and repeats the client's own id. */
export function newTrace(clientRequestId: string | string[] | undefined, depth: number): Trace {
  const requestId = randomUUID();
  const repeated = typeof clientRequestId === 'string' ? clientRequestId : requestId;
  return { requestId, clientRequestId: repeated, depth };
}

/** The response for a thrown error. Errors of the emulator itself are logged and become a 500 that says so. */
export function errorResponse(
  { settings, now }: Emulator,
  error: unknown,
  { requestId, clientRequestId }: Trace,
): GraphResponse {
  if (!(error instanceof GraphError)) console.error('drive emulator:', error);
  const graphError =
    error instanceof GraphError
      ? error
      : new GraphError(500, 'generalException', 'The drive emulator failed; its log has the details.');
  const json = errorBody(graphError, {
    at: new Date(now()),
    requestId,
    clientRequestId,
    localizedMessage: settings.localizedMessage ?? undefined,
    omitInnerError: settings.omitInnerError,
  });
  return { status: graphError.status, headers: graphError.headers, json };
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

import {
  request as httpRequest,
  type Agent,
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { BrokenBody, pump } from './pump.ts';
import type { RequestBody } from './request-body.ts';
import { encodePath } from './request-path.ts';
import type { Target } from './web-server.ts';

/** RFC 9110 7.6.1; this server has already handled `expect: 100-continue`. */
const hopByHop = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

// The host's RetryProxyHandler.
const maxAttempts = 10;
const firstDelayMs = 50;
const maxDelayMs = 250;

/** SocketsHttpHandler's limit for response headers. */
const responseHeaderBytes = 64 * 1024;

/** The outcome of forwarding, with the names of YARP's ForwarderError. */
export type Outcome =
  | { error: undefined; because?: undefined }
  | {
      error:
        | 'Request'
        | 'RequestCanceled'
        | 'RequestBodyClient'
        | 'RequestBodyDestination'
        | 'ResponseHeaders'
        | 'ResponseBodyDestination'
        | 'ResponseBodyCanceled';
      because: string;
    };

export interface Forwarding {
  /** Never rejects. */
  ended: Promise<Outcome>;
  /** The current stage. */
  readonly progress: Progress;
  /** Closes the worker's connection. */
  abandon(): void;
}

export type Progress =
  /** The first attempt, with `bytes` sent; `isBlocked` if the worker accepts no more. */
  | { stage: 'sending'; bytes: number; isBlocked: boolean }
  /** A further attempt after the worker closed the connection, which is possible only without a body. */
  | { stage: 'sending again' }
  | { stage: 'retrying in vain' }
  | { stage: 'responding' };

export interface ForwardOptions {
  target: Target;
  body: RequestBody | undefined;
  httpUri: string;
  invocationId: string;
  agent: Agent;
  bodyLimitBytes: number;
  /** Called when the connection to the worker takes the headers. */
  onForwarded: () => void;
}

/**
 * Sends a request to the library's HTTP proxy in the worker and returns the response, as the host does with YARP on .NET's
 * SocketsHttpHandler (measured; README.md in this folder). Neither body is buffered: each side is read only as fast as the
 * other accepts it. It reproduces the original's properties that can make a service fail:
 *
 * - `x-ms-invocation-id` is added only if the client sent none.
 * - The response is read only after the whole body is sent, so if the worker stops reading, the client gets no response.
 * - If the worker closes the connection, the host makes up to ten attempts; a body can be sent only once.
 * - The response headers are sent with the first byte of the body, and the caller ends the response.
 */
export function forward(
  request: IncomingMessage,
  response: ServerResponse,
  options: ForwardOptions,
): Forwarding {
  const cut = new AbortController();
  const onClose = (): void => {
    if (!response.writableFinished) cut.abort();
  };
  response.once('close', onClose);
  const state: State = { stage: 'sending', upstream: undefined };
  return {
    ended: sendWithRetries(request, response, options, cut.signal, state),
    get progress() {
      const { stage, upstream } = state;
      if (stage !== 'sending') return { stage };
      const bytes = upstream?.socket?.bytesWritten ?? 0;
      return { stage, bytes, isBlocked: upstream?.writableNeedDrain ?? false };
    },
    abandon: () => cut.abort(),
  };
}

interface State {
  stage: Progress['stage'];
  upstream: ClientRequest | undefined;
}

async function sendWithRetries(
  request: IncomingMessage,
  response: ServerResponse,
  options: ForwardOptions,
  signal: AbortSignal,
  state: State,
): Promise<Outcome> {
  const headers = requestHeaders(request, options);
  const foreign = foreignHeader(headers);
  if (foreign !== undefined) {
    return { error: 'Request', because: `the header ${foreign} has a character outside ASCII` };
  }
  let delayMs = firstDelayMs;
  let failure: Extract<Outcome, { because: string }> | undefined;
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    if (attempt > 1) {
      await delay(delayMs, undefined, { signal }).catch(() => undefined);
      delayMs = Math.min(delayMs * 2, maxDelayMs);
    }
    if (signal.aborted) return failure ?? { error: 'RequestCanceled', because: 'the client disconnected' };
    // "Stream was already consumed": the first attempt sent the body, so every further attempt fails.
    if (failure && options.body) continue;
    try {
      const upstream = startRequest(request, headers, options, signal);
      state.upstream = upstream;
      if (attempt === 1) onceConnected(upstream, options.onForwarded);
      const incoming = await send(upstream, options);
      state.stage = 'responding';
      return await sendResponse(incoming, response);
    } catch (error) {
      failure = failureOf(error);
      state.stage = options.body ? 'retrying in vain' : 'sending again';
    }
  }
  return failure!;
}

function failureOf(error: unknown): Extract<Outcome, { because: string }> {
  const because = error instanceof Error ? error.message : String(error);
  if (!(error instanceof BrokenBody)) return { error: 'Request', because };
  return { error: error.side === 'source' ? 'RequestBodyClient' : 'RequestBodyDestination', because };
}

function startRequest(
  request: IncomingMessage,
  headers: Record<string, string | string[]>,
  { target, httpUri, agent }: ForwardOptions,
  signal: AbortSignal,
): ClientRequest {
  const { hostname, port } = new URL(httpUri);
  return httpRequest({
    agent,
    hostname,
    port,
    path: encodePath(target.path) + target.query,
    method: request.method ?? 'GET',
    headers,
    signal,
    maxHeaderSize: responseHeaderBytes,
  });
}

/** The headers are written with the connection, so they reach the worker even if the request is aborted after that. */
function onceConnected(upstream: ClientRequest, then: () => void): void {
  const afterConnecting = (socket: Socket): void => {
    if (socket.connecting) socket.once('connect', then);
    else then();
  };
  if (upstream.socket) afterConnecting(upstream.socket);
  else upstream.once('socket', afterConnecting);
}

const headersSent = (upstream: ClientRequest): Promise<void> =>
  new Promise((resolve) => {
    onceConnected(upstream, () => upstream.socket?.write('', () => resolve()));
  });

/**
 * Sends the whole request and returns the worker's response.
 *
 * @throws BrokenBody; Error if the worker closes the connection
 */
async function send(
  upstream: ClientRequest,
  { body, bodyLimitBytes }: ForwardOptions,
): Promise<IncomingMessage> {
  // Node's client stops forwarding the socket's `drain` after a complete response, even if the body is not sent yet.
  const onDrain = (): void => void upstream.emit('drain');
  upstream.once('socket', (socket) => {
    socket.on('drain', onDrain);
    upstream.once('close', () => socket.off('drain', onDrain));
  });
  const broken = Promise.withResolvers<never>();
  const received = Promise.withResolvers<IncomingMessage>();
  for (const { promise } of [broken, received]) promise.catch(() => undefined);
  upstream
    .once('response', (incoming: IncomingMessage) => {
      // It can fail before anything reads it.
      incoming.on('error', () => undefined);
      received.resolve(incoming);
    })
    .on('error', broken.reject)
    .once('close', () => broken.reject(new Error('the worker closed the connection')));
  try {
    if (body) {
      // Like YARP: the function starts before the first byte of its body has arrived.
      upstream.flushHeaders();
      await Promise.race([headersSent(upstream), broken.promise]);
      await pump(body.stream, upstream, {
        maxBytes: bodyLimitBytes,
        isChunked: body.contentLength === undefined,
      });
    }
    await Promise.race([new Promise<void>((resolve) => upstream.end(resolve)), broken.promise]);
    return await Promise.race([received.promise, broken.promise]);
  } catch (error) {
    upstream.destroy();
    throw error;
  }
}

async function sendResponse(incoming: IncomingMessage, response: ServerResponse): Promise<Outcome> {
  const headers = endToEnd(incoming.headersDistinct);
  const foreign = foreignHeader(headers);
  if (foreign !== undefined) {
    incoming.destroy();
    return { error: 'ResponseHeaders', because: `the header ${foreign} has a character outside ASCII` };
  }
  // Not writeHead: until the first byte of the body arrives, the host can still send a different response.
  response.statusCode = incoming.statusCode ?? 500;
  response.statusMessage = incoming.statusMessage ?? '';
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  try {
    await pump(incoming, response);
    return { error: undefined };
  } catch (error) {
    const isClient = error instanceof BrokenBody && error.side === 'target';
    return {
      error: isClient ? 'ResponseBodyCanceled' : 'ResponseBodyDestination',
      because: isClient ? 'the client disconnected' : 'the worker aborted its response',
    };
  }
}

function requestHeaders(
  request: IncomingMessage,
  { body, invocationId }: ForwardOptions,
): Record<string, string | string[]> {
  const { 'content-length': _, ...headers } = endToEnd(request.headersDistinct);
  const { expect } = request.headers;
  return {
    'x-ms-invocation-id': invocationId,
    ...headers,
    // Node in the worker responds with 417 before the library's proxy receives the request.
    ...(expect === undefined || /100-continue/i.test(expect) ? {} : { expect }),
    ...(request.headers.host === undefined ? {} : { 'x-forwarded-host': request.headers.host }),
    'x-forwarded-proto': 'http',
    'x-forwarded-for': request.socket.remoteAddress ?? '127.0.0.1',
    ...(body === undefined
      ? {}
      : body.contentLength === undefined
        ? { 'transfer-encoding': 'chunked' }
        : { 'content-length': String(body.contentLength) }),
  };
}

function endToEnd(headers: NodeJS.Dict<string[]>): Record<string, string | string[]> {
  const listed = (headers['connection'] ?? []).flatMap((value) => value.split(','));
  const named = new Set(listed.map((name) => name.trim().toLowerCase()));
  const kept: Record<string, string | string[]> = {};
  for (const [name, values] of Object.entries(headers)) {
    if (values === undefined || hopByHop.has(name) || named.has(name)) continue;
    kept[name] = values.length === 1 ? values[0]! : values;
  }
  return kept;
}

/** .NET's client and Kestrel do not send such a header. */
const foreignHeader = (headers: Record<string, string | string[]>): string | undefined =>
  // eslint-disable-next-line no-control-regex -- matches all of ASCII
  Object.entries(headers).find(([, value]) => !/^[\x00-\x7f]*$/.test(String(value)))?.[0];

import {
  request as httpRequest,
  type Agent,
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { BrokenBody, pump } from './pump.ts';
import type { RequestBody } from './request-body.ts';
import { encodePath } from './request-path.ts';
import type { Target } from './web-server.ts';

/** RFC 9110 7.6.1; `expect` was answered by this server already. */
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

// RetryProxyHandler of the host.
const maxAttempts = 10;
const firstDelayMs = 50;
const maxDelayMs = 250;

/** SocketsHttpHandler's limit for the head of an answer. */
const answerHeaderBytes = 64 * 1024;

/** How the forwarding ended; the names are those of YARP's ForwarderError. */
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
  /** How far it is. */
  readonly progress: Progress;
  /** Cuts the worker's side. */
  abandon(): void;
}

export type Progress =
  /** For the first time, with `bytes` of it out; `isBlocked` when the worker takes no more. */
  | { stage: 'sending'; bytes: number; isBlocked: boolean }
  /** Again, after the worker broke off; only what has no body can be. */
  | { stage: 'sending again' }
  | { stage: 'trying again in vain' }
  | { stage: 'answering' };

export interface ForwardOptions {
  target: Target;
  body: RequestBody | undefined;
  httpUri: string;
  invocationId: string;
  agent: Agent;
  bodyLimitBytes: number;
}

/**
 * Sends one request to the library's HTTP proxy in the worker and its answer back, as the host does with YARP on .NET's
 * SocketsHttpHandler (measured; README.md beside this file). Neither body is held: each side is read no faster than the
 * other takes it. What it keeps of the original, because a service can fail by it:
 *
 * - `x-ms-invocation-id` is added only where the client sent none.
 * - The answer is not looked at before the whole body is sent, so a worker that stops reading gets nothing answered.
 * - A worker that breaks off is tried again, ten times in all; a body can be sent once only.
 * - The answer's head goes out with the first byte of its body, and its end is the caller's to send.
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
    ended: forwarded(request, response, options, cut.signal, state),
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

async function forwarded(
  request: IncomingMessage,
  response: ServerResponse,
  options: ForwardOptions,
  signal: AbortSignal,
  state: State,
): Promise<Outcome> {
  const headers = requestHeaders(request, options);
  const foreign = foreignHeader(headers);
  if (foreign !== undefined) {
    return { error: 'Request', because: `the header ${foreign} holds a character outside ASCII` };
  }
  let delayMs = firstDelayMs;
  let failure: Extract<Outcome, { because: string }> | undefined;
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    if (attempt > 1) {
      await delay(delayMs, undefined, { signal }).catch(() => undefined);
      delayMs = Math.min(delayMs * 2, maxDelayMs);
    }
    if (signal.aborted) return failure ?? { error: 'RequestCanceled', because: 'the client disconnected' };
    // "Stream was already consumed": the body went out with the first attempt, so every further one fails.
    if (failure && options.body) continue;
    try {
      const upstream = startRequest(request, headers, options, signal);
      state.upstream = upstream;
      const incoming = await sent(upstream, options);
      state.stage = 'answering';
      return await answered(incoming, response);
    } catch (error) {
      failure = failureOf(error);
      state.stage = options.body ? 'trying again in vain' : 'sending again';
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
    maxHeaderSize: answerHeaderBytes,
  });
}

/** The worker's answer to a request that was sent whole. @throws BrokenBody; Error when the worker's side breaks off */
async function sent(
  upstream: ClientRequest,
  { body, bodyLimitBytes }: ForwardOptions,
): Promise<IncomingMessage> {
  // Node's client stops passing the socket's `drain` on once an answer is complete, though the body is still to go out.
  const onDrain = (): void => void upstream.emit('drain');
  upstream.once('socket', (socket) => {
    socket.on('drain', onDrain);
    upstream.once('close', () => socket.off('drain', onDrain));
  });
  const broken = Promise.withResolvers<never>();
  const answer = Promise.withResolvers<IncomingMessage>();
  for (const { promise } of [broken, answer]) promise.catch(() => undefined);
  upstream
    .once('response', (incoming: IncomingMessage) => {
      // It may break off while nobody reads it yet.
      incoming.on('error', () => undefined);
      answer.resolve(incoming);
    })
    .on('error', broken.reject)
    .once('close', () => broken.reject(new Error('the worker closed the connection')));
  try {
    if (body) {
      // As YARP does: the function starts before the first byte of its body has come.
      upstream.flushHeaders();
      await pump(body.stream, upstream, bodyLimitBytes);
    }
    await Promise.race([new Promise<void>((resolve) => upstream.end(resolve)), broken.promise]);
    return await Promise.race([answer.promise, broken.promise]);
  } catch (error) {
    upstream.destroy();
    throw error;
  }
}

async function answered(incoming: IncomingMessage, response: ServerResponse): Promise<Outcome> {
  const headers = endToEnd(incoming.headersDistinct);
  const foreign = foreignHeader(headers);
  if (foreign !== undefined) {
    incoming.destroy();
    return { error: 'ResponseHeaders', because: `the header ${foreign} holds a character outside ASCII` };
  }
  // Not writeHead: until a byte of the body comes, the host may still answer something else.
  response.statusCode = incoming.statusCode ?? 500;
  response.statusMessage = incoming.statusMessage ?? '';
  for (const [name, value] of Object.entries(endToEnd(incoming.headersDistinct)))
    response.setHeader(name, value);
  try {
    await pump(incoming, response);
    return { error: undefined };
  } catch (error) {
    const isClient = error instanceof BrokenBody && error.side === 'target';
    return {
      error: isClient ? 'ResponseBodyCanceled' : 'ResponseBodyDestination',
      because: isClient ? 'the client disconnected' : 'the worker broke off its answer',
    };
  }
}

function requestHeaders(
  request: IncomingMessage,
  { body, invocationId }: ForwardOptions,
): Record<string, string | string[]> {
  const { 'content-length': _, ...headers } = endToEnd(request.headersDistinct);
  return {
    'x-ms-invocation-id': invocationId,
    ...headers,
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

/** Neither .NET's client nor Kestrel sends one. */
const foreignHeader = (headers: Record<string, string | string[]>): string | undefined =>
  // eslint-disable-next-line no-control-regex -- the characters of ASCII
  Object.entries(headers).find(([, value]) => !/^[\x00-\x7f]*$/.test(String(value)))?.[0];

import { request as httpRequest, type Agent, type IncomingMessage, type ServerResponse } from 'node:http';
import { BodyTooLarge, pump } from './pump.ts';

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

/** How long the rest of a request body is read and dropped after the answer is out; Kestrel's figure. */
const drainMs = 5000;

export interface Forwarding {
  /** Settles when nothing more will happen between client and worker; never rejects. */
  ended: Promise<void>;
  /** Cuts the worker's side and, when no answer has begun, answers the client with `status`. */
  fail(status: number): void;
}

/**
 * Streams one request to the library's HTTP proxy in the worker and its response back, as the host's reverse proxy
 * does. Neither body is held: each side is read no faster than the other takes it. A client that goes away takes the
 * worker's connection with it, and the other way round.
 */
export function forward(
  request: IncomingMessage,
  response: ServerResponse,
  {
    httpUri,
    invocationId,
    agent,
    bodyLimitBytes,
  }: { httpUri: string; invocationId: string; agent: Agent; bodyLimitBytes: number },
): Forwarding {
  const headers = endToEnd(request.headers);
  const { hostname, port } = new URL(httpUri);
  const upstream = httpRequest({
    agent,
    hostname,
    port,
    // As it came: a path such as //elsewhere must not become another host.
    path: request.url ?? '/',
    method: request.method ?? 'GET',
    headers: {
      ...headers,
      'x-forwarded-host': request.headers.host ?? 'localhost',
      'x-forwarded-proto': 'http',
      'x-forwarded-for': request.socket.remoteAddress ?? '127.0.0.1',
      'x-ms-invocation-id': invocationId,
    },
  });

  let refusedWith: number | undefined;
  const refuse = (status: number) => {
    refusedWith ??= status;
    upstream.destroy();
  };
  const answerEmpty = (status: number) => {
    if (response.headersSent) response.destroy();
    else response.writeHead(status, { 'content-length': '0', connection: 'close' }).end();
  };

  const onClose = () => {
    if (!response.writableFinished) upstream.destroy();
  };
  response.once('close', onClose);

  const body = pump(request, upstream, bodyLimitBytes).catch((error: unknown) => {
    if (error instanceof BodyTooLarge) refuse(413);
    // The response's side decides what the client sees; a request body that breaks off takes the worker's side along.
    else upstream.destroy();
  });

  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    upstream.once('response', resolve);
    upstream.on('error', reject);
    upstream.once('close', () => reject(new Error('closed before an answer')));
  }).then(
    async (incoming) => {
      response.writeHead(incoming.statusCode ?? 500, incoming.statusMessage, endToEnd(incoming.headers));
      // Sent at once: a stream that starts slowly still shows its status.
      response.flushHeaders();
      await pump(incoming, response).catch(() => response.destroy());
      if (!request.complete) dropRest(request);
    },
    // A worker that breaks off is a function that failed: 500, as the host makes of a failed forwarding.
    () => answerEmpty(refusedWith ?? 500),
  );

  return {
    ended: Promise.allSettled([body, answer]).then(() => undefined),
    fail: refuse,
  };
}

function endToEnd(headers: IncomingMessage['headers']): Record<string, string | string[]> {
  const named = new Set((headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
  const kept: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !hopByHop.has(name) && !named.has(name)) kept[name] = value;
  }
  return kept;
}

function dropRest(request: IncomingMessage): void {
  const timer = setTimeout(() => request.destroy(), drainMs);
  request.once('close', () => clearTimeout(timer));
  request.once('end', () => clearTimeout(timer));
  request.resume();
}

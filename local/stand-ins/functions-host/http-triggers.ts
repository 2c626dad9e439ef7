import { Agent, type IncomingMessage, type ServerResponse } from 'node:http';
import { forward, type Forwarding } from './forwarding.ts';
import { isAuthorized, type FunctionKeys } from './function-keys.ts';
import { watchForHang } from './hang-watch.ts';
import { newInvocation, triggersOf, type RegisteredFunction, type Trigger } from './invocation.ts';
import type { Invocations } from './invocations.ts';
import type { InvocationRequest } from './messages.ts';
import { BrokenBody } from './pump.ts';
import { requestBody, type BufferedBodies } from './request-body.ts';
import { RouteTable } from './routes.ts';
import { httpTriggerMetadata } from './trigger-metadata.ts';
import type { Target } from './web-server.ts';
import type { WorkerProcess } from './worker-process.ts';

export interface HttpTriggerOptions {
  functions: readonly RegisteredFunction[];
  routePrefix: string;
  bodyLimitBytes: number;
  /** If absent, every request can call every function, as with `func start`. */
  keys: FunctionKeys | undefined;
  currentWorker: () => Promise<WorkerProcess>;
  invocations: Invocations;
  /** How long a client waits for a response that the real host would not send. */
  hangLimitMs: number;
  onHang: (reason: string, invocation: InvocationRequest) => void;
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  target: Target;
}

/** How many requests have reached each stage since the start of the host, for tests that wait for one. */
export interface RequestCounts {
  /** The host has read the headers and started the function. */
  started: number;
  /** The worker has the headers. A body with `Content-Length` is buffered before. */
  forwarded: number;
  /** The function has ended, and its log lines have arrived. */
  ended: number;
}

/** The app's HTTP functions and their routes. */
export class HttpTriggers {
  readonly requests: RequestCounts = { started: 0, forwarded: 0, ended: 0 };
  readonly bufferedBodies: BufferedBodies = { bodies: 0, bytes: 0 };
  readonly #options: HttpTriggerOptions;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #routes: RouteTable<Trigger>;

  /** @throws Error for a route template that this host does not support */
  constructor(options: HttpTriggerOptions) {
    this.#options = options;
    const prefix = options.routePrefix === '' ? '' : `${options.routePrefix}/`;
    const routes = triggersOf(options.functions, 'httpTrigger').map((trigger) => ({
      functionName: trigger.functionId,
      template: prefix + ((trigger.binding['route'] as string | undefined) ?? trigger.functionId),
      methods: trigger.binding['methods'] as string[],
      target: trigger,
    }));
    // A function whose route is the host's own is in error.
    this.#routes = new RouteTable(routes.filter(({ template }) => !/^admin(\/|$)/i.test(template)));
  }

  /** @param acceptBody called before the body is read, because the client can be waiting for "100 Continue" */
  async handle(exchange: Exchange, acceptBody: () => void): Promise<void> {
    const { request, response, target } = exchange;
    const { keys, currentWorker, invocations } = this.#options;
    const matched = this.#routes.match(request.method ?? 'GET', target.path);
    if (!matched) return respondEmpty(response, 404);
    const query = new URLSearchParams(target.query);
    const authLevel = (matched.target.binding['authLevel'] as string | undefined) ?? 'function';
    if (!isAuthorized(request, query, authLevel, keys)) return respondEmpty(response, 401);
    let worker: WorkerProcess;
    try {
      worker = await currentWorker();
    } catch {
      return respondEmpty(response, 503);
    }
    acceptBody();
    const invocation = newInvocation(
      matched.target,
      {},
      httpTriggerMetadata(request, query, matched.parameters),
    );
    this.requests.started += 1;
    try {
      await invocations.run(invocation, worker, () => this.#invoke(exchange, invocation, worker));
      response.end();
    } catch (error) {
      if (response.headersSent) response.destroy();
      // Kestrel stops reading from a connection whose body it rejected.
      else respondEmpty(response, 500, { close: error instanceof BrokenBody });
    } finally {
      this.requests.ended += 1;
    }
  }

  /** What the key of the request allows on the host's own routes below /admin. */
  adminAccess(request: IncomingMessage, target: Target): 'granted' | 'insufficient' | 'none' {
    const isAllowed = (level: string): boolean =>
      isAuthorized(request, new URLSearchParams(target.query), level, this.#options.keys);
    if (isAllowed('admin')) return 'granted';
    return isAllowed('function') ? 'insufficient' : 'none';
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Resolves after invocation and forwarding. @throws Error if either fails; BrokenBody if the body is incomplete */
  async #invoke(
    { request, response, target }: Exchange,
    invocation: InvocationRequest,
    worker: WorkerProcess,
  ) {
    const { bodyLimitBytes, hangLimitMs, onHang } = this.#options;
    const body = await requestBody(request, bodyLimitBytes, this.bufferedBodies);
    const invoked = worker.invoke(invocation);
    const forwarding = forward(request, response, {
      target,
      body,
      bodyLimitBytes,
      httpUri: worker.httpUri,
      invocationId: invocation.invocationId,
      agent: this.#agent,
      onForwarded: () => (this.requests.forwarded += 1),
    });
    const watch = watchForHang({
      request,
      forwarding,
      invoked,
      limitMs: hangLimitMs,
      onHang: (reason) => {
        // The client is gone.
        if (response.destroyed) return;
        onHang(reason, invocation);
        response.destroy();
      },
    });
    try {
      // Even if the function fails, the host waits for the end of the response (GrpcWorkerChannel).
      const [invocationEnd] = await Promise.allSettled([
        invoked,
        Promise.race([forwarding.ended, worker.ended]),
      ]);
      if (invocationEnd.status === 'fulfilled') return await successOf(forwarding);
      forwarding.abandon();
      const { error: kind, because } = await forwarding.ended;
      // The function's error results from the broken body.
      throw kind === 'RequestBodyClient' ? new BrokenBody('source', because) : invocationEnd.reason;
    } finally {
      watch.end();
    }
  }
}

/** The host's EnsureSuccessfulForwardingAsync. */
async function successOf(forwarding: Forwarding): Promise<void> {
  const { error, because } = await forwarding.ended;
  if (error !== undefined) {
    throw new Error(`Failed to proxy request with ForwarderError: ${error} (${because})`);
  }
}

/** Sends the host's own response, without a body, and discards the rest of the request's body for a limited time. */
export function respondEmpty(response: ServerResponse, status: number, { close = false } = {}): void {
  for (const name of response.getHeaderNames()) response.removeHeader(name);
  response.statusMessage = '';
  const hasLength = status !== 204 && !(status === 404 && response.req.method === 'HEAD');
  response
    .writeHead(status, {
      ...(hasLength && { 'content-length': '0' }),
      ...(status === 500 && { server: 'Kestrel' }),
      ...(close && { connection: 'close' }),
    })
    .end();
  dropRest(response.req);
}

/** Kestrel's value. */
const drainMs = 5000;

function dropRest(request: IncomingMessage): void {
  if (request.complete) return;
  const timer = setTimeout(() => request.destroy(), drainMs);
  request.once('close', () => clearTimeout(timer));
  request.once('end', () => clearTimeout(timer));
  request.on('error', () => undefined).resume();
}

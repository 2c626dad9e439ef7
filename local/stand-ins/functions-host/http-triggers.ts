import { Agent, type IncomingMessage, type ServerResponse } from 'node:http';
import { forward } from './forwarding.ts';
import { newInvocation, triggersOf, type RegisteredFunction } from './invocation.ts';
import { RouteTable } from './routes.ts';
import { httpTriggerMetadata } from './trigger-metadata.ts';
import type { WorkerProcess } from './worker-process.ts';

export interface HttpTriggerOptions {
  functions: readonly RegisteredFunction[];
  routePrefix: string;
  bodyLimitBytes: number;
  currentWorker: () => Promise<WorkerProcess>;
  /** What a function threw; the client sees only the status. */
  onFailure: (message: string) => void;
}

/** The HTTP functions of the app behind their routes. */
export class HttpTriggers {
  readonly #options: HttpTriggerOptions;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #routes: RouteTable<{ functionId: string; bindingName: string }>;

  /** @throws Error for a route template that this host does not understand */
  constructor(options: HttpTriggerOptions) {
    this.#options = options;
    const prefix = options.routePrefix === '' ? '' : `${options.routePrefix}/`;
    this.#routes = new RouteTable(
      triggersOf(options.functions, 'httpTrigger').map(({ functionId, bindingName, binding }) => ({
        template: prefix + ((binding['route'] as string | undefined) ?? functionId),
        methods: binding['methods'] as string[],
        target: { functionId, bindingName },
      })),
    );
  }

  async handle(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const { bodyLimitBytes, currentWorker, onFailure } = this.#options;
    const matched = this.#routes.match(request.method ?? 'GET', url.pathname);
    if (!matched) return answerEmpty(request, response, 404);
    if (Number(request.headers['content-length'] ?? 0) > bodyLimitBytes) {
      return answerEmpty(request, response, 413);
    }
    let worker: WorkerProcess;
    try {
      worker = await currentWorker();
    } catch {
      return answerEmpty(request, response, 503);
    }
    const metadata = httpTriggerMetadata(request, url.searchParams, matched.parameters);
    const invocation = newInvocation(matched.target, {}, metadata);
    const { httpUri } = worker;
    const { invocationId } = invocation;
    const forwarding = forward(request, response, {
      httpUri,
      invocationId,
      agent: this.#agent,
      bodyLimitBytes,
    });
    try {
      await worker.invoke(invocation);
    } catch (error) {
      onFailure(`${matched.target.functionId} failed: ${String(error)}`);
      forwarding.fail(500);
    }
    await forwarding.ended;
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** An answer of the host itself: no body, and the connection ends, since the request's body may not have been read. */
export function answerEmpty(request: IncomingMessage, response: ServerResponse, status: number): void {
  request.resume();
  response.writeHead(status, { 'content-length': '0', connection: 'close' }).end();
}

import { readFile } from 'node:fs/promises';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod';
import { repositoryRoot } from '../../../release/repository-root.ts';
import type { FunctionKeys } from './function-keys.ts';
import { respondEmpty, HttpTriggers, type RequestCounts } from './http-triggers.ts';
import { Invocations } from './invocations.ts';
import { logFilter } from './log-levels.ts';
import type { LogEntry } from './messages.ts';
import type { BufferedBodies } from './request-body.ts';
import { TimerTriggers } from './timer-triggers.ts';
import { parserHeaderBytes, targetOf, parseErrorResponse } from './web-server.ts';
import { WorkerSupervisor } from './worker-supervisor.ts';

export type { FunctionKeys } from './function-keys.ts';
export type { LogEntry } from './messages.ts';

export interface FunctionsHostOptions {
  /** Folder with host.json, package.json (its `main` is the entry point), and the files that these name. */
  appDirectory?: string;
  /** The app settings: with PATH, the complete environment of the worker. */
  env?: NodeJS.ProcessEnv;
  /** The default, 0, selects a free port. */
  port?: number;
  onLog?: (entry: LogEntry) => void;
  /** How often an exited worker is replaced within 80 s; the next exit ends the host. Default 2. */
  maxCrashes?: number;
  /** The keys for functions of the level `function`. Without them no request needs a key, as with `func start`. */
  functionKeys?: FunctionKeys;
  /**
   * If the real host would not respond, the reason is logged at level `critical` and the client's connection closed after
   * this time. Default 10,000.
   */
  hangLimitMs?: number;
  /** The `requestTimeout` of the library's HTTP proxy in the worker. Default: Node's own, 300,000. */
  workerRequestTimeoutMs?: number;
  /** What a gateway in front of the app does: headers of its own, or the whole response, if it returns true. */
  gateway?: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Whether stack traces name the sources. Default false, as in Azure's worker. */
  sourceMaps?: boolean;
}

/** Kestrel's limit in the Functions host; the app setting FUNCTIONS_REQUEST_BODY_SIZE_LIMIT changes it. */
const defaultBodyLimitBytes = 104_857_600;
const defaultHangLimitMs = 10_000;
/** Kestrel's KeepAliveTimeout and RequestHeadersTimeout. */
const keepAliveTimeoutMs = 130_000;
const headersTimeoutMs = 30_000;
const stopGraceMs = 10_000;

/**
 * A small Functions host on loopback for one app: it loads the bundle in a worker process, routes HTTP requests to it
 * through the library's own streaming proxy, and runs its timers. It reports and replaces a worker that crashes.
 *
 * It reproduces the real host's shortcomings; README.md in this folder lists each fact and its test.
 *
 * Like the real one, `POST /admin/functions/{name}` runs a timer function immediately (202).
 */
export class FunctionsHost {
  readonly #server: Server;
  readonly #worker: WorkerSupervisor;
  readonly #http: HttpTriggers;
  readonly #timers: TimerTriggers;
  readonly #gateway: NonNullable<FunctionsHostOptions['gateway']>;
  readonly #hasHomepage: boolean;
  #isStopping = false;

  private constructor(
    worker: WorkerSupervisor,
    http: HttpTriggers,
    timers: TimerTriggers,
    gateway: NonNullable<FunctionsHostOptions['gateway']>,
    env: NodeJS.ProcessEnv,
  ) {
    this.#hasHomepage = env['AzureWebJobsDisableHomepage']?.toLowerCase() !== 'true';
    this.#gateway = gateway;
    this.#worker = worker;
    this.#http = http;
    this.#timers = timers;
    const listener =
      (isExpectant: boolean): RequestListener =>
      (request, response) =>
        void this.#handle(request, response, () => {
          if (isExpectant) response.writeContinue();
        });
    this.#server = createServer(
      {
        maxHeaderSize: parserHeaderBytes,
        requireHostHeader: false,
        keepAliveTimeout: keepAliveTimeoutMs,
        headersTimeout: headersTimeoutMs,
        // As in the host, a body has no time limit; only the client can give up.
        requestTimeout: 0,
      },
      listener(false),
    );
    this.#server.on('checkContinue', listener(true));
    // Kestrel ignores other expectations; Node would respond with 417.
    this.#server.on('checkExpectation', listener(false));
    this.#server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      if (socket.writable) socket.end(parseErrorResponse(error));
      else socket.destroy();
    });
  }

  /**
   * An app whose entry point throws is not an error, as in Azure: it has no functions, and `loadFailure` has the reason.
   *
   * @throws Error if host.json has no version, a start hook of the app throws, a route is not supported, or the port is in use
   */
  static async start({
    appDirectory = repositoryRoot,
    env = {},
    port = 0,
    onLog: keep = () => undefined,
    maxCrashes = 2,
    functionKeys,
    hangLimitMs = defaultHangLimitMs,
    workerRequestTimeoutMs,
    sourceMaps = false,
    gateway = () => false,
  }: FunctionsHostOptions = {}): Promise<FunctionsHost> {
    const manifest = packageFile.parse(await readJson(join(appDirectory, 'package.json')));
    if (manifest.main === undefined) throw new Error(`${appDirectory}/package.json names no "main"`);
    const hostJson = hostFile.parse(await readJson(join(appDirectory, 'host.json')));
    if (hostJson.version !== '2.0') {
      throw new Error(
        `${appDirectory}/host.json: "version" must be "2.0"; the host would stay in state Error`,
      );
    }
    const isKept = logFilter(hostJson.logging?.logLevel);
    const onLog = (entry: LogEntry): void => {
      if (isKept(entry)) keep(entry);
    };
    const worker = new WorkerSupervisor({
      entryPoint: join(appDirectory, manifest.main),
      appDirectory,
      env: { FUNCTIONS_WORKER_RUNTIME: 'node', AZURE_FUNCTIONS_ENVIRONMENT: 'Development', ...env },
      onLog,
      maxCrashes,
      requestTimeoutMs: workerRequestTimeoutMs,
      sourceMaps,
    });
    try {
      const { functions } = await worker.current();
      rejectOtherTriggers(functions);
      onLog({ level: 'information', category: 'system', message: `${functions.length} functions loaded` });
      const shared = {
        functions,
        currentWorker: () => worker.current(),
        invocations: new Invocations({ functionTimeout: hostJson.functionTimeout, onLog }),
      };
      const http = new HttpTriggers({
        ...shared,
        routePrefix: hostJson.extensions?.http?.routePrefix ?? 'api',
        bodyLimitBytes: Number(env['FUNCTIONS_REQUEST_BODY_SIZE_LIMIT'] ?? defaultBodyLimitBytes),
        keys: functionKeys,
        hangLimitMs,
        onHang: (reason, { functionId: functionName, invocationId }) =>
          onLog({
            level: 'critical',
            category: 'system',
            message: `The real host would hang here: ${reason}.`,
            functionName,
            invocationId,
          }),
      });
      const host = new FunctionsHost(
        worker,
        http,
        new TimerTriggers({ ...shared, env, onLog }),
        gateway,
        env,
      );
      void worker.givenUp.then(() => host.#close());
      await host.#listen(port).catch(async (error: unknown) => {
        await host.stop();
        throw error;
      });
      return host;
    } catch (error) {
      await worker.stop();
      throw error;
    }
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** `http://127.0.0.1:<port>`, without the route prefix. */
  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The process that currently runs the app; a different one after a crash. */
  get workerPid(): number {
    return this.#worker.pid;
  }

  async functionNames(): Promise<string[]> {
    return (await this.#worker.current()).functions.map(({ name }) => name);
  }

  /** Why the app has no functions; undefined if its entry point was loaded. */
  async loadFailure(): Promise<string | undefined> {
    return (await this.#worker.current()).loadFailure;
  }

  /** Request bodies that were buffered before their function started: those with a `Content-Length`. */
  get bufferedBodies(): Readonly<BufferedBodies> {
    return { ...this.#http.bufferedBodies };
  }

  /** How many requests have started, reached the worker, and ended. */
  get requests(): Readonly<RequestCounts> {
    return { ...this.#http.requests };
  }

  /** Runs a timer function immediately and waits for its end. @throws Error with the function's error */
  runTimer(functionName: string): Promise<void> {
    return this.#timers.run(functionName);
  }

  /** Gives requests in progress some time to finish, then stops worker and server. */
  async stop(): Promise<void> {
    if (this.#isStopping) return;
    this.#isStopping = true;
    this.#timers.stop();
    const closed = this.#server.listening
      ? new Promise<void>((resolve) => this.#server.close(() => resolve()))
      : Promise.resolve();
    this.#server.closeIdleConnections();
    const graceTimer = setTimeout(() => this.#server.closeAllConnections(), stopGraceMs);
    await closed;
    clearTimeout(graceTimer);
    await this.#worker.stop();
    this.#http.close();
  }

  /** As if the host's process had ended. */
  #close(): void {
    this.#timers.stop();
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** Without a key, unlike every route of the app. */
  #sendHomepage(response: ServerResponse): void {
    if (!this.#hasHomepage) return respondEmpty(response, 204);
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<p>Your Functions app is up and running</p>');
  }

  #listen(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', resolve);
    });
  }

  async #handle(request: IncomingMessage, response: ServerResponse, acceptBody: () => void): Promise<void> {
    response.on('error', () => undefined);
    // Kestrel does not announce how long it keeps a connection.
    response.removeHeader('connection');
    if (this.#gateway(request, response)) return;
    const target = targetOf(request);
    if ('rejectedWith' in target) return respondEmpty(response, target.rejectedWith, { close: true });
    if (target.path === '/') return this.#sendHomepage(response);
    const admin = /^\/admin\/functions\/([\w-]+)$/.exec(target.path)?.[1];
    if (admin === undefined || request.method !== 'POST') {
      return this.#http.handle({ request, response, target }, acceptBody);
    }
    const access = this.#http.adminAccess(request, target);
    if (access !== 'granted') return respondEmpty(response, access === 'insufficient' ? 403 : 401);
    const isJson = /^application\/json\b/i.test(request.headers['content-type'] ?? '');
    if (!isJson) return respondEmpty(response, 415);
    acceptBody();
    void this.#timers.runAndReport(admin);
    respondEmpty(response, 202);
  }
}

const packageFile = z.object({ main: z.string().optional() });
const hostFile = z.object({
  version: z.string().optional(),
  functionTimeout: z.string().optional(),
  logging: z.object({ logLevel: z.record(z.string(), z.string()).optional() }).optional(),
  extensions: z.object({ http: z.object({ routePrefix: z.string().optional() }).optional() }).optional(),
});

function rejectOtherTriggers(
  functions: readonly { functionId: string; bindings: Record<string, { type: string }> }[],
): void {
  for (const { functionId, bindings } of functions) {
    for (const { type } of Object.values(bindings)) {
      if (type.endsWith('Trigger') && type !== 'httpTrigger' && type !== 'timerTrigger') {
        throw new Error(`Function ${functionId}: ${type} is not supported locally`);
      }
    }
  }
}

async function readJson(path: string): Promise<unknown> {
  return JSON.parse(await readFile(path, 'utf8'));
}

import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Agent, createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { repositoryRoot } from './build.ts';
import { forward } from './functions-host/forwarding.ts';
import type { InvocationRequest, LogEntry } from './functions-host/messages.ts';
import { RouteTable } from './functions-host/routes.ts';
import { startTimer, type Timer } from './functions-host/timers.ts';
import { httpTriggerMetadata, timerTriggerMetadata } from './functions-host/trigger-metadata.ts';
import { WorkerProcess } from './functions-host/worker-process.ts';

export type { LogEntry } from './functions-host/messages.ts';

export interface FunctionsHostOptions {
  /** Folder with host.json, package.json (its `main` is the entry point) and what they name. */
  appDirectory?: string;
  /** The app settings: all the worker gets to see of an environment, PATH aside. */
  env?: NodeJS.ProcessEnv;
  /** 0, the default, takes a free one. */
  port?: number;
  onLog?: (entry: LogEntry) => void;
}

/** Kestrel's limit in the Functions host; the app setting of this name moves it. */
const defaultBodyLimitBytes = 104_857_600;
/** A worker that ends so often within a minute is not started again. */
const maxCrashesPerMinute = 3;
const stopGraceMs = 10_000;

type HttpTarget = { functionId: string; bindingName: string };

/**
 * A small Functions host on loopback for one app: it loads the bundle in a worker process, routes HTTP requests to it
 * through the library's own streaming proxy and runs its timers. A worker that crashes is reported and started again.
 *
 * Like the real one, `POST /admin/functions/{name}` runs a timer function now (202).
 */
export class FunctionsHost {
  readonly #options: Required<FunctionsHostOptions>;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #server: Server;
  readonly #bodyLimitBytes: number;
  #entryPoint = '';
  #routes = new RouteTable<HttpTarget>([]);
  #timers: Timer[] = [];
  #worker: Promise<WorkerProcess>;
  #workerPid = 0;
  #crashes: number[] = [];
  #isStopping = false;

  private constructor(options: FunctionsHostOptions) {
    this.#options = {
      appDirectory: repositoryRoot,
      env: {},
      port: 0,
      onLog: () => undefined,
      ...options,
    };
    this.#bodyLimitBytes = Number(
      this.#options.env['FUNCTIONS_REQUEST_BODY_SIZE_LIMIT'] ?? defaultBodyLimitBytes,
    );
    this.#server = createServer((request, response) => void this.#handle(request, response));
    // A body may take as long as it takes; the client's patience is the limit, as in the host.
    this.#server.requestTimeout = 0;
    this.#worker = Promise.reject(new Error('not started'));
    this.#worker.catch(() => undefined);
  }

  /** @throws Error when the app does not load, a route or schedule is not understood, or the port is taken */
  static async start(options: FunctionsHostOptions = {}): Promise<FunctionsHost> {
    const host = new FunctionsHost(options);
    try {
      await host.#start();
    } catch (error) {
      await host.stop();
      throw error;
    }
    return host;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** `http://127.0.0.1:<port>`, without the route prefix. */
  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The process that runs the app at the moment; another one after a crash. */
  get workerPid(): number {
    return this.#workerPid;
  }

  async functionNames(): Promise<string[]> {
    return (await this.#worker).functions.map(({ name }) => name);
  }

  /** Runs a timer function now and waits for its end. @throws Error with what it threw */
  async runTimer(functionName: string): Promise<void> {
    const worker = await this.#worker;
    const registered = worker.functions.find(({ name }) => name === functionName);
    const [bindingName] =
      Object.entries(registered?.bindings ?? {}).find(([, { type }]) => type === 'timerTrigger') ?? [];
    if (bindingName === undefined) throw new Error(`There is no timer function "${functionName}".`);
    const now = new Date().toISOString();
    const info = {
      Schedule: { AdjustForDST: true },
      ScheduleStatus: { Last: now, Next: now, LastUpdated: now },
      IsPastDue: false,
    };
    await worker.invoke({
      ...newInvocation(functionName),
      inputData: [{ name: bindingName, data: { json: JSON.stringify(info) } }],
      triggerMetadata: timerTriggerMetadata(functionName),
    });
  }

  /** Lets requests in hand finish for a while, then ends worker and server. */
  async stop(): Promise<void> {
    if (this.#isStopping) return;
    this.#isStopping = true;
    for (const timer of this.#timers) timer.stop();
    const closed = this.#server.listening
      ? new Promise<void>((resolve) => this.#server.close(() => resolve()))
      : Promise.resolve();
    this.#server.closeIdleConnections();
    const impatience = setTimeout(() => this.#server.closeAllConnections(), stopGraceMs);
    await closed;
    clearTimeout(impatience);
    const worker = await this.#worker.catch(() => undefined);
    await worker?.stop();
    this.#agent.destroy();
  }

  async #start(): Promise<void> {
    const { appDirectory, port } = this.#options;
    const manifest = await readJson<{ main?: string }>(join(appDirectory, 'package.json'));
    if (manifest.main === undefined) throw new Error(`${appDirectory}/package.json names no "main"`);
    this.#entryPoint = join(appDirectory, manifest.main);
    const hostJson = await readJson<{ extensions?: { http?: { routePrefix?: string } } }>(
      join(appDirectory, 'host.json'),
    );
    const worker = await this.#startWorker();
    this.#indexFunctions(worker, hostJson.extensions?.http?.routePrefix ?? 'api');
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', resolve);
    });
  }

  async #startWorker(): Promise<WorkerProcess> {
    const { appDirectory, env, onLog } = this.#options;
    this.#worker = WorkerProcess.start({
      entryPoint: this.#entryPoint,
      appDirectory,
      env: { FUNCTIONS_WORKER_RUNTIME: 'node', AZURE_FUNCTIONS_ENVIRONMENT: 'Development', ...env },
      onLog,
    });
    const worker = await this.#worker;
    this.#workerPid = worker.pid;
    void worker.ended.then((reason) => this.#onWorkerEnd(reason));
    return worker;
  }

  #onWorkerEnd(reason: string): void {
    if (this.#isStopping) return;
    const now = Date.now();
    this.#crashes = [...this.#crashes.filter((time) => now - time < 60_000), now];
    const again = this.#crashes.length <= maxCrashesPerMinute;
    this.#systemLog('critical', `${reason}; ${again ? 'starting another' : 'ended too often, giving up'}`);
    if (!again) {
      this.#worker = Promise.reject(new Error(reason));
      this.#worker.catch(() => undefined);
      return;
    }
    this.#startWorker().catch((error: unknown) => this.#systemLog('critical', String(error)));
  }

  #indexFunctions({ functions }: WorkerProcess, routePrefix: string): void {
    const prefix = routePrefix === '' ? '' : `${routePrefix}/`;
    const triggers = functions.flatMap(({ functionId, bindings }) =>
      Object.entries(bindings)
        .filter(([, { type }]) => type.endsWith('Trigger'))
        .map(([bindingName, binding]) => ({ functionId, bindingName, binding })),
    );
    const http = triggers.filter(({ binding }) => binding.type === 'httpTrigger');
    this.#routes = new RouteTable(
      http.map(({ functionId, bindingName, binding }) => ({
        template: prefix + ((binding['route'] as string | undefined) ?? functionId),
        methods: binding['methods'] as string[],
        target: { functionId, bindingName },
      })),
    );
    for (const { functionId, binding } of triggers) {
      if (binding.type === 'httpTrigger') continue;
      if (binding.type !== 'timerTrigger') {
        throw new Error(`Function ${functionId}: ${binding.type} is not supported locally`);
      }
      const run = () => this.#runTimerAndReport(functionId);
      this.#timers.push(startTimer(functionId, String(binding['schedule']), this.#options.env, run));
      if (binding['runOnStartup'] === true) void run();
    }
  }

  async #runTimerAndReport(functionId: string): Promise<void> {
    try {
      await this.runTimer(functionId);
    } catch (error) {
      this.#systemLog('error', `Timer ${functionId} failed: ${String(error)}`);
    }
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => undefined);
    if (!URL.canParse(`http://host${request.url ?? '/'}`)) return refuse(request, response, 400);
    const { pathname, searchParams } = new URL(`http://host${request.url ?? '/'}`);
    const admin = /^\/admin\/functions\/([^/]+)$/.exec(pathname)?.[1];
    if (admin !== undefined && request.method === 'POST') {
      request.resume();
      void this.#runTimerAndReport(decodeURIComponent(admin));
      response.writeHead(202).end();
      return;
    }
    const matched = this.#routes.match(request.method ?? 'GET', pathname);
    if (!matched) return refuse(request, response, 404);
    if (Number(request.headers['content-length'] ?? 0) > this.#bodyLimitBytes) {
      return refuse(request, response, 413);
    }
    let worker: WorkerProcess;
    try {
      worker = await this.#worker;
    } catch {
      return refuse(request, response, 503);
    }
    const { functionId, bindingName } = matched.target;
    const invocation = newInvocation(functionId);
    const forwarding = forward(request, response, {
      httpUri: worker.httpUri,
      invocationId: invocation.invocationId,
      agent: this.#agent,
      bodyLimitBytes: this.#bodyLimitBytes,
    });
    try {
      await worker.invoke({
        ...invocation,
        inputData: [{ name: bindingName, data: {} }],
        triggerMetadata: httpTriggerMetadata(request, searchParams, matched.parameters),
      });
    } catch (error) {
      this.#systemLog('error', `${functionId} failed: ${String(error)}`);
      forwarding.fail(500);
    }
    await forwarding.ended;
  }

  #systemLog(level: string, message: string): void {
    this.#options.onLog({ level, category: 'system', message });
  }
}

function newInvocation(functionId: string): Omit<InvocationRequest, 'inputData' | 'triggerMetadata'> {
  return {
    invocationId: randomUUID(),
    functionId,
    traceContext: {
      traceParent: `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-00`,
      traceState: '',
      attributes: {},
    },
  };
}

function refuse(request: IncomingMessage, response: ServerResponse, status: number): void {
  request.resume();
  response.writeHead(status, { 'content-length': '0', connection: 'close' }).end();
}

async function readJson<T>(path: string): Promise<T> {
  return JSON.parse(await readFile(path, 'utf8')) as T;
}

import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { repositoryRoot } from '../../repository-root.ts';
import { answerEmpty, HttpTriggers } from './http-triggers.ts';
import type { LogEntry } from './messages.ts';
import { TimerTriggers } from './timer-triggers.ts';
import { WorkerSupervisor } from './worker-supervisor.ts';

export type { LogEntry } from './messages.ts';

export interface FunctionsHostOptions {
  /** Folder with host.json, package.json (its `main` is the entry point) and what they name. */
  appDirectory?: string;
  /** The app settings: all the worker gets to see of an environment, PATH aside. */
  env?: NodeJS.ProcessEnv;
  /** 0, the default, takes a free one. */
  port?: number;
  onLog?: (entry: LogEntry) => void;
  /** How often within a minute a worker that ended is replaced by another. Default 3. */
  maxCrashesPerMinute?: number;
}

/** Kestrel's limit in the Functions host; the app setting FUNCTIONS_REQUEST_BODY_SIZE_LIMIT moves it. */
const defaultBodyLimitBytes = 104_857_600;
const stopGraceMs = 10_000;

/**
 * A small Functions host on loopback for one app: it loads the bundle in a worker process, routes HTTP requests to it
 * through the library's own streaming proxy and runs its timers. A worker that crashes is reported and started again.
 *
 * Like the real one, `POST /admin/functions/{name}` runs a timer function now (202).
 */
export class FunctionsHost {
  readonly #server: Server;
  readonly #worker: WorkerSupervisor;
  readonly #http: HttpTriggers;
  readonly #timers: TimerTriggers;
  #isStopping = false;

  private constructor(worker: WorkerSupervisor, http: HttpTriggers, timers: TimerTriggers) {
    this.#worker = worker;
    this.#http = http;
    this.#timers = timers;
    this.#server = createServer((request, response) => void this.#handle(request, response));
    // A body may take as long as it takes; the client's patience is the limit, as in the host.
    this.#server.requestTimeout = 0;
  }

  /** @throws Error when the app does not load, a route or schedule is not understood, or the port is taken */
  static async start({
    appDirectory = repositoryRoot,
    env = {},
    port = 0,
    onLog = () => undefined,
    maxCrashesPerMinute = 3,
  }: FunctionsHostOptions = {}): Promise<FunctionsHost> {
    const manifest = await readJson<{ main?: string }>(join(appDirectory, 'package.json'));
    if (manifest.main === undefined) throw new Error(`${appDirectory}/package.json names no "main"`);
    const hostJson = await readJson<HostJson>(join(appDirectory, 'host.json'));
    const worker = new WorkerSupervisor({
      entryPoint: join(appDirectory, manifest.main),
      appDirectory,
      env: { FUNCTIONS_WORKER_RUNTIME: 'node', AZURE_FUNCTIONS_ENVIRONMENT: 'Development', ...env },
      onLog,
      maxCrashesPerMinute,
    });
    try {
      const { functions } = await worker.current();
      refuseOtherTriggers(functions);
      const shared = {
        functions,
        currentWorker: () => worker.current(),
        onFailure: (message: string) => onLog({ level: 'error', category: 'system', message }),
      };
      const http = new HttpTriggers({
        ...shared,
        routePrefix: hostJson.extensions?.http?.routePrefix ?? 'api',
        bodyLimitBytes: Number(env['FUNCTIONS_REQUEST_BODY_SIZE_LIMIT'] ?? defaultBodyLimitBytes),
      });
      const host = new FunctionsHost(worker, http, new TimerTriggers({ ...shared, env }));
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

  /** The process that runs the app at the moment; another one after a crash. */
  get workerPid(): number {
    return this.#worker.pid;
  }

  async functionNames(): Promise<string[]> {
    return (await this.#worker.current()).functions.map(({ name }) => name);
  }

  /** Runs a timer function now and waits for its end. @throws Error with what it threw */
  runTimer(functionName: string): Promise<void> {
    return this.#timers.run(functionName);
  }

  /** Lets requests in hand finish for a while, then ends worker and server. */
  async stop(): Promise<void> {
    if (this.#isStopping) return;
    this.#isStopping = true;
    this.#timers.stop();
    const closed = this.#server.listening
      ? new Promise<void>((resolve) => this.#server.close(() => resolve()))
      : Promise.resolve();
    this.#server.closeIdleConnections();
    const impatience = setTimeout(() => this.#server.closeAllConnections(), stopGraceMs);
    await closed;
    clearTimeout(impatience);
    await this.#worker.stop();
    this.#http.close();
  }

  #listen(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', resolve);
    });
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => undefined);
    const url = URL.parse(`http://host${request.url ?? '/'}`);
    if (!url) return answerEmpty(request, response, 400);
    const admin = /^\/admin\/functions\/([\w-]+)$/.exec(url.pathname)?.[1];
    if (admin === undefined || request.method !== 'POST') return this.#http.handle(request, response, url);
    request.resume();
    void this.#timers.runAndReport(admin);
    response.writeHead(202).end();
  }
}

interface HostJson {
  extensions?: { http?: { routePrefix?: string } };
}

function refuseOtherTriggers(
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

async function readJson<T>(path: string): Promise<T> {
  return JSON.parse(await readFile(path, 'utf8')) as T;
}

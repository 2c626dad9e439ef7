import { once } from 'node:events';
import { join } from 'node:path';
import { startNodeChild, type NodeChild } from '../../processes/node-child.ts';
import type { FromHost, FromWorker, InvocationRequest, LogEntry } from './messages.ts';

type Ready = Extract<FromWorker, { type: 'ready' }>;
type Pending = Map<string, { resolve: () => void; reject: (error: Error) => void }>;

/** One language worker: a process that has loaded the app, and its pending invocations. */
export class WorkerProcess {
  readonly functions: Ready['functions'];
  readonly httpUri: string;
  /** The error of the entry point; in that case there are no functions. */
  readonly loadFailure: string | undefined;
  /** The app's share of a cold start. */
  readonly loadMs: number;
  readonly #child: NodeChild;
  readonly #pending: Map<string, { resolve: () => void; reject: (error: Error) => void }>;
  /** Resolves with a description of the exit when the process ends, for any reason. */
  readonly ended: Promise<string>;

  private constructor(
    child: NodeChild,
    ready: Ready,
    httpUri: string,
    pending: Pending,
    ended: Promise<string>,
  ) {
    this.#child = child;
    this.functions = ready.functions;
    this.loadMs = ready.loadMs;
    this.loadFailure = ready.loadFailure;
    this.httpUri = httpUri;
    this.#pending = pending;
    this.ended = ended;
  }

  /** @throws Error if a start hook throws, or the app exits or does not enable HTTP streaming */
  static async start({
    entryPoint,
    appDirectory,
    env,
    onLog,
    requestTimeoutMs,
    sourceMaps,
  }: {
    entryPoint: string;
    appDirectory: string;
    env: NodeJS.ProcessEnv;
    onLog: (entry: LogEntry) => void;
    /** The `requestTimeout` of the library's HTTP proxy; default: Node's own. */
    requestTimeoutMs?: number | undefined;
    /** A start takes 0.35 s of processor time with them, 0.22 s without. */
    sourceMaps: boolean;
  }): Promise<WorkerProcess> {
    const child = startNodeChild(join(import.meta.dirname, 'worker.ts'), {
      args: [entryPoint, ...(requestTimeoutMs === undefined ? [] : [String(requestTimeoutMs)])],
      env,
      cwd: appDirectory,
      // Set by tests, which run the worker on the Node that Azure has.
      execPath: process.env['FUNCTIONS_WORKER_NODE'],
      execArgv: sourceMaps ? ['--enable-source-maps'] : [],
      onOutput: (text, stream) => {
        for (const message of text.split('\n').filter((line) => line.trim() !== '')) {
          onLog({
            level: stream === 'stderr' ? levelOf(message) : 'information',
            category: 'console',
            message,
          });
        }
      },
    });
    const pending: Pending = new Map();
    const ended = once(child.process, 'exit').then(([code, signal]) => {
      const reason = `the worker process ended with ${signal ?? `exit code ${code}`}`;
      for (const { reject } of pending.values()) reject(new Error(reason));
      pending.clear();
      return reason;
    });
    const ready = await new Promise<Ready>((resolve, reject) => {
      child.process.once('error', reject);
      void ended.then((reason) =>
        reject(new Error(`${reason} before the app was loaded\n${child.output()}`)),
      );
      child.process.on('message', (message: FromWorker) => {
        switch (message.type) {
          case 'ready':
            return resolve(message);
          case 'startFailed':
            return reject(new Error(`The app did not start: ${message.message}`));
          case 'log':
            return onLog(message.entry);
          case 'done':
            pending.get(message.invocationId)?.resolve();
            return pending.delete(message.invocationId);
          case 'failed':
            pending.get(message.invocationId)?.reject(new Error(message.message));
            return pending.delete(message.invocationId);
        }
      });
    }).catch(async (error: unknown) => {
      await child.stop();
      throw error;
    });
    if (ready.httpUri === undefined && ready.loadFailure === undefined) {
      await child.stop();
      throw new Error('The app does not enable HTTP streaming (app.setup), which this host requires.');
    }
    return new WorkerProcess(child, ready, ready.httpUri ?? '', pending, ended);
  }

  get pid(): number {
    return this.#child.process.pid!;
  }

  /** @throws Error with the function's error, or with a description of the worker's exit */
  async invoke(request: InvocationRequest): Promise<void> {
    const outcome = Promise.withResolvers<void>();
    this.#pending.set(request.invocationId, outcome);
    this.#send({ type: 'invoke', request }, (error) => {
      this.#pending.delete(request.invocationId);
      outcome.reject(error);
    });
    await outcome.promise;
  }

  /** Kills the process immediately, with its pending invocations. */
  kill(): void {
    this.#child.process.kill('SIGKILL');
  }

  async stop(): Promise<void> {
    this.#send({ type: 'terminate' }, () => undefined);
    await this.#child.stop();
  }

  #send(message: FromHost, failed: (error: Error) => void): void {
    this.#child.process.send(message, (error) => {
      if (error) failed(error);
    });
  }
}

/** The host derives the level of a line of standard error from its words (WorkerProcess.OnErrorDataReceived). */
function levelOf(line: string): string {
  if (/warn/i.test(line)) return 'warning';
  return /error|fail|severe/i.test(line) ? 'error' : 'information';
}

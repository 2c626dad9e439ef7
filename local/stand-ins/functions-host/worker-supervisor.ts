import type { LogEntry } from './messages.ts';
import { WorkerProcess } from './worker-process.ts';

type SupervisorOptions = Parameters<typeof WorkerProcess.start>[0] & {
  /** A worker that exits more often than this within 80 s is not restarted. */
  maxCrashes: number;
};

const crashWindowMs = 80_000;

/** Keeps one worker running: reports and replaces a worker that exits by itself. */
export class WorkerSupervisor {
  readonly #options: SupervisorOptions;
  #current: Promise<WorkerProcess>;
  #pid = 0;
  #crashes: number[] = [];
  #isStopping = false;
  readonly #givenUp = Promise.withResolvers<void>();

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#current = this.#start();
    // Callers that request the worker get the error.
    this.#current.catch(() => undefined);
  }

  /** Returns the worker as soon as it has loaded the app. @throws Error if it could not, or exited too often */
  current(): Promise<WorkerProcess> {
    return this.#current;
  }

  /** Resolves when the worker has exited too often. */
  get givenUp(): Promise<void> {
    return this.#givenUp.promise;
  }

  get pid(): number {
    return this.#pid;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    const worker = await this.#current.catch(() => undefined);
    await worker?.stop();
  }

  async #start(): Promise<WorkerProcess> {
    const worker = await WorkerProcess.start(this.#options);
    this.#pid = worker.pid;
    void worker.ended.then((reason) => this.#onEnd(reason));
    return worker;
  }

  #onEnd(reason: string): void {
    if (this.#isStopping) return;
    const now = Date.now();
    this.#crashes = [...this.#crashes.filter((time) => now - time < crashWindowMs), now];
    const again = this.#crashes.length <= this.#options.maxCrashes;
    this.#report(`${reason}; ${again ? 'starting another' : 'exited too often, the host ends'}`);
    this.#current = again ? this.#start() : Promise.reject(new Error(reason));
    if (!again) this.#givenUp.resolve();
    this.#current.catch((error: unknown) => {
      if (again) this.#report(String(error));
    });
  }

  #report(message: string): void {
    const entry: LogEntry = { level: 'critical', category: 'system', message };
    this.#options.onLog(entry);
  }
}

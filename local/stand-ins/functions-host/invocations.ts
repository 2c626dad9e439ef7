import type { InvocationRequest, LogEntry } from './messages.ts';
import type { WorkerProcess } from './worker-process.ts';

/** The host's default outside the Consumption plan; host.json's `functionTimeout` changes it. */
const defaultTimeout = '00:30:00';

export interface InvocationsOptions {
  /** host.json's `functionTimeout`: `hh:mm:ss`, or `-1` for none. */
  functionTimeout: string | undefined;
  onLog: (entry: LogEntry) => void;
}

/** Runs invocations like the host: after a timeout it kills the worker process, and it logs failures. */
export class Invocations {
  readonly #timeout: string;
  readonly #timeoutMs: number;
  readonly #onLog: (entry: LogEntry) => void;

  /** @throws Error for an invalid functionTimeout */
  constructor({ functionTimeout = defaultTimeout, onLog }: InvocationsOptions) {
    this.#timeout = functionTimeout;
    this.#timeoutMs = milliseconds(functionTimeout);
    this.#onLog = onLog;
  }

  /** Logs and rethrows the error of `work`. */
  async run(invocation: InvocationRequest, worker: WorkerProcess, work: () => Promise<void>): Promise<void> {
    const { functionId: functionName, invocationId } = invocation;
    const log = (level: string, message: string, category: 'system' | 'results' = 'system'): void =>
      this.#onLog({ level, category, message, functionName, invocationId });
    const startedAt = performance.now();
    const durationMs = (): number => Math.round(performance.now() - startedAt);
    log('information', `Executing 'Functions.${functionName}' (Id=${invocationId})`);
    const timer =
      this.#timeoutMs === Infinity
        ? undefined
        : setTimeout(() => {
            log(
              'error',
              `Timeout value of ${this.#timeout} exceeded by function 'Functions.${functionName}' (Id: '${invocationId}'). Initiating cancellation.`,
            );
            log(
              'warning',
              `A function timeout has occurred. Restarting worker process executing invocationId '${invocationId}'.`,
            );
            worker.kill();
          }, this.#timeoutMs);
    try {
      await work();
      const ended = `(Succeeded, Id=${invocationId}, Duration=${durationMs()}ms)`;
      log('information', `Executed 'Functions.${functionName}' ${ended}`);
      log('information', `${functionName} ${ended}`, 'results');
    } catch (error) {
      const ended = `(Failed, Id=${invocationId}, Duration=${durationMs()}ms)`;
      log('error', `Executed 'Functions.${functionName}' ${ended} ${String(error)}`);
      log('error', `${functionName} ${ended}`, 'results');
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}

function milliseconds(timeout: string): number {
  if (timeout === '-1') return Infinity;
  const [, hours, minutes, seconds] = /^(\d+):(\d\d):(\d\d)$/.exec(timeout) ?? [];
  if (hours === undefined) throw new Error(`functionTimeout "${timeout}": expected hh:mm:ss or -1`);
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
}

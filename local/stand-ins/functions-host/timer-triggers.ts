import { newInvocation, triggersOf, type RegisteredFunction, type Trigger } from './invocation.ts';
import { startTimer, type Timer } from './timers.ts';
import { timerInfo, timerTriggerMetadata } from './trigger-metadata.ts';
import type { Invocations } from './invocations.ts';
import type { LogEntry } from './messages.ts';
import type { WorkerProcess } from './worker-process.ts';

export interface TimerTriggerOptions {
  functions: readonly RegisteredFunction[];
  /** App settings, for schedules of the form `%NAME%`. */
  env: NodeJS.ProcessEnv;
  currentWorker: () => Promise<WorkerProcess>;
  invocations: Invocations;
  onLog: (entry: LogEntry) => void;
}

/** The app's timer functions, whose schedules run from the start. One with an invalid schedule never runs. */
export class TimerTriggers {
  readonly #options: TimerTriggerOptions;
  readonly #triggers: Trigger[];
  readonly #timers = new Map<string, Timer>();
  readonly #lastRuns = new Map<string, Date>();

  constructor(options: TimerTriggerOptions) {
    this.#options = options;
    this.#triggers = triggersOf(options.functions, 'timerTrigger');
    for (const { functionId, binding } of this.#triggers) {
      try {
        const run = () => this.runAndReport(functionId);
        this.#timers.set(functionId, startTimer(functionId, String(binding['schedule']), options.env, run));
      } catch (error) {
        const message = `The '${functionId}' function is in error: ${String(error)}`;
        options.onLog({ level: 'error', category: 'system', message, functionName: functionId });
      }
    }
    for (const { functionId, binding } of this.#triggers) {
      if (binding['runOnStartup'] === true) void this.runAndReport(functionId);
    }
  }

  /** Runs a timer function immediately and waits for its end. @throws Error with the function's error */
  async run(functionName: string): Promise<void> {
    const trigger = this.#triggers.find(({ functionId }) => functionId === functionName);
    if (!trigger) throw new Error(`There is no timer function "${functionName}".`);
    const worker = await this.#options.currentWorker();
    const { intervalMs } = this.#timers.get(functionName) ?? { intervalMs: Infinity };
    const info = timerInfo(this.#lastRuns.get(functionName), intervalMs);
    this.#lastRuns.set(functionName, new Date());
    const invocation = newInvocation(trigger, info, timerTriggerMetadata(functionName));
    await this.#options.invocations.run(invocation, worker, () => worker.invoke(invocation));
  }

  /** Runs a timer function; its error is only logged. */
  async runAndReport(functionName: string): Promise<void> {
    await this.run(functionName).catch(() => undefined);
  }

  stop(): void {
    for (const timer of this.#timers.values()) timer.stop();
  }
}

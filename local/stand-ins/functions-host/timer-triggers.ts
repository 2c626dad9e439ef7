import { newInvocation, triggersOf, type RegisteredFunction, type Trigger } from './invocation.ts';
import { startTimer, type Timer } from './timers.ts';
import { timerInfo, timerTriggerMetadata } from './trigger-metadata.ts';
import type { Invocations } from './invocations.ts';
import type { WorkerProcess } from './worker-process.ts';

export interface TimerTriggerOptions {
  functions: readonly RegisteredFunction[];
  /** App settings, for schedules of the form `%NAME%`. */
  env: NodeJS.ProcessEnv;
  currentWorker: () => Promise<WorkerProcess>;
  invocations: Invocations;
}

/** The timer functions of the app and their schedules, which run from the start. */
export class TimerTriggers {
  readonly #options: TimerTriggerOptions;
  readonly #triggers: Trigger[];
  readonly #timers: Timer[];

  /** @throws Error naming the function whose schedule is none */
  constructor(options: TimerTriggerOptions) {
    this.#options = options;
    this.#triggers = triggersOf(options.functions, 'timerTrigger');
    this.#timers = this.#triggers.map(({ functionId, binding }) =>
      startTimer(functionId, String(binding['schedule']), options.env, () => this.runAndReport(functionId)),
    );
    for (const { functionId, binding } of this.#triggers) {
      if (binding['runOnStartup'] === true) void this.runAndReport(functionId);
    }
  }

  /** Runs a timer function now and waits for its end. @throws Error with what it threw */
  async run(functionName: string): Promise<void> {
    const trigger = this.#triggers.find(({ functionId }) => functionId === functionName);
    if (!trigger) throw new Error(`There is no timer function "${functionName}".`);
    const worker = await this.#options.currentWorker();
    const invocation = newInvocation(trigger, timerInfo(), timerTriggerMetadata(functionName));
    await this.#options.invocations.run(invocation, worker, () => worker.invoke(invocation));
  }

  /** What a run throws is in the log. */
  async runAndReport(functionName: string): Promise<void> {
    await this.run(functionName).catch(() => undefined);
  }

  stop(): void {
    for (const timer of this.#timers) timer.stop();
  }
}

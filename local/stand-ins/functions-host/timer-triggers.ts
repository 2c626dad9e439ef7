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

/** The app's timer functions, whose schedules run from the start. */
export class TimerTriggers {
  readonly #options: TimerTriggerOptions;
  readonly #triggers: Trigger[];
  readonly #timers: Timer[];

  /** @throws Error that names a function with an invalid schedule */
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

  /** Runs a timer function immediately and waits for its end. @throws Error with the function's error */
  async run(functionName: string): Promise<void> {
    const trigger = this.#triggers.find(({ functionId }) => functionId === functionName);
    if (!trigger) throw new Error(`There is no timer function "${functionName}".`);
    const worker = await this.#options.currentWorker();
    const invocation = newInvocation(trigger, timerInfo(), timerTriggerMetadata(functionName));
    await this.#options.invocations.run(invocation, worker, () => worker.invoke(invocation));
  }

  /** Runs a timer function; its error is only logged. */
  async runAndReport(functionName: string): Promise<void> {
    await this.run(functionName).catch(() => undefined);
  }

  stop(): void {
    for (const timer of this.#timers) timer.stop();
  }
}

import type { EventLog } from '../lib/base/event-log.ts';

/** A function that the host calls on a schedule. */
export interface TimedFunction {
  readonly id: string;
  /** NCRONTAB with seconds. */
  readonly schedule: string;
  handle(log: EventLog): Promise<void>;
}

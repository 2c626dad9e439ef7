import type { EventLog } from '../lib/http/event-log.ts';
import type { Services } from '../lib/services.ts';

/** A function that the host calls by the clock. */
export interface TimedFunction {
  readonly id: string;
  /** NCRONTAB with seconds. */
  readonly schedule: string;
  handle(log: EventLog): Promise<void>;
}

/** Every minute: takes over repairs by hand and logs the gauges that alerts are built on. */
export const maintainFolderQueue = ({ folderRequests }: Services): TimedFunction => ({
  id: 'maintain-folder-queue',
  schedule: '0 * * * * *',
  async handle(log) {
    await folderRequests.upkeep.run(log);
  },
});

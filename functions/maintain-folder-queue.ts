import type { EventLog } from '../lib/base/event-log.ts';
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
    try {
      await folderRequests.maintenance.run(log);
    } catch (error) {
      // The next minute tries again; the host's own log of a thrown error would not be ours to keep free of URLs.
      log.error('folder_queue_maintenance_failed', {}, error);
    }
  },
});

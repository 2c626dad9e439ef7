import type { Services } from '../lib/services.ts';
import type { TimedFunction } from './timed-function.ts';

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

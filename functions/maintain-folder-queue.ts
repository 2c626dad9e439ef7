import type { Services } from '../lib/services.ts';
import type { TimedFunction } from './timed-function.ts';

/** Every minute: applies repairs by hand and logs the gauges that alerts are built on. */
export const maintainFolderQueue = ({ folderRequests }: Services): TimedFunction => ({
  id: 'maintain-folder-queue',
  schedule: '0 * * * * *',
  async handle(log) {
    try {
      await folderRequests.maintenance.run(log);
    } catch (error) {
      // The next minute tries again. It is logged here because the host would log a thrown error with its URLs.
      log.error('folder_queue_maintenance_failed', {}, error);
    }
  },
});

import type { Services } from '../lib/services.ts';
import type { TimedFunction } from './timed-function.ts';

/**
 * Every ten minutes: moves projects and contacts of earlier releases to where lists find them. Costs two storage requests
 * once all are moved.
 */
export const maintainRecords = ({ projects, contacts }: Services): TimedFunction => ({
  id: 'maintain-records',
  schedule: '30 */10 * * * *',
  async handle(log) {
    try {
      const moved = (await projects.moveOldRows()) + (await contacts.moveOldRows());
      if (moved > 0) log.info('records_moved', { moved });
    } catch (error) {
      // The next run tries again. It is logged here because the host would log a thrown error with its URLs.
      log.error('record_maintenance_failed', {}, error);
    }
  },
});

import type { Services } from '../lib/services.ts';
import type { TimedFunction } from './timed-function.ts';

/**
 * Every ten minutes: moves projects and contacts that earlier releases have written to where lists find them. Two requests
 * to the storage once all are moved.
 */
export const maintainRecords = ({ projects, contacts }: Services): TimedFunction => ({
  id: 'maintain-records',
  schedule: '30 */10 * * * *',
  async handle(log) {
    try {
      const moved = (await projects.moveOldRows()) + (await contacts.moveOldRows());
      if (moved > 0) log.info('records_moved', { moved });
    } catch (error) {
      // The next run tries again; the host's own log of a thrown error would not be ours to keep free of URLs.
      log.error('record_maintenance_failed', {}, error);
    }
  },
});

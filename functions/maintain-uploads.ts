import { ServiceError } from '../lib/base/service-error.ts';
import type { EventLog } from '../lib/base/event-log.ts';
import type { Services } from '../lib/services.ts';
import type { TimedFunction } from './timed-function.ts';

/** Every ten minutes: removes idempotency keys of uploads after a day, and the remains of abandoned direct uploads. */
export const maintainUploads = ({ uploadKeys, documents }: Services): TimedFunction => ({
  id: 'maintain-uploads',
  schedule: '0 */10 * * * *',
  async handle(log) {
    await Promise.all([removeKeys(log), sweepDirectUploads(log)]);

    // A failure is left to the next run. It is logged here because the host would log a thrown error with its URLs.
    async function removeKeys(log: EventLog): Promise<void> {
      try {
        const removed = await uploadKeys.removeExpired();
        if (removed > 0) log.info('upload_keys_removed', { removed });
      } catch (error) {
        log.error('upload_key_maintenance_failed', {}, error);
      }
    }

    async function sweepDirectUploads(log: EventLog): Promise<void> {
      try {
        const removed = await documents().directUploadSweep.run();
        if (removed > 0) log.info('direct_uploads_removed', { removed });
      } catch (error) {
        if (error instanceof ServiceError && error.code === 'not_configured') return;
        log.error('direct_upload_maintenance_failed', {}, error);
      }
    }
  },
});

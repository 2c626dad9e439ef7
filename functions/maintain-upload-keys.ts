import type { Services } from '../lib/services.ts';
import type { TimedFunction } from './timed-function.ts';

/** Every ten minutes: removes the idempotency keys of uploads that are older than a day. */
export const maintainUploadKeys = ({ uploadKeys }: Services): TimedFunction => ({
  id: 'maintain-upload-keys',
  schedule: '0 */10 * * * *',
  async handle(log) {
    try {
      const removed = await uploadKeys.removeExpired();
      if (removed > 0) log.info('upload_keys_removed', { removed });
    } catch (error) {
      // The next run tries again; the host's own log of a thrown error would not be ours to keep free of URLs.
      log.error('upload_key_maintenance_failed', {}, error);
    }
  },
});

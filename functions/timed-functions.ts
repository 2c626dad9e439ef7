import type { EventLog } from '../lib/base/event-log.ts';
import { ServiceError } from '../lib/base/service-error.ts';
import type { Services } from '../lib/services.ts';

/** A function that the host calls on a schedule. */
export interface TimedFunction {
  readonly id: string;
  /** NCRONTAB with seconds. */
  readonly schedule: string;
  handle(log: EventLog): Promise<void>;
}

/** All functions that the host calls on a schedule. An event that ends with `_maintenance_failed` raises an alert. */
export const timedFunctions = (services: Services): readonly TimedFunction[] => {
  const { folderRequests, idempotencyKeys, documents, modelEnd, backup, textLimit } = services;
  return [
    {
      // Applies repairs by hand and logs the gauges that alerts are built on.
      id: 'maintain-folder-queue',
      schedule: '0 * * * * *',
      handle: (log) =>
        loggingFailure(log, 'folder_queue_maintenance_failed', () => folderRequests.maintenance.run(log)),
    },
    {
      // Removes idempotency keys, counts of calls, and the remains of abandoned direct uploads after a day.
      id: 'maintain-uploads',
      schedule: '0 */10 * * * *',
      async handle(log) {
        await Promise.all([
          loggingFailure(log, 'upload_key_maintenance_failed', async () => {
            await idempotencyKeys.removeExpired();
            await textLimit.removeExpired();
          }),
          loggingFailure(log, 'direct_upload_maintenance_failed', () => documents().sweep()),
        ]);
      },
    },
    {
      // Asks the AI provider whether the model ends, and logs it from 60 days before.
      id: 'check-ai-model',
      schedule: '0 20 5 * * *',
      handle: async (log) => modelEnd()?.refresh(log),
    },
    {
      // Copies the tables to blobs: Table Storage has no restore of its own.
      id: 'back-up-tables',
      schedule: '0 40 1 * * *',
      handle: (log) =>
        loggingFailure(log, 'table_backup_maintenance_failed', async () => {
          const startedAt = performance.now();
          const counts = await backup.run();
          const rows = [...counts.values()].reduce((sum, count) => sum + count, 0);
          log.info('tables_backed_up', { rows, durationMs: Math.round(performance.now() - startedAt) });
        }),
    },
  ];
};

/** Leaves a failure to the next run. Logs it here because the host would log a thrown error with its URLs. */
async function loggingFailure(log: EventLog, event: string, run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (error) {
    // A part that is switched off has nothing to maintain.
    if (error instanceof ServiceError && error.code === 'not_configured') return;
    log.error(event, {}, error);
  }
}

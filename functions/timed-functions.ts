import type { EventLog } from '../lib/base/event-log.ts';
import { orLater } from '../lib/base/or-later.ts';
import { ServiceError } from '../lib/base/service-error.ts';
import type { Services } from '../lib/services.ts';
import type { Scheduled } from '../lib/storage/timer-runs.ts';

/** A function that the host calls on a schedule. */
export interface TimedFunction extends Scheduled {
  /** NCRONTAB with seconds. */
  readonly schedule: string;
  handle(log: EventLog): Promise<void>;
}

interface Job extends Omit<TimedFunction, 'handle'> {
  /** @returns whether it succeeded; what failed is logged */
  readonly run: (log: EventLog) => Promise<boolean>;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** All functions that the host calls on a schedule. An event that ends with `_maintenance_failed` raises an alert. */
export const timedFunctions = (services: Services): readonly TimedFunction[] => {
  const { folderRequests, agents, idempotencyKeys, documents, modelEnd, backup, textLimit, timerRuns } =
    services;
  const jobs: readonly Job[] = [
    {
      // Applies repairs by hand and logs the gauges that alerts are built on.
      id: 'maintain-folder-queue',
      schedule: '0 * * * * *',
      maxSilenceMs: 5 * minuteMs,
      async run(log) {
        const maintain = () => folderRequests.maintenance.run(log);
        const isMaintained = await loggingFailure(log, 'folder_queue_maintenance_failed', maintain);
        await orLater(log, 'agent_gauges', async () => {
          const silentMs = await agents.silentMs();
          // null until the first agent runs, so that no alert waits for one.
          log.info('agent_gauges', { silentSeconds: silentMs === null ? null : Math.round(silentMs / 1000) });
        });
        return isMaintained;
      },
    },
    {
      // Removes idempotency keys, counts of calls, and the remains of abandoned direct uploads after a day; notices a system of
      // record that has stopped.
      id: 'maintain-uploads',
      schedule: '0 */10 * * * *',
      maxSilenceMs: 35 * minuteMs,
      async run(log) {
        const succeeded = await Promise.all([
          loggingFailure(log, 'upload_key_maintenance_failed', async () => {
            await idempotencyKeys.removeExpired();
            await textLimit.removeExpired();
          }),
          loggingFailure(log, 'direct_upload_maintenance_failed', () => documents().sweep()),
        ]);
        await lookAtSyncs(services, log);
        return succeeded.every(Boolean);
      },
    },
    {
      // Asks the AI provider whether the model ends, and logs it from 60 days before.
      id: 'check-ai-model',
      schedule: '0 20 5 * * *',
      maxSilenceMs: 26 * hourMs,
      async run(log) {
        await modelEnd()?.refresh(log);
        return true;
      },
    },
    {
      // Copies the tables to blobs: Table Storage has no restore of its own.
      id: 'back-up-tables',
      schedule: '0 40 1 * * *',
      maxSilenceMs: 26 * hourMs,
      run: (log) =>
        loggingFailure(log, 'table_backup_maintenance_failed', async () => {
          const startedAt = performance.now();
          const counts = await backup.run();
          const rows = [...counts.values()].reduce((sum, count) => sum + count, 0);
          log.info('tables_backed_up', { rows, durationMs: Math.round(performance.now() - startedAt) });
        }),
    },
  ];
  return jobs.map(({ run, ...timer }) => ({
    ...timer,
    async handle(log) {
      const hasSucceeded = await run(log);
      await orLater(log, 'timer_run', async () => {
        await timerRuns.record(timer.id, hasSucceeded);
        for (const { id, state, silentMs } of await timerRuns.expect(jobs))
          if (state === 'overdue')
            log.error('timer_overdue', { timer: id, minutes: Math.floor(silentMs / minuteMs) });
      });
    },
  }));
};

/** Synchronizations of a system of record that no longer come: the system itself logs nothing here. */
async function lookAtSyncs(services: Services, log: EventLog): Promise<void> {
  // Without a client, the system of record has been removed on purpose.
  if (!services.settings.values.RECORDS_SYNC_CLIENT_IDS?.length) return;
  const { projectSyncs: projects, contactSyncs: contacts } = services;
  for (const [records, syncs] of Object.entries({ projects, contacts }))
    await orLater(log, 'records_sync', async () => {
      const { isOverdue, silentMs } = await syncs.silence();
      if (isOverdue) log.error('records_sync_overdue', { records, hours: Math.floor(silentMs / hourMs) });
    });
}

/** Leaves a failure to the next run. Logs it here because the host would log a thrown error with its URLs. */
async function loggingFailure(log: EventLog, event: string, run: () => Promise<unknown>): Promise<boolean> {
  try {
    await run();
  } catch (error) {
    // A part that is switched off has nothing to maintain.
    if (error instanceof ServiceError && error.code === 'not_configured') return true;
    log.error(event, {}, error);
    return false;
  }
  return true;
}

import type { TableClient } from '@azure/data-tables';
import * as z from 'zod';
import type { EventLog } from '../../base/event-log.ts';
import { orLater } from '../../base/or-later.ts';
import type { Clock } from '../../contract/clock.ts';
import { orNullIfMissing } from '../../storage/rejections.ts';
import { partitionOf } from '../folders/project-partition.ts';

export const refreshProgress = z
  .object({
    isRunning: z.boolean().meta({ description: 'Whether a refresh adds 1,000 files or more' }),
    files: z.int().meta({ description: 'New files that it has found; 0 if it is not running' }),
    added: z.int().meta({ description: 'Those that are in the list already' }),
    startedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'RefreshProgress' });

export type RefreshProgress = z.output<typeof refreshProgress>;

interface Row {
  readonly projectId: string;
  readonly files: number;
  readonly added: number;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly updatedAt: string;
}

interface ProgressParts {
  /** Of the records. */
  readonly table: TableClient;
  readonly clock: Clock;
  readonly log: EventLog;
}

const rowKey = 'refresh';
const filesPerUpdate = 1000;
// The slowest 1,000 files of a throttled table; a process that has ended in between updates nothing more.
const updatedWithinMs = 2 * 60_000;
const notRunning: RefreshProgress = { isRunning: false, files: 0, added: 0, startedAt: null };

/** Of the refresh that began to add files last, by any caller. */
export async function progressOf(
  { table, clock }: Omit<ProgressParts, 'log'>,
  projectId: string,
): Promise<RefreshProgress> {
  const row = await orNullIfMissing(table.getEntity<Row>(partitionOf(projectId), rowKey));
  if (row?.projectId !== projectId || clock.now() - Date.parse(row.updatedAt) > updatedWithinMs) {
    return notRunning;
  }
  const { files, added, startedAt } = row;
  return { isRunning: true, files, added, startedAt };
}

/**
 * Adds files while other callers can read how far it is. Fewer than 1,000 are not worth a row.
 *
 * @param add is given what to call after each step, with the number of files in it
 */
export async function withProgress(
  { table, clock, log }: ProgressParts,
  { projectId, files }: { readonly projectId: string; readonly files: number },
  add: (onWritten: (count: number) => Promise<void>) => Promise<void>,
): Promise<void> {
  if (files < filesPerUpdate) return add(() => Promise.resolve());
  const key = { partitionKey: partitionOf(projectId), rowKey };
  const now = (): string => new Date(clock.now()).toISOString();
  const startedAt = now();
  const write = (added: number): Promise<void> =>
    orLater(log, 'progress of a refresh', async () => {
      const row: Row = { projectId, files, added, startedAt, updatedAt: now() };
      await table.upsertEntity({ ...key, ...row }, 'Replace');
    });
  let added = 0;
  await write(added);
  try {
    await add(async (count) => {
      const before = added;
      added += count;
      if (Math.floor(before / filesPerUpdate) < Math.floor(added / filesPerUpdate)) await write(added);
    });
  } finally {
    await orLater(log, 'progress of a refresh', async () => {
      await orNullIfMissing(table.deleteEntity(key.partitionKey, key.rowKey));
    });
  }
}

import type { TableClient } from '@azure/data-tables';
import * as z from 'zod';
import type { EventLog } from '../../base/event-log.ts';
import { orLater } from '../../base/or-later.ts';
import type { Clock } from '../../contract/clock.ts';
import { orNullIfMissing } from '../../storage/rejections.ts';
import { partitionOf } from '../folders/project-partition.ts';

export const refreshProgress = z
  .object({
    isRunning: z
      .boolean()
      .meta({ description: 'Whether a refresh reads 100 folders or more, or adds 1,000 files or more' }),
    folders: z.int().meta({ description: 'Folders that it has read; 0 if it is not running' }),
    files: z.int().meta({ description: 'New files that it has found; 0 if it is not running' }),
    added: z.int().meta({ description: 'Those that are in the list already' }),
    startedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'RefreshProgress' });

export type RefreshProgress = z.output<typeof refreshProgress>;

interface Row {
  readonly projectId: string;
  /** Absent in rows of 1.0.0. */
  readonly folders?: number;
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
const foldersPerUpdate = 100;
const filesPerUpdate = 1000;
// The slowest 1,000 files of a throttled table; a process that has ended in between updates nothing more.
const updatedWithinMs = 2 * 60_000;
const notRunning: RefreshProgress = { isRunning: false, folders: 0, files: 0, added: 0, startedAt: null };

/** Of the refresh that was the last to write how far it is, by any caller. */
export async function progressOf(
  { table, clock }: Omit<ProgressParts, 'log'>,
  projectId: string,
): Promise<RefreshProgress> {
  const row = await orNullIfMissing(table.getEntity<Row>(partitionOf(projectId), rowKey));
  if (row?.projectId !== projectId || clock.now() - Date.parse(row.updatedAt) > updatedWithinMs) {
    return notRunning;
  }
  const { folders = 0, files, added, startedAt } = row;
  return { isRunning: true, folders, files, added, startedAt };
}

/** How far a refresh is, in a row that other callers read. A refresh that is soon over is not worth the row. */
export class RunningRefresh {
  readonly #parts: ProgressParts;
  readonly #projectId: string;
  readonly #startedAt: string;
  #isWritten = false;
  #folders = 0;
  #files = 0;
  #added = 0;

  private constructor(parts: ProgressParts, projectId: string) {
    this.#parts = parts;
    this.#projectId = projectId;
    this.#startedAt = new Date(parts.clock.now()).toISOString();
  }

  /** Removes the row at the end of the work. */
  static async during<T>(
    parts: ProgressParts,
    projectId: string,
    work: (running: RunningRefresh) => Promise<T>,
  ): Promise<T> {
    const running = new RunningRefresh(parts, projectId);
    try {
      return await work(running);
    } finally {
      await running.#end();
    }
  }

  /** @param folders read so far */
  async hasRead(folders: number): Promise<void> {
    const isStep = stepsIn(this.#folders, foldersPerUpdate) < stepsIn(folders, foldersPerUpdate);
    this.#folders = Math.max(this.#folders, folders);
    if (isStep) await this.#write();
  }

  /** @param files that it is about to add */
  async adds(files: number): Promise<void> {
    this.#files = files;
    if (files >= filesPerUpdate) await this.#write();
  }

  /** @param count of the files in the step that was written */
  async hasAdded(count: number): Promise<void> {
    const before = this.#added;
    this.#added += count;
    const isStep = stepsIn(before, filesPerUpdate) < stepsIn(this.#added, filesPerUpdate);
    if (this.#files >= filesPerUpdate && isStep) await this.#write();
  }

  #write(): Promise<void> {
    this.#isWritten = true;
    const { table, clock, log } = this.#parts;
    const row: Row = {
      projectId: this.#projectId,
      folders: this.#folders,
      files: this.#files,
      added: this.#added,
      startedAt: this.#startedAt,
      updatedAt: new Date(clock.now()).toISOString(),
    };
    return orLater(log, 'progress of a refresh', async () => {
      await table.upsertEntity({ partitionKey: partitionOf(this.#projectId), rowKey, ...row }, 'Replace');
    });
  }

  async #end(): Promise<void> {
    if (!this.#isWritten) return;
    const { table, log } = this.#parts;
    await orLater(log, 'progress of a refresh', async () => {
      await orNullIfMissing(table.deleteEntity(partitionOf(this.#projectId), rowKey));
    });
  }
}

const stepsIn = (count: number, perStep: number): number => Math.floor(count / perStep);

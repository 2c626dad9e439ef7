import { Readable } from 'node:stream';
import type { TableClient } from '@azure/data-tables';
import type { BlobServiceClient } from '@azure/storage-blob';
import type { Clock } from '../contract/clock.ts';
import { savedFileName, savedLines } from './saved-rows.ts';

/** The container of the backups, which Bicep creates in Azure, with the rule that deletes backups after a month. */
export const backupContainer = 'backups';

/** In a backup, written after all tables: the number of rows of each. A folder without it was not finished. */
export const backupCompleteName = 'complete.json';

// Below the function's timeout of 30 minutes (host.json), so that a backup that is too slow is an event and not a killed process.
const maxBackupMs = 25 * 60_000;
const bufferBytes = 1024 * 1024;

export interface TableBackupParts {
  readonly tables: readonly TableClient[];
  readonly blobs: () => Promise<BlobServiceClient>;
  readonly clock: Clock;
}

/** Copies the service's tables to blobs, in a folder for each day (UTC). */
export class TableBackup {
  readonly #parts: TableBackupParts;

  constructor(parts: TableBackupParts) {
    this.#parts = parts;
  }

  /** @returns the number of rows of each table; @throws the storage's error, or a TimeoutError after 25 minutes */
  async run(): Promise<ReadonlyMap<string, number>> {
    const { tables, blobs, clock } = this.#parts;
    const container = (await blobs()).getContainerClient(backupContainer);
    const folder = new Date(clock.now()).toISOString().slice(0, 10);
    const abortSignal = AbortSignal.timeout(maxBackupMs);
    await container.createIfNotExists({ abortSignal });
    const complete = container.getBlockBlobClient(`${folder}/${backupCompleteName}`);
    // A second run of the day replaces the first; while it writes, the folder is none that can be restored.
    await complete.deleteIfExists({ abortSignal });
    const counts = new Map<string, number>();
    for (const table of tables) {
      let rows = 0;
      const lines = async function* counted(): AsyncGenerator<string> {
        for await (const line of savedLines(table, abortSignal)) {
          rows += 1;
          yield line;
        }
      };
      const blob = container.getBlockBlobClient(`${folder}/${savedFileName(table)}`);
      await blob.uploadStream(Readable.from(lines()), bufferBytes, 1, { abortSignal });
      counts.set(table.tableName, rows);
    }
    const text = JSON.stringify(Object.fromEntries(counts));
    await complete.upload(text, Buffer.byteLength(text), { abortSignal });
    return counts;
  }
}

import { randomUUID } from 'node:crypto';
import { odata, type TableClient } from '@azure/data-tables';
import type { ConflictBehavior } from '../document-library/conflict-behavior.ts';
import { orNullIfMissing } from '../storage/refusals.ts';
import { partitionOf } from './document-key.ts';
import type { Subfolder } from './subfolders.ts';

/** What an upload is about to do: everything a record needs but what only the library's answer tells. */
export interface UploadIntent {
  readonly projectId: string;
  readonly folderName: Subfolder;
  readonly folderId: string;
  readonly fileName: string;
  readonly conflictBehavior: ConflictBehavior;
  readonly size: number;
  readonly contentType: string;
  readonly uploadedByUserId: string;
  readonly uploadedByName: string | null;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly before: Before;
}

/** What was under the file's name when the upload began: what it is there now is measured against. */
export interface Before {
  /** By the library's own clock; ISO 8601. */
  readonly at: string;
  /** Null when nothing was there; '' when what was there can't be told from anything else. */
  readonly contentTag: string | null;
}

/** An intent that is written down; `end` takes it away. */
export interface StandingIntent {
  readonly id: string;
  readonly intent: UploadIntent;
  end(): Promise<void>;
}

/**
 * Intents of uploads, written before the first byte goes to the library and taken away when record and file agree. One that stays behind
 * is the trace of a crash between the two (upload-repair.ts).
 */
export class UploadIntents {
  readonly #table: TableClient;

  constructor(table: TableClient) {
    this.#table = table;
  }

  async begin(intent: UploadIntent): Promise<StandingIntent> {
    const partitionKey = partitionOf(intent.projectId);
    const rowKey = `upload-${randomUUID()}`;
    await this.#table.createEntity({ partitionKey, rowKey, intent: JSON.stringify(intent) });
    return this.#standing(partitionKey, rowKey, intent);
  }

  async ofProject(projectId: string): Promise<readonly StandingIntent[]> {
    const partitionKey = partitionOf(projectId);
    const filter = odata`PartitionKey eq ${partitionKey} and RowKey gt ${'upload-'} and RowKey lt ${'upload.'}`;
    const standing: StandingIntent[] = [];
    for await (const row of this.#table.listEntities<{ intent: string }>({ queryOptions: { filter } })) {
      const intent = JSON.parse(row.intent) as UploadIntent;
      if (intent.projectId === projectId && row.rowKey !== undefined) {
        standing.push(this.#standing(partitionKey, row.rowKey, intent));
      }
    }
    return standing;
  }

  #standing(partitionKey: string, rowKey: string, intent: UploadIntent): StandingIntent {
    const table = this.#table;
    return {
      id: rowKey,
      intent,
      async end() {
        await orNullIfMissing(table.deleteEntity(partitionKey, rowKey));
      },
    };
  }
}

/**
 * Complete synchronizations of projects or contacts (docs/http-contract.md, "Synchronization"). The rows are in the partition
 * `~syncs` of the table of the records:
 *
 *   `<sync>`            when it began, and how far its end has come
 *   `<sync>!<digest>`   the ids in one batch, as digests
 */
import { createHash, randomUUID } from 'node:crypto';
import { odata, type TableClient, type TransactionAction } from '@azure/data-tables';
import { ServiceError } from '../base/service-error.ts';
import { inSlices, slicesOf } from '../base/slices.ts';
import { systemClock, type Clock } from '../contract/clock.ts';
import { conditionalWrite, untilSettled } from './conditional-write.ts';
import { orNullIfMissing } from './rejections.ts';
import type { Fields, Saved, ScannedRecord, SearchableRecords, Wanted } from './searchable-records.ts';

export interface SyncOptions {
  /** Names the records in errors. */
  readonly name: 'project' | 'contact';
  /** A synchronization that would remove more than this share of the records has to be confirmed. */
  readonly maxMissingPercent: number;
  /** Whether the record is archived instead of deleted. */
  readonly isKept?: (id: string) => Promise<boolean>;
  /** A step ends after the page in which it has removed this many records. */
  readonly removalsPerStep: number;
  readonly clock?: Clock;
}

/** What the end of a synchronization has done so far. */
export interface SyncEnd {
  readonly isFinished: boolean;
  readonly deleted: number;
  readonly archived: number;
}

interface Row {
  /** ISO 8601. */
  readonly startedAt: string;
  readonly state: 'open' | 'removing' | 'finished';
  /** How many records may be removed. */
  readonly approved: number;
  readonly deleted: number;
  readonly archived: number;
}

const partitionKey = '~syncs';
const keptMs = 30 * 86_400_000;
const digestLength = 8;
const maxListedIds = 100;
const parallelChecks = 16;

export class RecordSyncs<F extends Fields> {
  readonly #table: TableClient;
  readonly #records: SearchableRecords<F>;
  readonly #options: SyncOptions;
  readonly #clock: Clock;

  /** @param table of the records */
  constructor(table: TableClient, records: SearchableRecords<F>, options: SyncOptions) {
    this.#table = table;
    this.#records = records;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Forgets those that began more than 30 days ago. */
  async begin(): Promise<{ readonly id: string; readonly startedAt: string }> {
    const id = randomUUID();
    const nowMs = this.#clock.now();
    const startedAt = new Date(nowMs).toISOString();
    const row: Row = { startedAt, state: 'open', approved: 0, deleted: 0, archived: 0 };
    await this.#table.createEntity({ partitionKey, rowKey: id, ...row });
    await this.#deleteRows(odata`startedAt lt ${new Date(nowMs - keptMs).toISOString()}`);
    return { id, startedAt };
  }

  /**
   * Notes that the system of record has these records.
   *
   * @throws ServiceError `sync_not_found`, or `sync_closed` after its end has begun
   */
  async see(syncId: string, ids: readonly string[]): Promise<void> {
    const { startedAt } = await this.#row(syncId);
    const digests = ids.map(digestOf).join('');
    const name = createHash('sha256').update(digests).digest('base64url').slice(0, 22);
    await this.#table.upsertEntity(
      { partitionKey, rowKey: `${syncId}!${name}`, startedAt, digests },
      'Replace',
    );
    // Read after the write: the end of the synchronization, which reads the ids after it has closed it, has these.
    const { state } = await this.#row(syncId);
    if (state === 'open') return;
    throw new ServiceError('sync_closed', {
      detail: 'The end of this synchronization has begun; begin another one.',
    });
  }

  /**
   * Removes the records that the synchronization has not seen and that nobody has written since its beginning, in steps of
   * bounded length: the next call continues, also after a crash.
   *
   * @param confirmed the number of records that a person has agreed to lose
   * @throws ServiceError `sync_not_found`, or `too_many_missing` if nothing was removed
   */
  async finish(syncId: string, confirmed?: number): Promise<SyncEnd> {
    const row = await this.#closed(syncId, confirmed);
    if (row.state === 'finished') return { isFinished: true, deleted: row.deleted, archived: row.archived };
    const { name, removalsPerStep } = this.#options;
    const isMissing = await this.#testOfMissing(syncId, row);
    let { deleted, archived } = row;
    let removed = 0;
    for await (const page of this.#records.scan()) {
      const removals = await inSlices(page.filter(isMissing), parallelChecks, ({ saved }) =>
        this.#removalOf(saved, row),
      );
      if (removals.length === 0) continue;
      if (deleted + archived + removals.length > row.approved) {
        throw new ServiceError('too_many_missing', {
          detail: `More ${name}s are missing than the ${row.approved} at the end of the synchronization. Begin another one.`,
          params: { missing: deleted + archived + removals.length },
        });
      }
      const outcomes = await this.#records.write(removals);
      deleted += outcomes.filter((outcome) => outcome === 'deleted').length;
      archived += outcomes.filter((outcome) => outcome === 'updated').length;
      await this.#save(syncId, { ...row, deleted, archived });
      removed += removals.length;
      if (removed >= removalsPerStep) return { isFinished: false, deleted, archived };
    }
    await this.#save(syncId, { ...row, state: 'finished', deleted, archived });
    // Only now: without these rows, everything is missing.
    await this.#deleteRows(odata`RowKey gt ${`${syncId}!`} and RowKey lt ${`${syncId}"`}`);
    return { isFinished: true, deleted, archived };
  }

  /** The row after batches are no longer accepted, because few enough records are missing or their number is confirmed. */
  #closed(syncId: string, confirmed: number | undefined): Promise<Row> {
    return untilSettled('synchronization', async () => {
      const { etag, ...row } = await this.#row(syncId);
      if (row.state !== 'open') return row;
      const isMissing = await this.#testOfMissing(syncId, row);
      let existing = 0;
      let missing = 0;
      const missingIds: string[] = [];
      for await (const page of this.#records.scan()) {
        existing += page.filter((record) => existedAt(row.startedAt, record)).length;
        const ids = page.filter(isMissing).map(({ saved }) => saved.id);
        missing += ids.length;
        for (const id of ids.slice(0, maxListedIds - missingIds.length)) missingIds.push(id);
      }
      const { name, maxMissingPercent } = this.#options;
      if (missing > (existing * maxMissingPercent) / 100 && missing !== confirmed) {
        throw new ServiceError('too_many_missing', {
          detail: `${missing} of ${existing} ${name}s are missing from the synchronization, more than ${maxMissingPercent} %. Nothing was removed. If they are to be removed, finish with "confirm": ${missing}.`,
          params: { missing, existing, maxPercent: maxMissingPercent },
          missing: { missing, missingIds },
        });
      }
      const closed: Row = { ...row, state: 'removing', approved: missing };
      const written = await conditionalWrite(
        this.#table.updateEntity({ partitionKey, rowKey: syncId, ...closed }, 'Replace', { etag }),
      );
      return written && closed;
    });
  }

  async #testOfMissing(syncId: string, { startedAt }: Row): Promise<(record: ScannedRecord<F>) => boolean> {
    const seen = new Set<string>();
    const filter = odata`PartitionKey eq ${partitionKey} and RowKey gt ${`${syncId}!`} and RowKey lt ${`${syncId}"`}`;
    const rows = this.#table.listEntities<{ digests: string }>({ queryOptions: { filter } });
    for await (const { digests } of rows) {
      for (let at = 0; at < digests.length; at += digestLength)
        seen.add(digests.slice(at, at + digestLength));
    }
    return (record) =>
      existedAt(startedAt, record) &&
      record.saved.updatedAt < startedAt &&
      !seen.has(digestOf(record.saved.id));
  }

  async #removalOf(saved: Saved<F>, { startedAt }: Row): Promise<Wanted<F>> {
    const { id } = saved;
    const isArchived = (await this.#options.isKept?.(id)) ?? false;
    return { id, record: isArchived ? saved : null, isArchived, unlessWrittenSince: startedAt };
  }

  async #row(syncId: string): Promise<Row & { readonly etag: string }> {
    const row = await orNullIfMissing(this.#table.getEntity<Row>(partitionKey, syncId));
    if (!row) {
      throw new ServiceError('sync_not_found', {
        detail: `There is no synchronization with the id ${syncId}.`,
      });
    }
    const { startedAt, state, approved, deleted, archived, etag } = row;
    return { startedAt, state, approved, deleted, archived, etag };
  }

  async #save(syncId: string, row: Row): Promise<void> {
    await this.#table.upsertEntity({ partitionKey, rowKey: syncId, ...row }, 'Replace');
  }

  async #deleteRows(condition: string): Promise<void> {
    const filter = `${odata`PartitionKey eq ${partitionKey}`} and ${condition}`;
    const rows = await Array.fromAsync(
      this.#table.listEntities({ queryOptions: { filter, select: ['PartitionKey', 'RowKey'] } }),
    );
    for (const some of slicesOf(rows, 100)) {
      const actions = some.map(({ rowKey = '' }): TransactionAction => ['delete', { partitionKey, rowKey }]);
      // Another call may have deleted some; the rest is found the next time.
      await conditionalWrite(this.#table.submitTransaction(actions));
    }
  }
}

const existedAt = <F>(time: string, { saved, createdAt }: ScannedRecord<F>): boolean =>
  !saved.isArchived && createdAt < time;

// A collision would keep one record too many: 1 in 10^5 for 50,000 records.
const digestOf = (id: string): string =>
  createHash('sha256').update(id).digest('base64url').slice(0, digestLength);

/**
 * Complete synchronizations of projects or contacts (docs/http-contract.md, "Synchronization"). The rows are in the partition
 * `~syncs` of the table of the records:
 *
 *   `<sync>`            when it began, and how far its end has come
 *   `<sync>!<digest>`   the ids in one batch, as digests
 *   `~last`             when the last one ended, and how long after the one before
 */
import { createHash, randomUUID } from 'node:crypto';
import type { TableClient, TransactionAction } from '@azure/data-tables';
import { ServiceError } from '../base/service-error.ts';
import { inSlices, slicesOf } from '../base/slices.ts';
import type { Clock } from '../contract/clock.ts';
import { conditionalWrite } from '../storage/conditional-write.ts';
import { orNullIfMissing } from '../storage/rejections.ts';
import { matchingRows, odata } from '../storage/table-rows.ts';
import { seenKeys } from './row-keys.ts';
import type { KnownRecords } from './known-records.ts';
import type { Fields, Outcome, Saved, SearchableRecords, Wanted } from './searchable-records.ts';

export interface SyncOptions {
  /** A synchronization that would remove more than this share of the records has to be confirmed. */
  readonly maxMissingPercent: number;
  /** Whether the record is archived instead of deleted. */
  readonly isKept?: (id: string) => Promise<boolean>;
  readonly removalsPerStep: number;
  readonly clock: Clock;
}

/** What the end of a synchronization has done so far. */
export interface SyncEnd {
  readonly isFinished: boolean;
  readonly deleted: number;
  readonly archived: number;
  /** How many records it did not contain and leaves as they are, because people have entered or imported them. */
  readonly others: number;
}

interface Row {
  /** ISO 8601. */
  readonly startedAt: string;
  /** Batches are accepted while it is open. Release 1.0.0 writes `finished`, and then removes the ids that were seen. */
  readonly state: 'open' | 'removing' | 'finished';
  /** How many records its end may remove. */
  readonly approved: number;
  readonly deleted: number;
  readonly archived: number;
}

type FoundRow = Row & { readonly etag: string };

interface LastRow {
  readonly syncId: string;
  /** ISO 8601. */
  readonly endedAt: string;
  readonly gapMs: number;
}

const partitionKey = '~syncs';
const lastKey = '~last';
const keptMs = 30 * 86_400_000;
// From Thursday's to Monday's, if they come at night on workdays and Friday's failed.
const maxSilenceMs = 4.5 * 86_400_000;
/** A weekly one may fail twice. */
const maxGaps = 3;
const digestLength = 8;
const maxListedIds = 100;
const parallelChecks = 16;
// Another process may write meanwhile; what it has written is then read again.
const knownForMs = 5 * 60_000;

export class RecordSyncs<F extends Fields> {
  readonly #table: TableClient;
  readonly #records: SearchableRecords<F>;
  readonly #options: SyncOptions;
  #known: {
    readonly syncId: string;
    readonly untilMs: number;
    readonly records: Promise<KnownRecords>;
  } | null = null;

  /** @param table of the records */
  constructor(table: TableClient, records: SearchableRecords<F>, options: SyncOptions) {
    this.#table = table;
    this.#records = records;
    this.#options = options;
  }

  /** Forgets those that began more than 30 days ago. */
  async begin(): Promise<{ readonly id: string; readonly startedAt: string }> {
    const id = randomUUID();
    const nowMs = this.#options.clock.now();
    const startedAt = new Date(nowMs).toISOString();
    const row: Row = { startedAt, state: 'open', approved: 0, deleted: 0, archived: 0 };
    await this.#table.createEntity({ partitionKey, rowKey: id, ...row });
    const forgotten = new Date(nowMs - keptMs).toISOString();
    const filter = odata`PartitionKey eq ${partitionKey} and startedAt lt ${forgotten}`;
    const rows = matchingRows(this.#table, filter, { select: ['PartitionKey', 'RowKey'] });
    for (const some of slicesOf(await Array.fromAsync(rows), 100)) {
      const actions = some.map(({ rowKey = '' }): TransactionAction => ['delete', { partitionKey, rowKey }]);
      // Another call may have deleted some; the rest is found the next time.
      await conditionalWrite(this.#table.submitTransaction(actions));
    }
    return { id, startedAt };
  }

  /**
   * What the records are, read once for the batches of the next minutes: an unchanged record then costs no request.
   *
   * @throws ServiceError `sync_not_found`
   */
  async knownFor(syncId: string): Promise<KnownRecords> {
    await this.#row(syncId);
    const nowMs = this.#options.clock.now();
    let known = this.#known;
    if (known?.syncId !== syncId || known.untilMs <= nowMs) {
      const forget = (records: KnownRecords): void => this.#records.forget(records);
      // A reading that has failed is of nothing.
      known?.records.then(forget, () => undefined);
      known = { syncId, untilMs: nowMs + knownForMs, records: this.#records.readKnown() };
      this.#known = known;
    }
    try {
      return await known.records;
    } catch (error) {
      // The next batch tries again.
      if (this.#known === known) this.#known = null;
      throw error;
    }
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
      { partitionKey, rowKey: seenKeys(syncId).of({ name }), startedAt, digests },
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
   * Removes the records that the synchronization has not seen and that nobody has written since its beginning, if they have
   * an external id or a synchronization has written them: people have entered or imported the others. In steps of bounded
   * length: the next call continues, also after a crash.
   *
   * @param confirmed the number of records that a person has agreed to lose
   * @throws ServiceError `sync_not_found`, or `too_many_missing` if nothing was removed
   */
  async finish(syncId: string, confirmed?: number): Promise<SyncEnd> {
    const row = await this.#row(syncId);
    if (row.state === 'finished') {
      return { isFinished: true, deleted: row.deleted, archived: row.archived, others: 0 };
    }
    if (row.state === 'open') {
      await this.#close(syncId, row, confirmed);
      // Reads once more, because a batch may have been accepted in between.
      return this.finish(syncId);
    }
    const end = await this.#removeSome(syncId, row);
    if (end.isFinished) await this.#noteEnd(syncId);
    return end;
  }

  /** For how long none has ended, and whether that is longer than usual. Nothing is expected before the first. */
  async silence(): Promise<{ readonly silentMs: number; readonly isOverdue: boolean }> {
    const last = await this.#last();
    if (!last) return { silentMs: 0, isOverdue: false };
    const silentMs = this.#options.clock.now() - Date.parse(last.endedAt);
    return { silentMs, isOverdue: silentMs > Math.max(maxSilenceMs, maxGaps * last.gapMs) };
  }

  async #noteEnd(syncId: string): Promise<void> {
    const last = await this.#last();
    // Its end may be called again.
    if (last?.syncId === syncId) return;
    const nowMs = this.#options.clock.now();
    const gapMs = last ? nowMs - Date.parse(last.endedAt) : 0;
    const row: LastRow = { syncId, endedAt: new Date(nowMs).toISOString(), gapMs };
    await this.#table.upsertEntity({ partitionKey, rowKey: lastKey, ...row }, 'Replace');
  }

  #last(): Promise<LastRow | null> {
    return orNullIfMissing(this.#table.getEntity<LastRow>(partitionKey, lastKey));
  }

  /** From here on, its batches are rejected. @throws ServiceError `too_many_missing` */
  async #close(syncId: string, row: FoundRow, confirmed: number | undefined): Promise<void> {
    const { existing, missing, others } = await this.#missing(syncId, row);
    const { maxMissingPercent } = this.#options;
    const { name } = this.#records.kind;
    const isTooMany = missing.length > (existing * maxMissingPercent) / 100;
    if (isTooMany && missing.length !== confirmed) {
      throw new ServiceError('too_many_missing', {
        detail: `${missing.length} of ${existing} ${name}s are missing from the synchronization, more than ${maxMissingPercent} %. Nothing was removed. ${others} others, which were entered or imported, stay. If they are to be removed, finish with "confirm": ${missing.length}.`,
        params: { missing: missing.length, existing, maxPercent: maxMissingPercent },
        members: {
          missing: missing.length,
          missingIds: missing.slice(0, maxListedIds).map(({ id }) => id),
          others,
        },
      });
    }
    const closed = { partitionKey, rowKey: syncId, state: 'removing', approved: missing.length };
    await conditionalWrite(this.#table.updateEntity(closed, 'Merge', { etag: row.etag }));
  }

  async #removeSome(syncId: string, row: FoundRow): Promise<SyncEnd> {
    const { missing, others } = await this.#missing(syncId, row);
    const { name } = this.#records.kind;
    const removed = row.deleted + row.archived;
    if (removed + missing.length > row.approved) {
      throw new ServiceError('too_many_missing', {
        detail: `More ${name}s are missing than the ${row.approved} at the end of the synchronization. Begin another one.`,
        params: { missing: removed + missing.length },
      });
    }
    const step = missing.slice(0, this.#options.removalsPerStep);
    const removals = await inSlices(step, parallelChecks, (saved) => this.#removalOf(saved, row));
    const outcomes = await this.#records.write(removals);
    const countOf = (outcome: Outcome): number => outcomes.filter((each) => each === outcome).length;
    const deleted = row.deleted + countOf('deleted');
    const archived = row.archived + countOf('updated');
    await this.#table.updateEntity({ partitionKey, rowKey: syncId, deleted, archived }, 'Merge');
    return { isFinished: step.length === missing.length, deleted, archived, others };
  }

  /**
   * Of the records that existed at the beginning and that synchronizations maintain: how many there are, and which are
   * missing. Of the others: how many are missing.
   */
  async #missing(syncId: string, { startedAt }: Row) {
    const seen = await this.#seen(syncId);
    let existing = 0;
    let others = 0;
    const missing: Saved<F>[] = [];
    for await (const page of this.#records.scan()) {
      for (const { saved, createdAt, isSynchronized } of page) {
        if (saved.isArchived || createdAt >= startedAt) continue;
        const isMaintained = isSynchronized || saved.externalId !== null;
        const isMissing = saved.updatedAt < startedAt && !seen.has(digestOf(saved.id));
        if (isMaintained) {
          existing += 1;
          if (isMissing) missing.push(saved);
        } else if (isMissing) {
          others += 1;
        }
      }
    }
    return { existing, missing, others };
  }

  async #seen(syncId: string): Promise<ReadonlySet<string>> {
    const seen = new Set<string>();
    const { from, to } = seenKeys(syncId).all;
    const filter = odata`PartitionKey eq ${partitionKey} and RowKey gt ${from} and RowKey lt ${to}`;
    const rows = matchingRows<{ digests: string }>(this.#table, filter);
    for await (const { digests } of rows) {
      for (let at = 0; at < digests.length; at += digestLength)
        seen.add(digests.slice(at, at + digestLength));
    }
    return seen;
  }

  async #removalOf(saved: Saved<F>, { startedAt }: Row): Promise<Wanted<F>> {
    const { id } = saved;
    const isArchived = (await this.#options.isKept?.(id)) ?? false;
    return { id, record: isArchived ? saved : null, isArchived, unlessWrittenSince: startedAt };
  }

  async #row(syncId: string): Promise<FoundRow> {
    const row = await orNullIfMissing(this.#table.getEntity<Row>(partitionKey, syncId));
    if (row) return row;
    throw new ServiceError('sync_not_found', {
      detail: `There is no synchronization with the id ${syncId}.`,
    });
  }
}

// A collision would keep one record too many: 1 in 10^5 for 50,000 records.
const digestOf = (id: string): string =>
  createHash('sha256').update(id).digest('base64url').slice(0, digestLength);

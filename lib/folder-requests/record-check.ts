import type { EventLog } from '../base/event-log.ts';
import { inSlices } from '../base/slices.ts';
import { idAtPlace } from './requests/request-id.ts';
import type { KeyRange } from '../storage/row-keys.ts';
import { after, idOfKey, rowKeys } from './table/keys.ts';
import type { QueueParts } from './table/queue-parts.ts';
import { indexedIn, isSameContent, pointersTo, recordColumns, recordOf, type Entity } from './table/rows.ts';
import { isConsistent, isSettled, settle } from './table/settle.ts';

// The records of an office's year, and of them all that are live or have failed. A run reads at most 5,000 rows: with those of
// the rest of maintenance, a twentieth of what a partition serves in the minute.
const recordsOfRun = 1000;
const rowsOfRun = 200;
// Pointers are point reads: a run compares those of every tenth record, of at most so many.
const pointersEvery = 10;
const pointersOfRun = 20;
// Point reads, and repairs of about eight storage requests each.
const parallel = 16;

/** A request to settle, and the keys of rows that have been met. */
type Due = readonly [id: string, met: readonly string[]];

/** Index rows that are not sorted by id. */
const elsewhere = [rowKeys.leased, rowKeys.lane, rowKeys.retry];
const oldestId = idAtPlace('f'.repeat(32));

/** Ranges that a run continues where the last one has ended, and begins again at the end. */
class Turn {
  #reached: string | undefined;
  readonly #all: KeyRange;

  constructor(all: KeyRange) {
    this.#all = all;
  }

  /** The last key of the run before; undefined at the beginning. */
  get reached(): string | undefined {
    return this.#reached;
  }

  get range(): KeyRange {
    return { from: this.#reached === undefined ? this.#all.from : after(this.#reached), to: this.#all.to };
  }

  note({ rows, mayHaveMore }: { readonly rows: readonly Entity[]; readonly mayHaveMore: boolean }): void {
    this.#reached = mayHaveMore ? rows.at(-1)?.rowKey : undefined;
  }
}

/**
 * Finds requests whose rows are not what their record says, because somebody has edited or deleted some. Each run compares the
 * next records with the rows of the same ids, and the next of the rows that wait, are leased, or have failed with their records.
 */
export class RecordCheck {
  readonly #partition: string;
  readonly #records = new Turn(rowKeys.record.all);
  // Leases and waiting requests are adjacent.
  readonly #live = new Turn({ from: rowKeys.leased.all.from, to: rowKeys.waiting.all.to });
  readonly #failed = new Turn(rowKeys.failed.all);
  readonly #pointers: 'some' | 'all';
  #runs = 0;

  /** @param pointers of how many requests the rows by requester and project are compared */
  constructor(partition: string, pointers: 'some' | 'all' = 'some') {
    this.#partition = partition;
    this.#pointers = pointers;
  }

  async run(parts: QueueParts, log: EventLog): Promise<void> {
    const byRecord = await this.#ofRecords(parts);
    const byRows = byRecord.isAll
      ? []
      : await Promise.all([this.#live, this.#failed].map((turn) => this.#ofRows(parts, turn)));
    await settleDue(parts, [...byRecord.due, ...byRows.flat()], log);
  }

  /**
   * Of all requests, once, for an operator who does not wait for their turn.
   *
   * @returns how many records there are
   */
  async runAll(parts: QueueParts, log: EventLog): Promise<number> {
    let count = 0;
    do {
      const { due, compared } = await this.#ofRecords(parts);
      count += compared;
      await settleDue(parts, due, log);
    } while (this.#records.reached !== undefined);
    const others = [new Turn(rowKeys.lane.all), new Turn(rowKeys.retry.all)];
    for (const turn of [this.#live, this.#failed, ...others]) {
      do await settleDue(parts, await this.#ofRows(parts, turn), log);
      while (turn.reached !== undefined);
    }
    return count;
  }

  /** The next records that differ from their rows, and rows between them that have none. */
  async #ofRecords({ table }: QueueParts): Promise<{
    readonly due: readonly Due[];
    readonly compared: number;
    readonly isAll: boolean;
  }> {
    const partition = this.#partition;
    const { reached, range } = this.#records;
    const page = await table.rows({ partition, ...range, limit: recordsOfRun, select: recordColumns });
    this.#records.note(page);
    const isAll = reached === undefined && !page.mayHaveMore;
    const last = page.mayHaveMore ? page.rows.at(-1)?.rowKey : undefined;
    // Of the last record of the run before: its rows are not read again.
    const before = reached === undefined ? undefined : idOfKey(reached);
    const oldest = (last !== undefined && idOfKey(last)) || oldestId;
    const read = (range: KeyRange) => table.rows({ partition, ...range, limit: 2 * recordsOfRun });
    const ended = (kind: typeof rowKeys.failed): KeyRange => ({
      from: before === undefined ? kind.all.from : after(kind.of({ id: before })),
      to: after(kind.of({ id: oldest })),
    });
    const index = await Promise.all([
      // Of all, with the leases before them.
      read({
        from: isAll ? rowKeys.leased.all.from : rowKeys.waiting.startOf({ id: oldest }),
        to: before === undefined ? rowKeys.waiting.all.to : rowKeys.waiting.startOf({ id: before }),
      }),
      read(ended(rowKeys.failed)),
      read(ended(rowKeys.fulfilled)),
    ]);
    const rowsOf = Map.groupBy(
      index.flatMap(({ rows }) => rows),
      ({ rowKey }) => idOfKey(rowKey) ?? '',
    );
    const records = new Map(page.rows.map((row) => [idOfKey(row.rowKey) ?? '', recordOf(row)]));
    this.#runs += 1;
    const ids = [...new Set([...records.keys(), ...rowsOf.keys()])];
    const every = Math.max(pointersEvery, Math.ceil(ids.length / pointersOfRun));
    const due = await inSlices([...ids.entries()], parallel, async ([at, id]): Promise<readonly Due[]> => {
      const record = records.get(id);
      const isWithPointers = this.#pointers === 'all' || at % every === this.#runs % every;
      const others = new Map((rowsOf.get(id) ?? []).map((row) => [row.rowKey, row]));
      const keys = record?.keys.filter((key) => elsewhere.some((kind) => kind.has(key))) ?? [];
      const pointers = record && isWithPointers ? pointersTo(record.request) : [];
      for (const key of [...keys, ...pointers]) {
        const row = others.has(key) ? undefined : await table.row(partition, key);
        if (row) others.set(key, row);
      }
      return isConsistent({ record, others }, isWithPointers) ? [] : [[id, [...others.keys()]]];
    });
    return { due: due.flat(), compared: records.size, isAll };
  }

  /** The next rows that differ from their records. */
  async #ofRows({ table }: QueueParts, turn: Turn): Promise<readonly Due[]> {
    const page = await table.rows({ partition: this.#partition, ...turn.range, limit: rowsOfRun });
    turn.note(page);
    const due = await inSlices(page.rows, parallel, async (row): Promise<readonly Due[]> => {
      const id = idOfKey(row.rowKey);
      if (id === undefined) return [];
      const record = await table.record(id, recordColumns);
      return record && isSettled(record) && isSameContent(indexedIn(row), record) ? [] : [[id, [row.rowKey]]];
    });
    return due.flat();
  }
}

async function settleDue(parts: QueueParts, due: readonly Due[], log: EventLog): Promise<void> {
  await inSlices([...new Map(due)], parallel, ([id, met]) => settle(parts, id, log, met));
}

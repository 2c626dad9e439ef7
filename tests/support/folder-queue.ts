import { isDeepStrictEqual } from 'node:util';
import type { TableClient } from '@azure/data-tables';
import type { Clock } from '../../lib/contract/clock.ts';
import type { ClaimedFolderRequest } from '../../lib/contract/folder-requests.ts';
import { FolderRequestQueue } from '../../lib/folder-requests/folder-request-queue.ts';
import type { QueueRules } from '../../lib/folder-requests/table/queue-parts.ts';
import type { RandomBytes } from '../../lib/folder-requests/requests/request-id.ts';
import { indexedIn, pointedIn, recordOf, type Entity } from '../../lib/folder-requests/table/rows.ts';
import type { EventFields, EventLog } from '../../lib/base/event-log.ts';
import type { SharedClock } from '../../lib/storage/storage-clock.ts';
import { VirtualClock } from './virtual-clock.ts';

/** Returns the same numbers in [0, 1) for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function seededBytes(seed: number): RandomBytes {
  const random = seededRandom(seed);
  return (size) => Uint8Array.from({ length: size }, () => Math.floor(random() * 256));
}

export interface LoggedEvent {
  readonly level: 'info' | 'warn' | 'error';
  readonly event: string;
  readonly fields: EventFields;
}

/** Records the log. */
export class RecordedLog implements EventLog {
  readonly events: LoggedEvent[] = [];
  info(event: string, fields: EventFields = {}): void {
    this.events.push({ level: 'info', event, fields });
  }
  warn(event: string, fields: EventFields = {}): void {
    this.events.push({ level: 'warn', event, fields });
  }
  error(event: string, fields: EventFields = {}): void {
    this.events.push({ level: 'error', event, fields });
  }
  named(event: string): readonly LoggedEvent[] {
    return this.events.filter((logged) => logged.event === event);
  }
}

/**
 * A clock whose waits, the pauses between attempts, end immediately and take no time. The times in the table are then
 * the same with and without faults.
 */
export class PauselessClock extends VirtualClock {
  override async wait(ms: number): Promise<void> {
    this.waits.push(ms);
  }
}

export const defaultRules: QueueRules = {
  shards: 1,
  leaseMs: 300_000,
  maxExpiredLeases: 5,
  // High, because a busy machine is not an outage of the storage.
  callTimeoutMs: 60_000,
};

/** A clock that needs no witnesses. */
export const certain = (clock: Clock): SharedClock => ({
  steady: clock,
  now: () => clock.now(),
  wait: (ms, signal) => clock.wait(ms, signal),
  certainNow: async () => clock.now(),
});

/** The queue of one instance of the service. Each instance needs a different seed. */
export function openQueue(
  client: TableClient,
  { rules = {}, clock, seed }: { rules?: Partial<QueueRules> | undefined; clock: Clock; seed: number },
): FolderRequestQueue {
  return new FolderRequestQueue(
    client,
    { ...defaultRules, ...rules },
    { clock: certain(clock), randomBytes: seededBytes(seed) },
  );
}

/** What a claim returns, or null. */
export async function claimFrom(
  queue: FolderRequestQueue,
  ...call: Parameters<FolderRequestQueue['claim']>
): Promise<ClaimedFolderRequest | null> {
  const result = await queue.claim(...call);
  return 'claimed' in result ? result.claimed : null;
}

export const agent = (id: string): { id: string; logName: string } => ({ id, logName: id });

export async function allRows(client: TableClient): Promise<Entity[]> {
  const rows: Entity[] = [];
  for await (const row of client.listEntities<Entity>()) rows.push(row);
  return rows;
}

/**
 * The invariants of the table: each record has exactly the index rows that it names (two while PENDING, or FAILED and tried again, otherwise one), which
 * have the same content and name each other, and there are no other rows.
 *
 * @param handEdited ids of records that were changed by hand since the last maintenance: their status may differ
 */
export function faultsOfTable(
  rows: readonly Entity[],
  handEdited: ReadonlySet<string> = new Set(),
): string[] {
  const faults: string[] = [];
  const ofKind = (kind: RegExp): Entity[] => rows.filter((row) => kind.test(row.rowKey));
  const records = new Map(ofKind(/^J_/).map((row) => [String(row['id']), row]));
  const indexRows = Map.groupBy(ofKind(/^[QWPFDR]_/), (row) => String(row['id']));
  const keys = ofKind(/^K_/);
  const meta = rows.filter((row) => row.partitionKey === 'fr-meta');
  const outcomes = ofKind(/^(E_\d{15}(_\.\d+|_[\da-f-]{36}_\d+)?|O_\d{15}_[\da-f]{32}_\d+)$/);
  const pointers = ofKind(/^B_/);
  for (const pointer of pointers) {
    const record = records.get(String(pointer['id']));
    if (!record || !String(record['other_rows']).split(' ').includes(pointer.rowKey))
      faults.push(`${pointer.rowKey} belongs to no record`);
    else if (
      !handEdited.has(String(pointer['id'])) &&
      !isDeepStrictEqual(pointedIn(pointer), recordOf(record).request)
    )
      faults.push(`${pointer.rowKey} does not show what its record says`);
  }
  const known =
    records.size +
    pointers.length +
    [...indexRows.values()].flat().length +
    keys.length +
    meta.length +
    outcomes.length;
  if (known !== rows.length)
    faults.push(`${rows.length - known} rows of no known kind, or records with the same id`);
  for (const [id, rows] of indexRows) {
    if (!records.has(id)) faults.push(`${id}: index row ${rows[0]?.rowKey} without a record`);
  }
  for (const key of keys) {
    if (!records.has(String(key['id']))) faults.push(`${key.rowKey} leads to no record`);
  }
  for (const [id, entity] of records) {
    const { request, keys } = recordOf(entity);
    const rows = indexRows.get(id) ?? [];
    const found = rows.map(({ rowKey }) => rowKey).toSorted();
    if (!isDeepStrictEqual(found, keys.toSorted())) {
      faults.push(`${id}: the record names ${keys.join(' ')}, but there are ${found.join(' ')}`);
      continue;
    }
    for (const row of rows) {
      const indexed = indexedIn(row);
      if (row.partitionKey !== entity.partitionKey) faults.push(`${id}: in two partitions`);
      if (!isDeepStrictEqual(indexed.keys.toSorted(), found))
        faults.push(`${row.rowKey} names ${indexed.keys.join(' ')}`);
      const expected = request.status === 'PENDING' || request.retryAtMs !== null ? 2 : 1;
      if (handEdited.has(id)) continue;
      if (found.length !== expected) faults.push(`${id}: ${found.length} index rows while ${request.status}`);
      if (!isDeepStrictEqual(request, indexed.request)) {
        faults.push(
          `${id}: record and index differ: ${JSON.stringify(request)} / ${JSON.stringify(indexed.request)}`,
        );
      }
    }
  }
  return faults;
}

/**
 * The codec of the keys of all rows of the queue. A key is a prefix and fields, joined by `_`; each field sorts as its value
 * does, inverted ones the other way, so a range of values is a range of keys. No other file knows the form of a key.
 */
import { createHash } from 'node:crypto';
import type { ClaimRouting } from '../../contract/folder-requests.ts';
import {
  endOf,
  keyKind,
  newestFirstField,
  textField,
  timeField,
  type Field,
  type KeyRange,
} from '../../storage/row-keys.ts';
import { idAtPlace, invertedId, shardOf } from '../requests/request-id.ts';
import { lanesServedBy } from '../requests/routing.ts';

const text = textField;
/** 15 digits hold any time until the year 33658. */
const time = timeField(15);

/** Sorts before every id. */
const place: Field<number> = {
  form: /\.\d{1,4}/,
  write: (value) => `.${value}`,
  read: (text) => Number(text.slice(1)),
};
const count: Field<number> = { form: /\d{1,10}/, write: String, read: Number };
/** Differs with every transition; 1.0 has written attempts and expired leases. */
const turn = text(/\d{1,10}(?:\.\d{1,10})?/);
const id = text(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/);
const newestFirst = {
  id: { form: /[0-9a-f]{32}/, write: invertedId, read: idAtPlace } satisfies Field<string>,
  time: newestFirstField(15),
};
/** Of a lane; see routing.ts. */
const lane = text(/[a-z0-9.=-]+/);

export { endOf };

export const rowKeys = {
  record: keyKind('J_', { id: newestFirst.id }),
  /** A request that waits, in the queue of all. */
  waiting: keyKind('Q_', { id, turn }),
  /** A request that waits, in the queue of its lane. */
  lane: keyKind('W_', { lane, id, turn }),
  leased: keyKind('P_', { leaseExpiresAtMs: time, id, turn }),
  failed: keyKind('F_', { id: newestFirst.id }),
  /** A FAILED request that is tried again by itself. */
  retry: keyKind('R_', { dueMs: time, id, turn }),
  fulfilled: keyKind('D_', { id: newestFirst.id }),
  /** A pointer to a request, by its requester or its project. */
  pointer: keyKind('B_', { belonging: text(/[0-9a-f]{32}/), id: newestFirst.id }),
  idempotency: keyKind('K_', { digest: text(/[0-9a-f]{64}/) }),
  /** Counts the outcomes of an hour. */
  counter: keyKind('E_', { hourMs: time }),
  /** Counts further outcomes of an hour, when the counters before are full. */
  furtherCounter: keyKind('E_', { hourMs: time, place }),
  /** An outcome that its counter does not contain yet. */
  uncounted: keyKind('E_', { hourMs: time, id, attempts: count }),
  /** An outcome that its counter contains. */
  counted: keyKind('O_', { hourMs: newestFirst.time, id: newestFirst.id, attempts: count }),
};

export type KeyKindName = keyof typeof rowKeys;

const kindsByPrefix = Map.groupBy(Object.keys(rowKeys) as KeyKindName[], (kind) => rowKeys[kind].prefix);

/** Which kind of row has this key; undefined for one that the service never writes. */
export const kindOfKey = (rowKey: string): KeyKindName | undefined =>
  kindsByPrefix
    .get(rowKey.slice(0, rowKey.indexOf('_') + 1))
    ?.find((kind) => rowKeys[kind].parse(rowKey) !== undefined);

/** The request that a row with this key belongs to; undefined for one of another kind. */
export function idOfKey(rowKey: string): string | undefined {
  const kind = kindOfKey(rowKey);
  const values = kind && rowKeys[kind].parse(rowKey);
  return values && 'id' in values ? values.id : undefined;
}

/** The keys behind this one. */
export const after = (rowKey: string): string => `${rowKey}~`;

export const partitionOfShard = (shard: number): string => `fr-${shard.toString(16)}`;
export const partitionOf = (requestId: string): string => partitionOfShard(shardOf(requestId));

/** The row that has what all instances know about the table. */
export const metaRow = { partitionKey: 'fr-meta', rowKey: 'M' };

/** What a request can be listed by, besides its status and its agent: the value of `belonging` in the keys of its pointers. */
export function belongingOf(belonging: {
  readonly [Name in 'requestedBy' | 'projectId']?: string | undefined;
}): string {
  return createHash('sha256').update(JSON.stringify(belonging)).digest('hex').slice(0, 32);
}

/** The ranges of the waiting requests that agents with these routings can serve, in the order of their keys. */
export function laneRanges(routings: Iterable<ClaimRouting>): readonly KeyRange[] {
  const ranges = new Map<string, KeyRange>();
  const add = (from: string, to: string): void => void ranges.set(from, { from, to });
  for (const { lane, isWithDomains } of [...routings].flatMap(lanesServedBy)) {
    const { from, to } = rowKeys.lane.within({ lane });
    add(from, to);
    const start = rowKeys.lane.startOf({ lane });
    // `/`, which no key has, follows `.`.
    if (isWithDomains) add(`${start}.`, `${start}/`);
  }
  return [...ranges.values()].toSorted((one, other) => (one.from < other.from ? -1 : 1));
}

export function overlap(one: KeyRange, other: KeyRange): KeyRange | undefined {
  const from = one.from > other.from ? one.from : other.from;
  const to = one.to < other.to ? one.to : other.to;
  return from < to ? { from, to } : undefined;
}

/** The end of the lane that this row is in. */
export const endOfLane = (rowKey: string): string =>
  `${rowKey.slice(0, rowKey.indexOf('_', rowKeys.lane.prefix.length))}\``;

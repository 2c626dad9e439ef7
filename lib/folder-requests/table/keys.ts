/**
 * The codec of the keys of all rows of the queue. A key is a prefix and fields, joined by `_`; each field sorts as its value
 * does, inverted ones the other way, so a range of values is a range of keys. No other file knows the form of a key.
 */
import { createHash } from 'node:crypto';
import type { ClaimRouting } from '../../contract/folder-requests.ts';
import { idAtPlace, invertedId, shardOf } from '../requests/request-id.ts';
import { lanesServedBy } from '../requests/routing.ts';

/** A range of row keys, `from` included, `to` excluded. */
export interface KeyRange {
  readonly from: string;
  readonly to: string;
}

interface Field<Value> {
  readonly form: RegExp;
  write(value: Value): string;
  read(text: string): Value;
}

const text = (form: RegExp): Field<string> => ({ form, write: (value) => value, read: (value) => value });

/** 15 digits hold any time until the year 33658. */
const padTime = (ms: number): string => String(Math.trunc(ms)).padStart(15, '0');
const longestTime = 10 ** 15 - 1;

/** Sorts before every id. */
const place: Field<number> = {
  form: /\.\d{1,4}/,
  write: (value) => `.${value}`,
  read: (text) => Number(text.slice(1)),
};
const count: Field<number> = { form: /\d{1,10}/, write: String, read: Number };
/** Differs with every transition; 1.0 has written attempts and expired leases. */
const turn = text(/\d{1,10}(?:\.\d{1,10})?/);
const time: Field<number> = { form: /\d{15}/, write: padTime, read: Number };
const id = text(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/);
const newestFirst = {
  id: { form: /[0-9a-f]{32}/, write: invertedId, read: idAtPlace } satisfies Field<string>,
  time: {
    form: /\d{15}/,
    write: (ms) => padTime(longestTime - ms),
    read: (digits) => longestTime - Number(digits),
  } satisfies Field<number>,
};
/** Of a lane; see routing.ts. */
const lane = text(/[a-z0-9.=-]+/);

// The values of the fields differ.
type Fields = Readonly<Record<string, Field<any>>>;
type Values<F extends Fields> = {
  readonly [Name in keyof F]: F[Name] extends Field<infer Value> ? Value : never;
};

interface KeyKind<F extends Fields> {
  readonly prefix: string;
  /** All keys with this prefix. */
  readonly all: KeyRange;
  of(values: Values<F>): string;
  /** The beginning of the keys with these values of the first fields. */
  startOf(values: Partial<Values<F>>): string;
  /** All keys with these values of the first fields. */
  within(values: Partial<Values<F>>): KeyRange;
  /** The values of a key of exactly this form. */
  parse(rowKey: string): Values<F> | undefined;
  has(rowKey: string): boolean;
}

function keyKind<F extends Fields>(prefix: string, fields: F): KeyKind<F> {
  const names = Object.keys(fields) as (keyof F & string)[];
  const forms = names.map((name) => `(${fields[name]?.form.source})`);
  const form = new RegExp(`^${prefix}${forms.join('_')}$`);
  const startOf = (values: Partial<Values<F>>): string => {
    const given = names.filter((name) => values[name] !== undefined);
    return prefix + given.map((name) => fields[name]?.write(values[name])).join('_');
  };
  const parse = (rowKey: string): Values<F> | undefined => {
    const found = form.exec(rowKey)?.slice(1);
    if (!found) return undefined;
    const values = names.map((name, at) => [name, fields[name]?.read(found[at] ?? '')]);
    return Object.fromEntries(values) as Values<F>;
  };
  return {
    prefix,
    all: rangeOf(prefix),
    of: startOf,
    startOf,
    within: (values) => rangeOf(`${startOf(values)}_`),
    parse,
    has: (rowKey) => rowKey.startsWith(prefix),
  };
}

/** `_` is followed by `` ` `` in ASCII: the end of every range with a prefix. */
export const endOf = (prefix: string): string => `${prefix.slice(0, -1)}\``;

const rangeOf = (prefix: string): KeyRange => ({ from: prefix, to: endOf(prefix) });

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

/** Which kind of row has this key; undefined for one that the service never writes. */
export const kindOfKey = (rowKey: string): KeyKindName | undefined =>
  (Object.keys(rowKeys) as KeyKindName[]).find((kind) => rowKeys[kind].parse(rowKey) !== undefined);

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

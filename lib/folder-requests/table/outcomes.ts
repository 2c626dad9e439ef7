/**
 * The outcomes of requests by hour, in three kinds of rows in the partition of the requests: counters, an outcome that none
 * contains yet, and one that they contain, by which a list finds the requests of an hour. The timer adds an outcome to the last
 * counter of its hour and replaces its row in one transaction. A transition inserts the second kind because 50 writers on one counter measured 17.6 rejected writes for
 * each successful one.
 */
import { createHash } from 'node:crypto';
import type { TransactionAction } from '@azure/data-tables';
import * as z from 'zod';
import { slicesOf } from '../../base/slices.ts';
import { valueOfJson } from '../../contract/json.ts';
import type { FolderRequestStatus } from '../../contract/folder-requests.ts';
import type { StoredFolderRequest } from '../requests/folder-request.ts';
import { after as behind, partitionOf, rowKeys } from './keys.ts';
import type { QueueTable } from './queue-table.ts';
import type { Entity } from './rows.ts';

export interface Outcomes {
  readonly fulfilled: number;
  readonly failed: number;
}

/** Outcomes of one hour. */
export interface HourOutcomes extends Outcomes {
  readonly byAgent: ReadonlyMap<string, Outcomes>;
}

export const hourMs = 3_600_000;
export const hourOf = (ms: number): number => ms - (ms % hourMs);

// The longest range of statistics, and a day more. Older counters stay: 24 small rows a day that nobody reads.
const shownMs = 8 * 24 * hourMs;
const maxActions = 100;
// Besides the counter, two actions for each outcome.
const maxCounted = 49;
// An agent takes up to 35 of the 32,768 characters of a property. The next outcomes are in a further counter.
const maxAgents = 800;
// A million a day are 700 a minute.
const maxDeleted = 1000;
// 40 transactions per shard and minute keep up with 32 outcomes a second, more than a shard can produce.
const maxCountings = 40;

/** The first counter of an hour, and the beginning of the keys of the others and of its uncounted outcomes. */
const keyOfHour = (hourMs: number): string => rowKeys.counter.of({ hourMs });
const counterIn = (rowKey: string): { readonly hourMs: number } | undefined =>
  rowKeys.counter.parse(rowKey) ?? rowKeys.furtherCounter.parse(rowKey);
const hourOfKey = (rowKey: string): number =>
  (counterIn(rowKey) ?? rowKeys.uncounted.parse(rowKey))?.hourMs ?? 0;
export const isCounterKey = (rowKey: string): boolean => counterIn(rowKey) !== undefined;
const isCounter = ({ rowKey }: Entity): boolean => isCounterKey(rowKey);

/** Represents an agent in these rows, since its id may contain any character and may be its API key. */
export const agentKeyOf = (agentId: string): string =>
  createHash('sha256').update(agentId).digest('hex').slice(0, 16);

/** What the transaction of a transition adds: a row if the request has ended, otherwise nothing. */
export function outcomeActions(request: StoredFolderRequest): TransactionAction[] {
  const { id, status, agentId, attempts, processedAtMs } = request;
  if (!hasEnded(status) || processedAtMs === null) return [];
  return [
    [
      // Not `create`: an operator may have reset `attempts`, and a report must not fail because of a statistic.
      'upsert',
      {
        partitionKey: partitionOf(id),
        rowKey: rowKeys.uncounted.of({ hourMs: hourOf(processedAtMs), id, attempts }),
        outcome: status,
        agent: agentId === null ? '' : agentKeyOf(agentId),
        at: new Date(processedAtMs),
      },
      'Replace',
    ],
  ];
}

/** A new status of the contract must be assigned here: one that is not would be left out of the statistics. */
function hasEnded(status: FolderRequestStatus): boolean {
  switch (status) {
    case 'FULFILLED':
    case 'FAILED':
      return true;
    case 'PENDING':
    case 'PROCESSING':
      return false;
    default:
      return status satisfies never;
  }
}

/** By the start of the hour. */
export function outcomesOf(rows: readonly Entity[]): Map<number, HourOutcomes> {
  const hours = new Map<number, HourOutcomes>();
  for (const row of rows) {
    const hour = hourOfKey(row.rowKey);
    const before = hours.get(hour);
    hours.set(hour, isCounter(row) ? sumOf(before, countedIn(row)) : withOutcome(before, row));
  }
  return hours;
}

export function sumOf(one: HourOutcomes = none, other: HourOutcomes = none): HourOutcomes {
  const byAgent = new Map(one.byAgent);
  for (const [agent, outcomes] of other.byAgent) byAgent.set(agent, plus(byAgent.get(agent), outcomes));
  return { ...plus(one, other), byAgent };
}

/** Counts the uncounted outcomes of the hours that statistics show. */
export async function countOutcomes(table: QueueTable, partition: string, nowMs: number): Promise<void> {
  let from = keyOfHour(hourOf(nowMs - shownMs));
  let isAnyCounted = false;
  for (let counting = 0; counting < maxCountings; counting += 1) {
    const { rows, mayHaveMore } = await table.rows({
      partition,
      from,
      to: rowKeys.uncounted.all.to,
      limit: 1000,
    });
    const uncounted = rows.filter((row) => !isCounter(row));
    if (uncounted.length === 0 && mayHaveMore) {
      from = keyOfHour(hourOfKey(rows.at(-1)?.rowKey ?? ''));
      continue;
    }
    if (uncounted.length === 0) break;
    const hour = hourOfKey(uncounted[0]?.rowKey ?? '');
    const some = uncounted.filter(({ rowKey }) => hourOfKey(rowKey) === hour).slice(0, maxCounted);
    const counter = rows.findLast((row) => isCounter(row) && hourOfKey(row.rowKey) === hour);
    const replacements = some.flatMap((row): TransactionAction[] => {
      const { outcome, at } = row;
      const rowKey = rowKeys.counted.prefix + placeOfOutcome(row);
      return [
        ['delete', { partitionKey: partition, rowKey: row.rowKey }],
        ['upsert', { partitionKey: partition, rowKey, outcome, at }, 'Replace'],
      ];
    });
    // If the response is lost, the next round reads whether it was written.
    const isWritten = await table.commit(
      [counterAction(partition, hour, counter, some), ...replacements],
      () => Promise.resolve(false),
    );
    isAnyCounted ||= isWritten;
    if (isWritten && some.length === uncounted.length && !mayHaveMore) break;
  }
  if (isAnyCounted) await deleteOld(table, partition, nowMs);
}

/** The rows of outcomes that no statistics show. */
async function deleteOld(table: QueueTable, partition: string, nowMs: number): Promise<void> {
  const from = rowKeys.counted.startOf({ hourMs: hourOf(nowMs - shownMs) - 1 });
  const { rows } = await table.rows({
    partition,
    ...rowKeys.counted.all,
    from,
    limit: maxDeleted,
    select: ['RowKey'],
  });
  for (const some of slicesOf(rows, maxActions)) {
    const deletions = some.map(({ rowKey }): TransactionAction => [
      'delete',
      { partitionKey: partition, rowKey },
    ]);
    // Another instance may do the same; the next run reads what is left.
    await table.commit(deletions, () => Promise.resolve(false));
  }
}

/** The place of an outcome in a list of its hour and others: newest hour first, then newest request first. */
function placeOfOutcome({ rowKey }: Entity): string {
  const uncounted = rowKeys.uncounted.parse(rowKey);
  return (uncounted ? rowKeys.counted.of(uncounted) : rowKey).slice(rowKeys.counted.prefix.length);
}

/** Whether a text is such a place. */
export const isOutcomePlace = (text: string): boolean =>
  rowKeys.counted.parse(rowKeys.counted.prefix + text) !== undefined;

/** An outcome in the place of its list. */
export interface Ending {
  readonly id: string;
  readonly place: string;
  readonly outcome: unknown;
  readonly atMs: number;
}

/** From a time on, until before another. */
export interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * The outcomes of the hours of a period, of the last eight days: those of a partition that no counter contains, and the next
 * ones that their counters contain.
 *
 * @param after the place in the list from which on
 */
export async function endingsIn(
  table: QueueTable,
  { partition, period, after, limit }: EndingQuery,
  nowMs: number,
): Promise<{ readonly endings: readonly Ending[]; readonly coveredTo: string | undefined }> {
  const first = hourOf(Math.max(period.fromMs, nowMs - shownMs, 0));
  const end = Math.max(first, Math.min(period.toMs, nowMs + hourMs));
  const select = ['RowKey', 'outcome', 'at'];
  const all = { partition, from: keyOfHour(first), to: keyOfHour(end), limit: Infinity, select };
  // Before the others: the timer moves them there.
  const uncounted = (await table.rows(all)).rows.filter((row) => !isCounter(row));
  const counted = await table.rows({
    partition,
    from:
      after === undefined
        ? rowKeys.counted.startOf({ hourMs: end - 1 })
        : behind(rowKeys.counted.prefix + after),
    to: behind(rowKeys.counted.startOf({ hourMs: first })),
    limit,
    select,
  });
  const last = counted.rows.at(-1);
  const coveredTo = counted.mayHaveMore && last ? placeOfOutcome(last) : undefined;
  const endings = [...uncounted, ...counted.rows].map(endingIn);
  const isInPage = ({ place, atMs }: Ending): boolean =>
    (after === undefined || place > after) &&
    (coveredTo === undefined || place <= coveredTo) &&
    atMs >= period.fromMs &&
    atMs < period.toMs;
  return { endings: endings.filter(isInPage), coveredTo };
}

interface EndingQuery {
  readonly partition: string;
  readonly period: Period;
  readonly after: string | undefined;
  /** At most so many of those that their counters contain. */
  readonly limit: number;
}

function endingIn(row: Entity): Ending {
  const place = placeOfOutcome(row);
  const { hourMs = 0, id = '' } = rowKeys.counted.parse(rowKeys.counted.prefix + place) ?? {};
  const { outcome, at } = row;
  return { id, place, outcome, atMs: at instanceof Date ? at.getTime() : hourMs };
}

/** Adds outcomes of an hour to its last counter, on the condition that this is unchanged, or to a further one if it is full. */
function counterAction(
  partitionKey: string,
  hour: number,
  last: Entity | undefined,
  outcomes: readonly Entity[],
): TransactionAction {
  const isFull = last !== undefined && countedIn(last).byAgent.size >= maxAgents;
  const counter = isFull ? undefined : last;
  const { fulfilled, failed, byAgent } =
    outcomesOf([...(counter ? [counter] : []), ...outcomes]).get(hour) ?? none;
  const agents = [...byAgent].map(([agent, counts]) => [agent, [counts.fulfilled, counts.failed]] as const);
  const { place = 1 } = rowKeys.furtherCounter.parse(last?.rowKey ?? '') ?? {};
  const entity = {
    partitionKey,
    rowKey:
      counter?.rowKey ??
      (isFull ? rowKeys.furtherCounter.of({ hourMs: hour, place: place + 1 }) : keyOfHour(hour)),
    fulfilled,
    failed,
    agents: JSON.stringify(Object.fromEntries(agents)),
  };
  return counter ? ['update', entity, 'Replace', { etag: String(counter['etag']) }] : ['create', entity];
}

export const none: HourOutcomes = { fulfilled: 0, failed: 0, byAgent: new Map() };

const plus = (one: Outcomes = none, other: Outcomes = none): Outcomes => ({
  fulfilled: one.fulfilled + other.fulfilled,
  failed: one.failed + other.failed,
});

/** By agent. A column that was edited by hand keeps the hour's sums from being shown by agent, and nothing else. */
const countedAgents = z.record(z.string(), z.tuple([z.int(), z.int()])).catch({});

function countedIn(row: Entity): HourOutcomes {
  const byAgent = Object.entries(countedAgents.parse(valueOfJson(row['agents']))).map(
    ([agent, [fulfilled, failed]]) => [agent, { fulfilled, failed }] as const,
  );
  return { fulfilled: Number(row['fulfilled']), failed: Number(row['failed']), byAgent: new Map(byAgent) };
}

function withOutcome(hour: HourOutcomes | undefined, row: Entity): HourOutcomes {
  const outcome = {
    fulfilled: Number(row['outcome'] === 'FULFILLED'),
    failed: Number(row['outcome'] === 'FAILED'),
  };
  const agent = String(row['agent']);
  return sumOf(hour, { ...outcome, byAgent: new Map(agent === '' ? [] : [[agent, outcome]]) });
}

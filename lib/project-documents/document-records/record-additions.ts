import type { TableClient, TransactionAction } from '@azure/data-tables';
import { isConflict, rejectionStatus } from '../../storage/rejections.ts';
import {
  changeOfRow,
  isSameName,
  missingRow,
  nameIn,
  nameRowKey,
  type DocumentNames,
  type ListedName,
  type NameRow,
} from './document-names.ts';
import type { DocumentRecord } from './document-row.ts';
import { actionsOf, keyOf, rowsOf } from './record-rows.ts';

/** A record that is new, with its place in the names. */
interface Addition {
  readonly record: DocumentRecord;
  readonly name: ListedName;
  readonly nameRowKey: string;
}

interface Additions {
  readonly table: TableClient;
  readonly names: DocumentNames;
  readonly projectId: string;
  /** Of the words of these records in the index. */
  readonly wordBatch: string | undefined;
  /** Writes a record that cannot be written together with others. */
  readonly save: (record: DocumentRecord) => Promise<unknown>;
  /** Called with the number of records after each transaction. */
  readonly onWritten: (count: number) => Promise<void> | void;
}

// Of Table Storage.
const maxActions = 100;
// Each has its own name rows.
const parallelLanes = 4;

/**
 * Creates the records of items of one project that have none: 48 in a transaction with the one or two name rows that they
 * share, four transactions at a time.
 */
export async function addRecords(parts: Additions, records: readonly DocumentRecord[]): Promise<void> {
  const { rows } = await parts.names.ofProject(parts.projectId);
  const additions = records
    .map((record) => ({
      record,
      name: nameIn(record),
      nameRowKey: nameRowKey(parts.projectId, record.fileName),
    }))
    .toSorted((a, b) => (a.nameRowKey < b.nameRowKey ? -1 : Number(a.nameRowKey > b.nameRowKey)));
  const keys = [...new Set(additions.map((each) => each.nameRowKey))];
  const perLane = Math.ceil(keys.length / parallelLanes);
  const laneOf = new Map(keys.map((key, index) => [key, Math.floor(index / perLane)]));
  const lanes = Map.groupBy(additions, (each) => laneOf.get(each.nameRowKey));
  await Promise.all([...lanes.values()].map((lane) => addLane(parts, lane, rows)));
}

async function addLane(
  parts: Additions,
  lane: readonly Addition[],
  rows: ReadonlyMap<string, NameRow>,
): Promise<void> {
  // As the transactions of this lane leave them.
  const present = new Map(rows);
  for (const some of transactionsOf(lane)) {
    const written = (await addTogether(parts, some, present)) ?? (await addAgain(parts, some));
    for (const row of written) present.set(row.rowKey, row);
    await parts.onWritten(some.length);
  }
}

/** After a transaction that failed, because another request has changed one of its rows. */
async function addAgain(parts: Additions, some: readonly Addition[]): Promise<readonly NameRow[]> {
  const present = await readRows(parts, some);
  // A record is in the list if its name is in its row.
  const missing = some.filter(
    ({ name, nameRowKey: key }) => !present.get(key)?.names?.some((other) => isSameName(name, other)),
  );
  const written = missing.length === 0 ? [] : await addTogether(parts, missing, present);
  if (written !== null) return [...present.values(), ...written];
  for (const { record } of missing) await parts.save(record);
  return [...(await readRows(parts, some)).values()];
}

async function readRows(
  { names, projectId }: Additions,
  some: readonly Addition[],
): Promise<ReadonlyMap<string, NameRow>> {
  const first = new Map(some.map((each) => [each.nameRowKey, each.name.fileName]));
  const rows = await Promise.all([...first.values()].map((fileName) => names.rowOf(projectId, fileName)));
  return new Map(rows.map((row) => [row.rowKey, row]));
}

/** @returns the name rows as they are now; null if another request has changed a row, and nothing was written */
async function addTogether(
  { table, projectId, wordBatch }: Additions,
  some: readonly Addition[],
  present: ReadonlyMap<string, NameRow>,
): Promise<readonly NameRow[] | null> {
  const changes = [...Map.groupBy(some, (each) => each.nameRowKey)].flatMap(([rowKey, each]) => {
    const added = each.map(({ name }) => name);
    const row = present.get(rowKey) ?? missingRow(rowKey);
    const change = changeOfRow(projectId, row, new Set(added.map(({ id }) => id)), added);
    return change ? [{ rowKey, ...change }] : [];
  });
  const actions: TransactionAction[] = some.flatMap(({ record }) =>
    actionsOf(keyOf(record), null, null, rowsOf(record, wordBatch)),
  );
  try {
    const { subResponses } = await table.submitTransaction([
      ...changes.map(({ action }) => action),
      ...actions,
    ]);
    // In the order of the actions; the SDK finds them by key only if the service names the key.
    return changes.map(({ rowKey, names }, at) => ({ rowKey, names, etag: subResponses[at]?.etag ?? null }));
  } catch (error) {
    // 400 if an item is there twice.
    if (rejectionStatus(error) !== 400 && !isConflict(error)) throw error;
    return null;
  }
}

/** As many in each as fit beside the name rows that they change. */
function transactionsOf(lane: readonly Addition[]): readonly (readonly Addition[])[] {
  const transactions: Addition[][] = [];
  let free = 0;
  let lastKey: string | undefined;
  for (const each of lane) {
    const needed = each.nameRowKey === lastKey ? 2 : 3;
    if (needed > free) {
      transactions.push([]);
      free = maxActions - 3;
    } else {
      free -= needed;
    }
    lastKey = each.nameRowKey;
    transactions.at(-1)?.push(each);
  }
  return transactions;
}

import type { TableClient, TableEntityResult } from '@azure/data-tables';
import { contactKind } from '../../lib/contacts/contact.ts';
import { packedWithoutUser } from '../../lib/project-documents/document-records/document-names.ts';
import { valueOfJson } from '../../lib/contract/json.ts';
import { rowKeys } from '../../lib/master-data/row-keys.ts';
import { SearchableRecords } from '../../lib/master-data/searchable-records.ts';
import { conditionalWrite } from '../../lib/storage/conditional-write.ts';
import { orNullIfMissing } from '../../lib/storage/rejections.ts';

/** What stands for a person who was erased, in the place of id and name. */
export const mark = 'erased';

/** Users are known by the object id of their token, contacts by their email address. */
export type Who = { readonly oid: string } | { readonly email: string };

/** @throws Error for a text that is neither */
export function whoIn(text: string): Who {
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return { oid: text.toLowerCase() };
  if (/^[^\s@]+@[^\s@]+$/.test(text)) return { email: text };
  throw new Error(`"${text}" is neither an object id nor an email address.`);
}

export interface FoundRow {
  readonly table: string;
  readonly partitionKey: string;
  readonly rowKey: string;
  /** Its texts. */
  readonly columns: Readonly<Record<string, string>>;
}

export interface PersonData {
  /** The names under which the person is stored. */
  readonly names: readonly string[];
  /** Rows that contain the id, and contacts with the address. */
  readonly own: readonly FoundRow[];
  /** Other rows in which one of the names occurs, such as file names: a person has to judge them. */
  readonly mentions: readonly FoundRow[];
}

type Row = TableEntityResult<Record<string, unknown>>;

// A row that keeps changing for so long is in use by the person who is to be erased.
const maxAttempts = 8;

/** Reads all rows of the tables. Nothing is changed. */
export async function personDataIn(tables: readonly TableClient[], who: Who): Promise<PersonData> {
  const own: FoundRow[] = [];
  const names = new Set<string>();
  for await (const { table, row } of rowsOf(tables)) {
    const erased = erasedRow(row, who);
    if (!erased) continue;
    own.push(foundRow(table, row));
    for (const name of erased.names) names.add(name);
  }
  const mentions: FoundRow[] = [];
  if (names.size > 0) {
    for await (const { table, row } of rowsOf(tables)) {
      if (erasedRow(row, who)) continue;
      const found = foundRow(table, row);
      const isNamed = Object.values(found.columns).some((text) =>
        [...names].some((name) => text.includes(name)),
      );
      if (isNamed) mentions.push(found);
    }
  }
  return { names: [...names], own, mentions };
}

/**
 * Puts {@link mark} in the place of a user's id and name in every row, and deletes contacts with the address. A row that the
 * service writes at the same time is read again.
 *
 * @returns how many rows were changed or deleted
 * @throws Error if the service has written rows about the person meanwhile
 */
export async function erasePerson(
  tables: readonly TableClient[],
  who: Who,
  contacts: TableClient,
): Promise<number> {
  const count = await eraseFound(tables, who, contacts);
  const { own } = await personDataIn(tables, who);
  if (own.length > 0)
    throw new Error(`${count} rows changed or deleted, and ${own.length} written meanwhile: run it again.`);
  return count;
}

async function eraseFound(tables: readonly TableClient[], who: Who, contacts: TableClient): Promise<number> {
  let count = 0;
  if ('email' in who) {
    const records = new SearchableRecords(contacts, contactKind);
    for (const id of await contactIdsOf(contacts, who)) {
      await records.delete(id);
      count += 1;
    }
    return count;
  }
  for await (const { table, row } of rowsOf(tables)) if (await eraseIn(table, row, who)) count += 1;
  return count;
}

async function contactIdsOf(contacts: TableClient, who: Who): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { row } of rowsOf([contacts])) {
    const { rowKey = '' } = row;
    const { id } = rowKeys.record.parse(rowKey) ?? {};
    if (id !== undefined && erasedRow(row, who)) ids.push(id);
  }
  return ids;
}

async function* rowsOf(tables: readonly TableClient[]): AsyncGenerator<{ table: TableClient; row: Row }> {
  for (const table of tables) {
    for await (const page of table.listEntities().byPage({ maxPageSize: 1000 }))
      for (const row of page) yield { table, row };
  }
}

async function eraseIn(table: TableClient, first: Row, who: Who): Promise<boolean> {
  const { partitionKey = '', rowKey = '' } = first;
  let row: Row | null = first;
  for (let attempt = 1; row !== null; attempt += 1) {
    const erased = erasedRow(row, who);
    if (!erased) return attempt > 1;
    const condition = { etag: row.etag };
    const write = erased.isDeleted
      ? table.deleteEntity(partitionKey, rowKey, condition)
      : table.updateEntity({ partitionKey, rowKey, ...erased.changes }, 'Merge', condition);
    if (await conditionalWrite(write)) return true;
    if (attempt === maxAttempts) throw new Error(`The row ${rowKey} kept changing; run the command again.`);
    row = await orNullIfMissing(table.getEntity(partitionKey, rowKey));
  }
  return true;
}

interface ErasedRow {
  readonly names: readonly string[];
  /** Of its columns. */
  readonly changes: Readonly<Record<string, string | Uint8Array>>;
  /** The id is in its key: a row that only counts or points. */
  readonly isDeleted: boolean;
}

// Of a user, beside the id, in rows and in the JSON of intents and histories.
const nameFields: ReadonlySet<string> = new Set([
  'requestedByName',
  'requested_by_name',
  'uploadedByName',
  'userName',
]);

/** What becomes of a row; null if it has nothing of the person. */
function erasedRow(row: Row, who: Who): ErasedRow | null {
  if ('email' in who) {
    const email = row['email'];
    const isOf = typeof email === 'string' && email.toLowerCase() === who.email.toLowerCase();
    if (!isOf) return null;
    const name = [row['firstName'], row['lastName']].filter((part) => typeof part === 'string').join(' ');
    return { names: name === '' ? [] : [name], changes: {}, isDeleted: false };
  }
  const names: string[] = [];
  const { partitionKey: _partition, rowKey = '', ...columns } = row;
  const erased = erasedValue(columns, who.oid, names) as Record<string, unknown>;
  const changes: Record<string, string | Uint8Array> = {};
  for (const [column, value] of Object.entries(columns)) {
    const packed = value instanceof Uint8Array ? packedWithoutUser(value, who.oid, mark) : null;
    if (packed) changes[column] = packed;
    if (typeof value !== 'string') continue;
    const json = jsonIn(value);
    const next = json === undefined ? erased[column] : JSON.stringify(erasedValue(json, who.oid, names));
    const isChanged = json === undefined ? next !== value : next !== JSON.stringify(json);
    if (isChanged && typeof next === 'string') changes[column] = next;
  }
  const isDeleted = rowKey.includes(who.oid);
  return isDeleted || Object.keys(changes).length > 0 ? { names, changes, isDeleted } : null;
}

/** The value without the id, and without the names in each object that has it. */
function erasedValue(value: unknown, oid: string, names: string[]): unknown {
  if (typeof value === 'string') return value.toLowerCase() === oid ? mark : value;
  if (Array.isArray(value)) return value.map((item) => erasedValue(item, oid, names));
  if (typeof value !== 'object' || value === null || value instanceof Date || value instanceof Uint8Array)
    return value;
  const isOf = Object.values(value).some((item) => typeof item === 'string' && item.toLowerCase() === oid);
  return Object.fromEntries(
    Object.entries(value).map(([field, item]) => {
      if (!isOf || !nameFields.has(field) || typeof item !== 'string' || item === '')
        return [field, erasedValue(item, oid, names)];
      names.push(item);
      return [field, mark];
    }),
  );
}

/** An object or a list that a column has as text. */
function jsonIn(text: string): object | undefined {
  const value = valueOfJson(text);
  return typeof value === 'object' && value !== null ? value : undefined;
}

function foundRow({ tableName }: TableClient, row: Row): FoundRow {
  const { partitionKey = '', rowKey = '', etag: _etag, timestamp: _timestamp, ...rest } = row;
  const columns = Object.fromEntries(
    Object.entries(rest).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
  return { table: tableName, partitionKey, rowKey, columns };
}

import { fieldsOf, foldText, privateColumns, type Columns, type Kind } from './columns.ts';
import type { FileTable } from './file-table.ts';

type Text = string | null;

/** A record of the service; a field can be absent. */
export type SavedRecord = Readonly<Record<string, unknown>> & { readonly id: string };

export interface RowFault {
  readonly line: number;
  /** Its name in the file; absent if the fault concerns the whole row. */
  readonly column?: string;
  /** A code of the API's faults. */
  readonly code: string;
  readonly params?: Readonly<Record<string, string | number>>;
}

export interface PlannedRecord {
  readonly line: number;
  readonly outcome: 'created' | 'updated' | 'unchanged';
  /** As an item of a batch. */
  readonly item: Readonly<Record<string, Text>> & { readonly id: string };
  /** Stored contacts that may be the same person; the row is new unless a person decides otherwise. */
  readonly resembling: readonly SavedRecord[];
}

export interface Plan {
  readonly records: readonly PlannedRecord[];
  readonly faults: readonly RowFault[];
  /** Of rows that are imported nevertheless. */
  readonly warnings: readonly RowFault[];
}

const maxLength = (kind: Kind, field: string): number =>
  kind === 'projects' && field === 'name' ? 400 : 200;

/** `Straße des 17. Juni 135 b` has the number `135 b`. */
const streetWithNumber = /^(.*?\D)\s+(\d+\s?[a-z]?(?:\s?[-–/+]\s?\d+\s?[a-z]?)*)$/i;

type Given = Readonly<Record<string, Text>>;

/**
 * What the file would change. A row belongs to the record with the same external id, or else with the same number (projects);
 * of contacts, to the one with the same email, or the same name and address. Otherwise it is new: two people can have one
 * name. Fields without a column stay as they are. A row without a business address gets its private one, with a warning.
 *
 * @param samePerson lines whose contact a person has found to be the stored one that it resembles
 * @param newId of a record that does not exist yet
 */
export function planOf(
  kind: Kind,
  table: FileTable,
  columns: Columns,
  existing: readonly SavedRecord[],
  {
    samePerson = new Set(),
    newId = () => crypto.randomUUID(),
  }: { readonly samePerson?: ReadonlySet<number>; readonly newId?: () => string } = {},
): Plan {
  const { header, rows } = table;
  const ofPrivateAddress = kind === 'contacts' ? privateColumns(table, columns) : {};
  const stored = new StoredRecords(kind, existing);
  const records: PlannedRecord[] = [];
  const faults: RowFault[] = [];
  const warnings: RowFault[] = [];
  const lines = new Map<string, number>();
  for (const { line, cells } of rows) {
    const business = fieldsIn(cells, columns);
    const privateAddress = addressFields.some((field) => business[field])
      ? {}
      : present(fieldsIn(cells, ofPrivateAddress));
    const read = { ...business, ...privateAddress };
    const given = kind === 'contacts' ? withoutExchangeAddress(read) : read;
    const columnOf = (field: string | undefined) => {
      const name = field === undefined ? undefined : header[columns[field] ?? -1];
      return name !== undefined && { column: name };
    };
    const placed = ({ field, ...fault }: FieldFault): RowFault => ({ line, ...fault, ...columnOf(field) });
    const found = faultsOf(kind, given).map(placed);
    const matched = stored.matchOf(given);
    const resembling = matched ? [] : stored.resembling(given);
    const old = matched ?? (samePerson.has(line) ? resembling[0] : undefined);
    const key = old?.id ?? keyInFile(kind, given);
    const earlier = lines.get(key);
    if (earlier === undefined) lines.set(key, line);
    else if (found.length === 0) found.push({ line, code: 'same_line', params: { line: earlier } });
    if (found.length > 0) {
      faults.push(...found);
      continue;
    }
    if (kind === 'contacts') warnings.push(...warningsOf(read, privateAddress).map(placed));
    const all = fieldsOf(kind).map((field) => [
      field,
      given[field] ?? (field in given ? null : textOf(old?.[field])),
    ]);
    const item = { ...(Object.fromEntries(all) as Record<string, Text>), id: old?.id ?? newId() };
    const isSame = old !== undefined && all.every(([field, value]) => textOf(old[String(field)]) === value);
    const outcome =
      old === undefined ? 'created' : isSame && old['isArchived'] !== true ? 'unchanged' : 'updated';
    records.push({ line, outcome, item, resembling });
  }
  return { records, faults, warnings };
}

/** The stored records by what a row can be recognized by. */
class StoredRecords {
  readonly #kind: Kind;
  readonly #byExternalId: ReadonlyMap<Text, SavedRecord>;
  readonly #byNumber: ReadonlyMap<string, SavedRecord>;
  readonly #byEmail: ReadonlyMap<string, readonly SavedRecord[]>;
  readonly #byName: ReadonlyMap<string, readonly SavedRecord[]>;

  constructor(kind: Kind, existing: readonly SavedRecord[]) {
    this.#kind = kind;
    this.#byExternalId = new Map(existing.map((record) => [textOf(record['externalId']), record]));
    this.#byNumber = new Map(existing.map((record) => [numberOf(record), record]));
    this.#byEmail = Map.groupBy(existing, (record) => emailOf(record));
    this.#byName = Map.groupBy(existing, (record) => personOf(record));
  }

  matchOf(given: Given): SavedRecord | undefined {
    const externalId = given['externalId'] ?? null;
    const known = externalId === null ? undefined : this.#byExternalId.get(externalId);
    if (known) return known;
    const record = this.#kind === 'projects' ? this.#byNumber.get(numberOf(given)) : this.#sameContact(given);
    // Another number is another record.
    return externalId === null || textOf(record?.['externalId']) === null ? record : undefined;
  }

  /** Stored contacts of the same name, or with the email of the row, that may be other people. */
  resembling(given: Given): readonly SavedRecord[] {
    if (this.#kind === 'projects') return [];
    const { externalId } = given;
    return [...new Set([...this.#withName(given), ...this.#withEmail(given)])].filter(
      (record) => !externalId || textOf(record['externalId']) === null,
    );
  }

  #sameContact(given: Given): SavedRecord | undefined {
    return (
      this.#withEmail(given).find((record) => !isOtherPerson(given, record)) ??
      this.#withName(given).find((record) => isSameCompany(given, record) && isSameAddress(given, record)) ??
      // Overwrites nothing.
      this.#withName(given).find((record) =>
        Object.entries(given).every(([field, value]) => textOf(record[field]) === value),
      )
    );
  }

  #withEmail(given: Given): readonly SavedRecord[] {
    const email = emailOf(given);
    return email === '' ? [] : (this.#byEmail.get(email) ?? []);
  }

  #withName(given: Given): readonly SavedRecord[] {
    return this.#byName.get(personOf(given)) ?? [];
  }
}

const numberOf = (record: Readonly<Record<string, unknown>>): string =>
  foldText(textOf(record['number']) ?? '');

/** As {@link foldText}; `ae`, `oe` and `ue` equal `ä`, `ö` and `ü`. */
const formOf = (record: Readonly<Record<string, unknown>>, field: string): string =>
  foldText(textOf(record[field]) ?? '').replaceAll(/(?<=[aou])e/g, '');

const emailOf = (record: Readonly<Record<string, unknown>>): string =>
  (textOf(record['email']) ?? '').toLowerCase();

/** A company without a person stands for itself. */
function personOf(record: Readonly<Record<string, unknown>>): string {
  const [last, first] = [formOf(record, 'lastName'), formOf(record, 'firstName')];
  return last === '' ? `company ${formOf(record, 'company')}` : `${last} ${first}`;
}

const agree = (one: string, other: string): boolean => one === other && one !== '';
const contradict = (one: string, other: string): boolean => one !== other && one !== '' && other !== '';

/** A mailbox such as info@ has several people. */
const isOtherPerson = (given: Given, record: SavedRecord): boolean =>
  ['lastName', 'firstName'].every((field) => contradict(formOf(given, field), formOf(record, field)));

const isSameCompany = (given: Given, record: SavedRecord): boolean =>
  !contradict(formOf(given, 'company'), formOf(record, 'company'));

/** The street with its number, and at least the place or its code. */
function isSameAddress(given: Given, record: SavedRecord): boolean {
  const form = (of: Readonly<Record<string, unknown>>, ...fields: string[]): string =>
    fields.map((field) => formOf(of, field)).join('');
  const pairs = ['zip', 'city'].map((field) => [formOf(given, field), formOf(record, field)] as const);
  return (
    agree(form(given, 'street', 'houseNumber'), form(record, 'street', 'houseNumber')) &&
    pairs.some(([one, other]) => agree(one, other)) &&
    !pairs.some(([one, other]) => contradict(one, other))
  );
}

/** Equal only for rows that say the same: people of one name in one file are different people. */
function keyInFile(kind: Kind, given: Given): string {
  if (given['externalId']) return `external ${given['externalId']}`;
  if (kind === 'projects') return `number ${numberOf(given)}`;
  const email = emailOf(given);
  if (email !== '') return `email ${email} ${personOf(given)}`;
  return `row ${fieldsOf(kind)
    .map((field) => formOf(given, field))
    .join('|')}`;
}

const isExchangeAddress = (email: Text | undefined): boolean => /^\/o=/i.test(email ?? '');

const withoutExchangeAddress = (given: Given): Given =>
  isExchangeAddress(given['email']) ? { ...given, email: null } : given;

const addressFields = ['street', 'houseNumber', 'zip', 'city'];

const present = (given: Given): Given =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));

/** What a person should look at; the row is imported. */
function warningsOf(given: Given, privateAddress: Given): FieldFault[] {
  const warnings: FieldFault[] = [];
  if (Object.keys(privateAddress).length > 0) {
    const address = addressFields.flatMap((field) => privateAddress[field] ?? []).join(' ');
    warnings.push({ field: 'street', code: 'private_address', params: { address } });
  }
  if (isExchangeAddress(given['email'])) warnings.push({ field: 'email', code: 'exchange_address' });
  const zip = given['zip'] ?? '';
  // Excel drops the zero at the beginning.
  if (/^\d{4}$/.test(zip)) warnings.push({ field: 'zip', code: 'short_zip', params: { zip: `0${zip}` } });
  return warnings;
}

const textOf = (value: unknown): Text => (typeof value === 'string' && value !== '' ? value : null);

function fieldsIn(cells: readonly string[], columns: Columns): Record<string, Text> {
  const given: Record<string, Text> = {};
  for (const [field, at] of Object.entries(columns))
    given[field] = (cells[at] ?? '').normalize('NFC') || null;
  const [, street, houseNumber] = streetWithNumber.exec(given['street'] ?? '') ?? [];
  if (street !== undefined && houseNumber !== undefined && !given['houseNumber']) {
    return { ...given, street: street.replace(/,$/, ''), houseNumber };
  }
  return given;
}

interface FieldFault extends Omit<RowFault, 'line' | 'column'> {
  readonly field?: string;
}

function faultsOf(kind: Kind, given: Readonly<Record<string, Text>>): FieldFault[] {
  const faults: FieldFault[] = [];
  for (const [field, text] of Object.entries(given)) {
    const max = maxLength(kind, field);
    if (text !== null && text.length > max) faults.push({ field, code: 'too_long', params: { max } });
    if (text !== null && /\p{Cc}/u.test(text)) faults.push({ field, code: 'control_characters' });
  }
  if (kind === 'contacts') {
    if (!given['lastName'] && !given['company']) faults.push({ code: 'name_or_company_required' });
    const email = given['email'] ?? null;
    // The service checks addresses completely.
    if (email !== null && !/^[^\s@,;<>]+@[^\s@,;<>]+\.[^\s@,;<>.]+$/.test(email)) {
      faults.push({ field: 'email', code: 'not_email' });
    }
    return faults;
  }
  if (!/^[A-Za-z0-9._-]{1,40}$/.test(given['number'] ?? '')) {
    faults.push({ field: 'number', code: 'not_project_number' });
  }
  if (!given['name']) faults.push({ field: 'name', code: 'empty' });
  return faults;
}

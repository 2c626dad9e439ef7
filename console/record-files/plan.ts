import { fieldsOf, folded, type Columns, type Kind } from './columns.ts';
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
}

export interface Plan {
  readonly records: readonly PlannedRecord[];
  readonly faults: readonly RowFault[];
}

const maxLength = (kind: Kind, field: string): number =>
  kind === 'projects' && field === 'name' ? 400 : 200;

/** `Straße des 17. Juni 135 b` has the number `135 b`. */
const streetWithNumber = /^(.*?\D)\s+(\d+\s?[a-z]?(?:\s?[-–/+]\s?\d+\s?[a-z]?)*)$/i;

/**
 * What the file would change. A row belongs to the record with the same external id, or else with the same number (projects)
 * or the same names and company (contacts). Fields without a column stay as they are.
 *
 * @param newId of a record that does not exist yet
 */
export function planOf(
  kind: Kind,
  { header, rows }: FileTable,
  columns: Columns,
  existing: readonly SavedRecord[],
  newId: () => string = () => crypto.randomUUID(),
): Plan {
  const byExternalId = new Map(existing.map((record) => [textOf(record['externalId']), record]));
  const byName = new Map(existing.map((record) => [nameKeyOf(kind, record), record]));
  const recordOf = (given: Readonly<Record<string, Text>>): SavedRecord | undefined => {
    const externalId = given['externalId'] ?? null;
    const named = byName.get(nameKeyOf(kind, given));
    if (externalId === null) return named;
    return byExternalId.get(externalId) ?? (textOf(named?.['externalId']) === null ? named : undefined);
  };
  const records: PlannedRecord[] = [];
  const faults: RowFault[] = [];
  const lines = new Map<string, number>();
  for (const { line, cells } of rows) {
    const given = fieldsIn(cells, columns);
    const found = faultsOf(kind, given).map(({ field, ...fault }) => {
      const name = field === undefined ? undefined : header[columns[field] ?? -1];
      return { line, ...fault, ...(name !== undefined && { column: name }) };
    });
    const key = given['externalId'] ? `external ${given['externalId']}` : nameKeyOf(kind, given);
    const earlier = lines.get(key);
    if (earlier === undefined) lines.set(key, line);
    else if (found.length === 0) found.push({ line, code: 'same_line', params: { line: earlier } });
    if (found.length > 0) {
      faults.push(...found);
      continue;
    }
    const old = recordOf(given);
    const all = fieldsOf(kind).map((field) => [
      field,
      given[field] ?? (field in given ? null : textOf(old?.[field])),
    ]);
    const item = { ...(Object.fromEntries(all) as Record<string, Text>), id: old?.id ?? newId() };
    const isSame = old !== undefined && all.every(([field, value]) => textOf(old[String(field)]) === value);
    const outcome =
      old === undefined ? 'created' : isSame && old['isArchived'] !== true ? 'unchanged' : 'updated';
    records.push({ line, outcome, item });
  }
  return { records, faults };
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

function nameKeyOf(kind: Kind, record: Readonly<Record<string, unknown>>): string {
  const names = kind === 'projects' ? ['number'] : ['lastName', 'firstName', 'company'];
  return names.map((field) => folded(textOf(record[field]) ?? '')).join(' ');
}

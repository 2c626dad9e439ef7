import type { FileTable } from './file-table.ts';

export type Kind = 'projects' | 'contacts';

/** The fields of a record, with the names of the columns that have them in the exports of Excel and Outlook, the best first. */
const columnNames = {
  contacts: {
    lastName: ['Nachname', 'Familienname', 'Last name', 'Surname', 'Name'],
    firstName: ['Vorname', 'First name', 'Given name'],
    title: ['Titel', 'Anrede', 'Title'],
    company: ['Firma', 'Firmenname', 'Unternehmen', 'Company'],
    street: [
      'Straße geschäftlich',
      'Business Street',
      'Straße',
      'Anschrift',
      'Street',
      'Straße privat',
      'Home Street',
    ],
    houseNumber: ['Hausnummer', 'Haus-Nr', 'Hnr', 'House number'],
    zip: [
      'Postleitzahl geschäftlich',
      'PLZ geschäftlich',
      'Business Postal Code',
      'Postleitzahl',
      'PLZ',
      'Zip',
      'Postleitzahl privat',
      'Home Postal Code',
    ],
    city: ['Ort geschäftlich', 'Business City', 'Ort', 'Stadt', 'City', 'Ort privat', 'Home City'],
    email: ['E-Mail-Adresse', 'E-Mail 1 Adresse', 'E-Mail', 'Mail', 'E-mail Address'],
    externalId: ['Kundennummer', 'Kunden-Nr', 'Kontaktnummer', 'Externe Nummer', 'External id'],
  },
  projects: {
    number: ['Projektnummer', 'Projekt-Nr', 'Nummer', 'Nr', 'Number'],
    name: ['Projektname', 'Projekt', 'Bezeichnung', 'Name', 'Titel', 'Project name'],
    externalId: ['Externe Nummer', 'External id'],
  },
} as const satisfies Record<Kind, Record<string, readonly string[]>>;

/** By field, the index of its column; a field without one is absent. */
export type Columns = Readonly<Record<string, number>>;

export const fieldsOf = (kind: Kind): readonly string[] => Object.keys(columnNames[kind]);

/** Case, accents and punctuation do not count, and `ss` equals `ß`. */
export const foldText = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll(/[^\p{L}\p{N}]/gu, '');

/** The columns whose names say what they are. */
export function suggestedColumns(kind: Kind, { header }: FileTable): Columns {
  const names = header.map(foldText);
  const used = new Set<number>();
  const columns: Record<string, number> = {};
  for (const [field, candidates] of Object.entries<readonly string[]>(columnNames[kind])) {
    const found = candidates
      .map((name) => names.indexOf(foldText(name)))
      .find((at) => at >= 0 && !used.has(at));
    if (found === undefined) continue;
    used.add(found);
    columns[field] = found;
  }
  return columns;
}

const privateColumnNames = {
  street: ['Straße privat', 'Home Street'],
  zip: ['Postleitzahl privat', 'Home Postal Code'],
  city: ['Ort privat', 'Home City'],
};

/** Outlook's columns of the private address, for rows whose business address is empty. Without those that are in use. */
export function privateColumns({ header }: FileTable, used: Columns): Columns {
  const names = header.map(foldText);
  const columns: Record<string, number> = {};
  for (const [field, candidates] of Object.entries(privateColumnNames)) {
    const found = candidates.map((name) => names.indexOf(foldText(name))).find((at) => at >= 0);
    if (found !== undefined && !Object.values(used).includes(found)) columns[field] = found;
  }
  return columns;
}

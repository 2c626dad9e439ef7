import { expect, test } from 'vitest';
import { suggestedColumns, type Kind } from '../../../console/import-files/columns.ts';
import { fileFaultText, resemblanceText, rowFaultText } from '../../../console/import-files/fault-text.ts';
import { tableIn, unreadableAs } from '../../../console/import-files/file-table.ts';
import { planOf, type SavedRecord } from '../../../console/import-files/plan.ts';
import { existingRecords, sendPlan, type Call } from '../../../console/import-files/send-plan.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const latin = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
const utf16 = (text: string): Uint8Array => new Uint8Array(Buffer.from(`\ufeff${text}`, 'utf16le'));

function planned(
  kind: Kind,
  text: string,
  existing: readonly SavedRecord[] = [],
  more: object = {},
  samePerson: ReadonlySet<number> = new Set(),
) {
  const table = tableIn(bytesOf(text));
  let next = 0;
  const columns = { ...suggestedColumns(kind, table), ...more };
  return planOf(kind, table, columns, existing, { newId: () => `new-${(next += 1)}`, samePerson });
}

test.each([
  ['UTF-8', bytesOf],
  ['UTF-8 with a mark', (text: string) => bytesOf(`\ufeff${text}`)],
  ['Windows-1252', latin],
  ['UTF-16', utf16],
])('a file in %s is read, with every separator and line ending', (_encoding, encode) => {
  for (const separator of [';', ',', '\t']) {
    for (const end of ['\n', '\r\n']) {
      const text = [
        ['Nachname', 'Straße geschäftlich', 'E-Mail-Adresse'],
        ['Müller', `"Am ""Kai"", 5${end}Hinterhaus"`, 'a@b.de'],
        ['', '', ''],
        ['Weiß', 'Weg', ''],
      ];
      const { header, rows } = tableIn(encode(text.map((row) => row.join(separator)).join(end) + end));
      expect(header).toEqual(['Nachname', 'Straße geschäftlich', 'E-Mail-Adresse']);
      expect(rows).toEqual([
        { line: 2, cells: ['Müller', 'Am "Kai", 5 Hinterhaus', 'a@b.de'] },
        { line: 5, cells: ['Weiß', 'Weg', ''] },
      ]);
    }
  }
});

test('the euro sign of Windows-1252 is no control character', () => {
  expect(tableIn(Uint8Array.of(0x41, 0x3b, 0x42, 0x0a, 0x80, 0x3b, 0xe4)).rows[0]?.cells).toEqual(['€', 'ä']);
});

test('the columns of an Outlook export are recognized', () => {
  const text = [
    '"Anrede","Vorname","Nachname","Firma","Straße geschäftlich","Ort geschäftlich","Postleitzahl geschäftlich","Straße privat","E-Mail-Adresse"',
    '"Dr.","Jörg","Grünwald","Bäckerei, Söhne","Straße des 17. Juni 135 b","Berlin","10623","Privatweg 1","j@example.com"',
  ].join('\r\n');
  expect(planned('contacts', text)).toEqual({
    faults: [],
    warnings: [],
    records: [
      {
        line: 2,
        resembling: [],
        outcome: 'created',
        item: {
          id: 'new-1',
          title: 'Dr.',
          firstName: 'Jörg',
          lastName: 'Grünwald',
          company: 'Bäckerei, Söhne',
          street: 'Straße des 17. Juni',
          houseNumber: '135 b',
          zip: '10623',
          city: 'Berlin',
          email: 'j@example.com',
          externalId: null,
        },
      },
    ],
  });
  // Another column for the street.
  const { records } = planned('contacts', text, [], { street: 7 });
  expect(records[0]?.item).toMatchObject({ street: 'Privatweg', houseNumber: '1' });
});

// The headers of exports of Outlook in both languages, shortened to the columns that matter and their neighbors.
test.each([
  [
    'German',
    '"Anrede","Vorname","Weitere Vornamen","Nachname","Suffix","Firma","Abteilung","Position","Straße geschäftlich","Straße geschäftlich 2","Ort geschäftlich","Region geschäftlich","Postleitzahl geschäftlich","Land/Region geschäftlich","Straße privat","Straße privat 2","Ort privat","Bundesland/Kanton privat","Postleitzahl privat","Land/Region privat","E-Mail-Adresse","E-Mail-Typ","E-Mail: Angezeigter Name"',
    'Zeile 3, „Straße geschäftlich“: Ist leer; übernommen wird die private Adresse: Privatweg 1 a 52062 Aachen.',
    'de',
  ],
  [
    'English',
    '"Title","First Name","Middle Name","Last Name","Suffix","Company","Department","Job Title","Business Street","Business Street 2","Business City","Business State","Business Postal Code","Business Country/Region","Home Street","Home Street 2","Home City","Home State","Home Postal Code","Home Country/Region","E-mail Address","E-mail Type","E-mail Display Name"',
    'Line 3, „Business Street“: Is empty; the private address is used: Privatweg 1 a 52062 Aachen.',
    'en',
  ],
] as const)(
  'an Outlook export in %s: the private address where the business address is empty',
  (_what, header, shown, language) => {
    const rowOf = (name: string, business: readonly string[], home: readonly string[]) => {
      const [street = '', city = '', zip = ''] = business;
      const [homeStreet = '', homeCity = '', homeZip = ''] = home;
      return `,${name},,Klein,,,,,${street},,${city},,${zip},,${homeStreet},,${homeCity},,${homeZip},,${name}@b.de,SMTP,`;
    };
    const home = ['Privatweg 1 a', 'Aachen', '52062'];
    const text = [
      header,
      rowOf('Eva', ['Am Kai 5', 'Berlin', '10623'], home),
      rowOf('Ida', [], home),
      rowOf('Ute', ['', 'Berlin'], home),
      rowOf('Uwe', [], []),
    ].join('\r\n');
    const { records, warnings, faults } = planned('contacts', text);
    expect(faults).toEqual([]);
    expect(
      records.map(({ item: { firstName, street, houseNumber, zip, city } }) => [
        firstName,
        street,
        houseNumber,
        zip,
        city,
      ]),
    ).toEqual([
      ['Eva', 'Am Kai', '5', '10623', 'Berlin'],
      ['Ida', 'Privatweg', '1 a', '52062', 'Aachen'],
      // Part of a business address is one: nothing is mixed.
      ['Ute', null, null, null, 'Berlin'],
      ['Uwe', null, null, null, null],
    ]);
    expect(warnings.map((warning) => rowFaultText(warning, language))).toEqual([shown]);
  },
);

test('an export with private addresses only needs no choice', () => {
  const { records, warnings } = planned(
    'contacts',
    'Nachname;Straße privat;Ort privat;Postleitzahl privat\nA;Weg 1;Ulm;89073',
  );
  expect(records[0]?.item).toMatchObject({ street: 'Weg', houseNumber: '1', city: 'Ulm', zip: '89073' });
  expect(warnings).toEqual([]);
});

test.each([
  ['Hauptstraße 12', 'Hauptstraße', '12'],
  ['Am Kai 5-7', 'Am Kai', '5-7'],
  ['Straße des 17. Juni 135', 'Straße des 17. Juni', '135'],
  ['Am Kai 5 – 7a', 'Am Kai', '5 – 7a'],
  ['Platz, 3', 'Platz', '3'],
  ['Schloßplatz', 'Schloßplatz', null],
  ['Postfach 12 34 56', 'Postfach 12 34 56', null],
  ['12', '12', null],
])('the house number of %s is split off', (given, street, houseNumber) => {
  const [record] = planned('contacts', `Nachname;Straße\nA;"${given}"`).records;
  expect(record?.item).toMatchObject({ street, houseNumber });
});

test('faults name line and column, in German', () => {
  const { faults, records } = planned(
    'contacts',
    `Nachname;Firma;E-Mail\n;;a@b.de\nA;;falsch\nB;;b@b.de\n"${'x'.repeat(201)}";;\nb;;B@b.de\n`,
  );
  expect(records.map(({ line }) => line)).toEqual([4]);
  expect(faults.map((fault) => rowFaultText(fault, 'de'))).toEqual([
    'Zeile 2: Geben Sie einen Nachnamen oder eine Firma an.',
    'Zeile 3, „E-Mail“: Muss eine E-Mail-Adresse sein.',
    'Zeile 5, „Nachname“: Höchstens 200 Zeichen.',
    'Zeile 6: Steht schon in Zeile 4.',
  ]);
  const projects = planned('projects', 'Projektnummer;Projektname\n47 11;Halle\n4712;\n4713;Halle\n');
  expect(projects.faults.map(({ line, column }) => [line, column])).toEqual([
    [2, 'Projektnummer'],
    [3, 'Projektname'],
  ]);
});

test('a row changes the record with its key, and fields without a column stay as they are', () => {
  const saved = { id: 'p', number: 'P-1', name: 'Halle', externalId: 'E', isArchived: false };
  const file = (name: string) => `Nummer;Name\np-1;${name}\nP-2;Neu`;
  expect(planned('projects', file('Steg'), [saved]).records).toMatchObject([
    { outcome: 'updated', item: { id: 'p', name: 'Steg', externalId: 'E' } },
    { outcome: 'created', item: { id: 'new-1', externalId: null } },
  ]);
  const anna = {
    id: 'a',
    lastName: 'Weiß',
    firstName: 'Anna',
    company: null,
    city: 'Kiel',
    externalId: 'K-1',
  };
  expect(planned('contacts', 'Kundennummer;Nachname\nK-1;Schwarz', [anna]).records).toMatchObject([
    { outcome: 'updated', item: { id: 'a', lastName: 'Schwarz', city: 'Kiel' } },
  ]);
  const same = { ...anna, externalId: null };
  expect(planned('contacts', 'Vorname;Name;Ort\nAnna;Weiß;Kiel', [same]).records[0]?.outcome).toBe(
    'unchanged',
  );
  const archived = { ...saved, isArchived: true };
  expect(planned('projects', 'Nummer;Name\nP-1;Halle', [archived]).records[0]?.outcome).toBe('updated');
});

test('2,000 rows are sent in batches, and the same file changes nothing the second time', async () => {
  const lines = Array.from({ length: 2_000 }, (_, at) => `Muster${at};Weg ${at};Kiel`);
  const text = ['Nachname;Straße;Ort', ...lines].join('\n');
  const saved = new Map<string, SavedRecord>();
  let calls = 0;
  const call: Call = async (method, path, body) => {
    calls += 1;
    if (method === 'GET') {
      const from = Number(/cursor=(\d+)/.exec(path)?.[1] ?? 0);
      const items = [...saved.values()].slice(from, from + 200);
      return { items, nextCursor: from + 200 < saved.size ? String(from + 200) : null };
    }
    const { items } = body as { items: SavedRecord[] };
    for (const item of items) saved.set(item.id, item);
    const wrong =
      items.length === 500
        ? []
        : [{ index: 0, errors: [{ path: 'body.items.0.email', code: 'not_email', params: {} }] }];
    return { created: items.length, updated: 0, unchanged: 0, items: wrong };
  };
  const sent: number[] = [];
  const first = planOf(
    'contacts',
    tableIn(bytesOf(text)),
    { lastName: 0, street: 1, city: 2 },
    await existingRecords('contacts', call),
  );
  expect(await sendPlan('contacts', first, call, (done) => void sent.push(done))).toEqual({
    created: 2_000,
    updated: 0,
    faults: [],
  });
  expect(sent).toEqual(Array.from({ length: 5 }, (_, at) => at * 500));
  const again = planOf(
    'contacts',
    tableIn(bytesOf(text)),
    { lastName: 0, street: 1, city: 2 },
    await existingRecords('contacts', call),
  );
  expect(new Set(again.records.map(({ outcome }) => outcome))).toEqual(new Set(['unchanged']));
  calls = 0;
  await sendPlan('contacts', again, call, () => undefined);
  expect(calls).toBe(0);
  const one = planned('contacts', 'Nachname;E-Mail\nNeu;a@b.de', []);
  const { faults } = await sendPlan('contacts', one, call, () => undefined);
  expect(faults).toEqual([{ line: 2, column: 'email', code: 'not_email', params: {} }]);
});

const thomas: SavedRecord = {
  id: 't',
  lastName: 'Müller',
  firstName: 'Thomas',
  company: null,
  street: 'Markt',
  houseNumber: '1',
  zip: '52062',
  city: 'Aachen',
  email: 'thomas@aachen.example',
  externalId: null,
};
const people = 'Vorname;Nachname;Straße;PLZ;Ort;E-Mail\n';

test.each([
  ['the same email', 'Thomas;Müller-Lang;Weg 2;10115;Berlin;Thomas@Aachen.example', 'updated', 't'],
  [
    'the same name and address, written otherwise',
    'Thomas;MUELLER;Markt 1;52062;Aachen;neu@aachen.example',
    'updated',
    't',
  ],
  [
    'the same name and address, in other letters',
    'THOMAS;Müller;markt 1;52062;;neu@aachen.example',
    'updated',
    't',
  ],
  [
    'the same name in another city',
    'Thomas;Müller;Weg 2;10115;Berlin;thomas@berlin.example',
    'created',
    'new-1',
  ],
  ['the same name and street in another city', 'Thomas;Müller;Markt 1;10115;Berlin;', 'created', 'new-1'],
  [
    'the same name, street and city, but another postal code',
    'Thomas;Müller;Markt 1;52080;Aachen;',
    'created',
    'new-1',
  ],
  ['the same name and street without a place', 'Thomas;Müller;Markt 1;;;', 'created', 'new-1'],
  ['the same name and city, at another number', 'Thomas;Müller;Markt 2;52062;Aachen;', 'created', 'new-1'],
  ['the same name without an address', 'Thomas;Müller;;;;', 'created', 'new-1'],
  ['the same name in the same city', 'Thomas;Müller;;;Aachen;', 'created', 'new-1'],
  ['a shared mailbox', 'Eva;Klein;Markt 1;52062;Aachen;thomas@aachen.example', 'created', 'new-1'],
])('a contact with %s', (_what, row, outcome, id) => {
  const { records } = planned('contacts', people + row, [thomas]);
  expect(records).toMatchObject([{ outcome, item: { id } }]);
});

test('a row that resembles a stored contact is new, until a person says that it is the same', () => {
  const file = `${people}Thomas;Müller;Weg 2;10115;Berlin;thomas@berlin.example`;
  const [record] = planned('contacts', file, [thomas]).records;
  expect(record).toMatchObject({ outcome: 'created', resembling: [{ id: 't' }] });
  expect(resemblanceText(record!, 'de')).toBe(
    'Zeile 2: Thomas Müller, Weg 2, 10115 Berlin, thomas@berlin.example – gespeichert ist Thomas Müller, Markt 1, 52062 Aachen, thomas@aachen.example',
  );
  expect(planned('contacts', file, [thomas], {}, new Set([2])).records).toMatchObject([
    { outcome: 'updated', item: { id: 't', city: 'Berlin' }, resembling: [{ id: 't' }] },
  ]);
});

test('two people of one name in one file are two, and a second import changes nothing', () => {
  const file = `${people}Thomas;Müller;Weg 2;10115;Berlin;\nThomas;Müller;Markt 1;52062;Aachen;\nThomas;Müller;;;;\nThomas;Müller;;;;`;
  const first = planned('contacts', file);
  expect(first.records.map(({ line, outcome }) => [line, outcome])).toEqual([
    [2, 'created'],
    [3, 'created'],
    [4, 'created'],
  ]);
  expect(first.faults).toEqual([{ line: 5, code: 'same_line', params: { line: 4 } }]);
  const again = planned(
    'contacts',
    file,
    first.records.map(({ item }) => item),
  );
  expect(again.records.map(({ outcome }) => outcome)).toEqual(['unchanged', 'unchanged', 'unchanged']);
});

test('an address of Exchange and a short postal code are notes, not faults', () => {
  const { records, faults, warnings } = planned(
    'contacts',
    `${people}Eva;Klein;;1067;Dresden;/O=FIRMA/CN=EVA`,
  );
  expect(faults).toEqual([]);
  expect(records).toMatchObject([{ outcome: 'created', item: { email: null, zip: '1067' } }]);
  expect(warnings.map((warning) => rowFaultText(warning, 'de'))).toEqual([
    'Zeile 2, „E-Mail“: Das ist eine interne Adresse von Exchange; sie wird weggelassen.',
    'Zeile 2, „PLZ“: Vier Ziffern: 01067?',
  ]);
});

test.each([
  ['spreadsheet', Uint8Array.of(0x50, 0x4b, 3, 4, 20, 0), 'Das ist eine Arbeitsmappe.'],
  ['vcard', bytesOf('BEGIN:VCARD\r\nVERSION:3.0'), 'Das ist eine vCard.'],
  ['empty', bytesOf('\ufeff \r\n'), 'Die Datei ist leer.'],
  ['binary', Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 0, 0), 'Das ist keine Textdatei.'],
] as const)('a file that is %s is named', (fault, bytes, sentence) => {
  expect(unreadableAs(bytes)).toBe(fault);
  expect(fileFaultText(fault, 'de')).toBe(
    `${sentence} Speichern Sie die Tabelle als „CSV UTF-8“ und wählen Sie diese Datei.`,
  );
  expect(unreadableAs(utf16('Nachname;Ort'))).toBeNull();
});

test('a number of a project or an address of a person is in a file once, whatever else the rows say', () => {
  const saved = { id: 'p', number: 'P-1', name: 'Halle', externalId: null, isArchived: false };
  const projects = planned('projects', 'Nummer;Name\nP-2;Halle\np-2;Steg', [saved]);
  expect(projects.faults).toEqual([{ line: 3, code: 'same_line', params: { line: 2 } }]);
  const external = planned('contacts', 'Kundennummer;Nachname\nK-1;Weber\nK-2;Weber\nK-1;Schulz');
  expect(external.faults).toEqual([{ line: 4, code: 'same_line', params: { line: 2 } }]);
  // Projects of one name are different projects.
  expect(projects.records).toMatchObject([{ line: 2, outcome: 'created', resembling: [] }]);
  const row = (street: string) => `Thomas;Müller;${street};10115;Berlin;thomas@berlin.example\n`;
  expect(planned('contacts', people + row('Weg 2') + row('Markt 1')).faults).toEqual([
    { line: 3, code: 'same_line', params: { line: 2 } },
  ]);
});

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { addressWarnings } from '../../../lib/activities/document-activity.ts';
import { placeholders, type LetterValues } from '../../../lib/activities/letter/filling/placeholders.ts';
import { fillTemplate, prepareTemplate } from '../../../lib/activities/letter/word-template.ts';
import { letterMoment } from '../../support/letter-moment.ts';
import { paragraphsOf, partOf, wordFile } from '../../support/word-file.ts';
import { firstPage, type PageWord, pdfWords, savedAs } from '../../support/word-processor.ts';
import { requires } from '../../../agent/smb/tests/support/requires.ts';

// Positions of words are checked in millimeters against the areas of DIN 5008 form B. Line breaks are not checked: they
// depend on the fonts of the machine.

// Starting LibreOffice takes three seconds on an idle machine and much longer on a busy one.
const timeoutMs = 240_000;
const sample = prepareTemplate(
  await readFile(join(import.meta.dirname, '../../../tools/letter-template/Briefvorlage.docx')),
);

const usual: LetterValues = {
  company: 'Bau & Söhne GmbH <Nord>',
  title: 'Frau Dr.',
  firstName: 'Anna',
  lastName: 'Weber',
  street: 'Hauptstraße',
  houseNumber: '12a',
  zip: '24103',
  city: 'Kiel',
  subject: 'Abnahme der Dachsanierung {{company}}',
  content: [
    'Sehr geehrte Frau Dr. Weber,',
    'die Abnahme der Dachsanierung verschiebt sich. Bitte prüfen Sie, ob Ihnen der neue Termin passt, und geben Sie uns eine kurze Rückmeldung.',
    'Wir bringen mit:\n- Prüfprotokoll\n- Schlüssel',
    'Mit freundlichen Grüßen',
  ].join('\n\n'),
  userFirstName: 'Jörg',
  userLastName: 'Schäfer',
  userEmail: 'j.schaefer@firma.example',
  userPhone: '+49 431 123456',
  userFax: '',
  userCompany: 'Schäfer & Partner',
  userStreet: 'Am Kai 5',
  userPostalCode: '24105',
  userCity: 'Kiel',
};

const paragraph =
  'Bei der Begehung der Baustelle haben wir festgestellt, dass die Arbeiten an der Fassade noch nicht den vereinbarten Stand erreicht haben. Bitte stellen Sie die ausstehenden Leistungen bis zum vereinbarten Termin fertig.';
const bodyOf = (...paragraphs: string[]): string =>
  ['Sehr geehrte Frau Dr. Weber,', ...paragraphs, 'Mit freundlichen Grüßen'].join('\n\n');
const noProfile = {
  userPhone: '',
  userFax: '',
  userCompany: '',
  userStreet: '',
  userPostalCode: '',
  userCity: '',
};

const letters = {
  usual,
  ofCompany: { ...usual, title: '', firstName: '', lastName: '' },
  ofPerson: { ...usual, company: '', title: '', street: '', houseNumber: '' },
  // At least nine lines at the template's type size.
  longest: {
    ...usual,
    company:
      'Ingenieurgemeinschaft für Hoch- und Tiefbau, Sanierung und Denkmalpflege Schleswig-Holstein und Mecklenburg-Vorpommern mbB, Niederlassung Kiel',
    title: 'Frau Prof. Dr.-Ing. Dr. h. c.',
    firstName: 'Maximiliane-Henriette Charlotte',
    lastName: 'Freifrau von Hohenlohe-Langenburg-Schillingsfürst',
    street: 'Bürgermeister-Doktor-Friedrich-Wilhelm-Straße am Alten Botanischen Garten, Hinterhaus',
    houseNumber: '112-114 b',
    city: 'Neukirchen-Vluyn, Ortsteil Niederrheinische Heide',
    userFirstName: 'Benedikt Maria',
    userLastName: 'von Hohenlohe-Langenburg',
    userEmail: 'benedikt.von-hohenlohe-langenburg@niederlassung-nord.muster-bau-gesellschaft.example',
    subject:
      `Dritte Erinnerung an die Vorlage der Bescheinigung über die förmliche Abnahme der Arbeiten am ${'Neubau der Grundschule Gaarden '.repeat(3)}`.trim(),
  },
  // As long as the company names of a register of architects and engineers are.
  longName: { ...usual, company: 'Ingenieurgemeinschaft für Hoch- und Tiefbau Schleswig-Holstein mbB' },
  ofOneLongWord: { ...usual, company: 'Fassadensanierungsarbeitsgemeinschaft' },
  // The longest possible contact, which does not fit into the field at any size.
  tooLong: {
    ...usual,
    company: 'Baugesellschaft '.repeat(12).trim(),
    firstName: 'Anna Maria '.repeat(18).trim(),
    lastName: 'von Weber '.repeat(20).trim(),
    street: 'Am Alten Garten '.repeat(12).trim(),
    city: 'Neustadt an der See '.repeat(10).trim(),
  },
  withoutProfile: { ...usual, ...noProfile },
  ofThreePages: {
    ...usual,
    content: bodyOf(
      ...Array<string>(6).fill(paragraph),
      Array.from(
        { length: 25 },
        (_, index) => `${index + 1}. Bauteil ${index + 1}: Anschlüsse und Nacharbeiten an den Stößen`,
      ).join('\n'),
      ...Array<string>(6).fill(paragraph),
    ),
  },
} satisfies Record<string, LetterValues>;

// With any font, the first page of one of these would end between the text and the signature.
const pageEnds = Object.fromEntries(
  Array.from({ length: 14 }, (_, index) => [
    `pageEnd${index}`,
    { ...usual, content: bodyOf(paragraph, ...Array<string>(8 + index).fill('Eine Zeile Text.')) },
  ]),
);

/** Companies as registers have them; the last is as long as a contact may be. */
const longNames: readonly Partial<LetterValues>[] = [
  {
    company:
      'Arbeitsgemeinschaft Neubau der Ortsumgehung Neukirchen-Vluyn, bestehend aus Ingenieurgemeinschaft für Hoch- und Tiefbau Schleswig-Holstein mbB und Straßenbau Nord GmbH',
  },
  {
    company:
      'ARGE Elbbrücke Los 3, Ed. Musterbau GmbH & Co. KG / Stahlbau Nordwest AG / Ingenieurbau Beispiel SE, p. Adr. Musterbau GmbH & Co. KG',
  },
  {
    company:
      'Bundesanstalt für Beispielaufgaben, Direktion Rostock, Sparte Facility Management, Hauptstelle Schwerin',
  },
  {
    company:
      'Landesbetrieb für Hochwasserschutz und Wasserwirtschaft Sachsen-Anhalt, Geschäftsbereich Planung und Bau',
  },
  {
    company:
      'Zweckverband Wasserversorgung und Abwasserbehandlung Insel Usedom und Umland, Eigenbetrieb Abwasser',
  },
  {
    company:
      'Evangelisch-Lutherische Kirchengemeinde Sankt Katharinen und Heilig Geist zu Neustadt an der Weinstraße, Kirchenvorstand',
  },
  {
    company:
      'Wohnungseigentümergemeinschaft Bürgermeister-Smidt-Straße 112 bis 118 / Lange Straße 4, vertreten durch Hausverwaltung Beispiel Immobilien GmbH',
  },
  { company: 'Ingenieurgemeinschaft für Hoch- und Tiefbau Schleswig-Holstein mbB, Niederlassung Kiel' },
  { company: 'Niedersächsische Landesbehörde für Straßenbau und Verkehr, Geschäftsbereich Wolfenbüttel' },
  { company: 'Eisenbahn-Bundesamt, Außenstelle Hamburg/Schwerin, Sachbereich 1 (Planfeststellung)' },
  { company: 'Fassadensanierungsarbeitsgemeinschaften'.repeat(3) },
  {
    company:
      'Rechtsanwälte Dr. Beispiel, von Muster, Freiherr zu Probe und Kollegen Partnerschaftsgesellschaft mit beschränkter Berufshaftung',
  },
  {
    title: 'Frau Prof. Dr.-Ing. Dr. h. c.',
    firstName: 'Maximiliane-Henriette Charlotte',
    lastName: 'Freifrau von Hohenlohe-Langenburg-Schillingsfürst',
  },
  {
    street: 'Bürgermeister-Doktor-Friedrich-Wilhelm-Straße am Alten Botanischen Garten, Hinterhaus',
    city: 'Neukirchen-Vluyn, Ortsteil Niederrheinische Heide',
  },
  { company: 'WWM MANAGEMENT WEWELSFLETH WOHNUNGSVERWALTUNG WILHELMSHAVEN MBH & CO. KG' },
  { company: 'GEMEINNÜTZIGE WOHNUNGSBAUGENOSSENSCHAFT HAMBURG-WANDSBEK EINGETRAGENE GENOSSENSCHAFT' },
  {
    company: 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft mbH & Co. KG',
  },
  {
    company:
      'Sächsisches Staatsministerium für Regionalentwicklung – Referat 24 (Denkmalschutz, Baukultur und Städtebauförderung)',
  },
  {
    company:
      'Universitätsklinikum Schleswig-Holstein – Anstalt des öffentlichen Rechts – Dezernat Bau, Campus Lübeck',
    firstName: 'Karl-Friedrich',
    lastName: 'Graf von der Schulenburg-Wolfsburg',
  },
  { company: 'A B '.repeat(50).trim() },
];
const withLongNames = Object.fromEntries(
  longNames.map((each, index) => [
    `longName${index}`,
    { ...usual, ...each, content: 'x', subject: 'Betreff' },
  ]),
);

const filled = (values: LetterValues): Buffer => fillTemplate(sample, values, letterMoment);

/** A part of a page, in millimeters. */
interface Area {
  readonly page?: number;
  readonly left?: number;
  readonly right?: number;
  readonly top: number;
  readonly bottom: number;
}
function wordsIn(words: readonly PageWord[], area: Area): PageWord[] {
  const { page = 1, left = 0, right = 210, top, bottom } = area;
  return words.filter((word) => {
    const [x, y] = [(word.left + word.right) / 2, (word.top + word.bottom) / 2];
    return word.page === page && x >= left && x <= right && y >= top && y <= bottom;
  });
}
/** The words of an area, row by row. */
function rowsIn(words: readonly PageWord[], area: Area): string[] {
  const rows: PageWord[][] = [];
  for (const word of wordsIn(words, area).toSorted((one, other) => one.bottom - other.bottom)) {
    const row = rows.at(-1);
    if (row === undefined || word.bottom - (row[0]?.bottom ?? 0) > 1) rows.push([word]);
    else row.push(word);
  }
  return rows.map((row) =>
    row
      .toSorted((one, other) => one.left - other.left)
      .map(({ text }) => text)
      .join(' '),
  );
}
const textIn = (words: readonly PageWord[], area: Area): string =>
  wordsIn(words, area)
    .map(({ text }) => text)
    .join(' ');

const addressField = { left: 20, right: 105, top: 45, bottom: 90 };
const informationBlock = { left: 120, right: 210, top: 45, bottom: 90 };
const letterhead = { top: 0, bottom: 45 };
const footer = { top: 270, bottom: 297 };
const senderLine = 'Muster Bau GmbH · Werftstraße 7 · 20457 Hamburg';
const companyDetails = /^Seite 1 von \d Muster Bau GmbH .*Geschäftsführung: .*HRB .*USt-IdNr\. .*IBAN /;

const addressOf = ({ company, title, firstName, lastName, ...rest }: LetterValues): string =>
  [company, title, firstName, lastName, rest.street, rest.houseNumber, rest.zip, rest.city]
    .filter((part) => part !== '')
    .join(' ');

// In the PDF, a word that is broken across lines is in pieces.
const unbroken = (text: string): string => text.replace(/\s/g, '');

requires('LibreOffice', 'DejaVu fonts').describe(`a letter laid out by LibreOffice`, () => {
  const all: Record<string, LetterValues> = { ...letters, ...pageEnds, ...withLongNames };
  let pdfs: Record<string, Buffer>;
  const wordsOf: Record<string, PageWord[]> = {};

  beforeAll(async () => {
    const files = Object.fromEntries(Object.entries(all).map(([name, values]) => [name, filled(values)]));
    pdfs = await savedAs({ ...files, fiftyPages: ofFiftyPages() }, 'pdf');
    for (const [name, pdf] of Object.entries(pdfs)) wordsOf[name] = await pdfWords(pdf);
  }, timeoutMs);

  const words = (name: string): PageWord[] => wordsOf[name] ?? [];
  const pages = (name: string): number => Math.max(...words(name).map(({ page }) => page));

  test('has one page with every value in its place', async () => {
    expect(pages('usual')).toBe(1);
    expect(textIn(words('usual'), letterhead)).toBe('Muster Bau GmbH');
    expect(textIn(words('usual'), addressField)).toBe(
      `${senderLine} Bau & Söhne GmbH <Nord> Frau Dr. Anna Weber Hauptstraße 12a 24103 Kiel`,
    );
    expect(rowsIn(words('usual'), informationBlock)).toEqual([
      'Ihr Kontakt Jörg Schäfer',
      'Telefon +49 431 123456',
      'E-Mail j.schaefer@firma.example',
      'Büro Am Kai 5, 24105 Kiel',
      'Datum 23.11.2026',
    ]);
    expect(rowsIn(words('usual'), { top: 90, bottom: 270 }).join(' ')).toBe(
      `${usual.subject} ${usual.content.replace(/\s+/g, ' ')} Schäfer & Partner Jörg Schäfer`,
    );
    expect(textIn(words('usual'), footer)).toMatch(companyDetails);

    const { width, height, dots } = await firstPage(pdfs['usual'] ?? Buffer.alloc(0));
    expect([Math.round(width / 10), Math.round(height / 10)]).toEqual([41, 59]);
    const ink = (fromTop: number, toTop: number): number =>
      dots
        .subarray(Math.round(height * fromTop) * width, Math.round(height * toTop) * width)
        .filter((dot) => dot < 200).length;
    // Marks at the left edge to fold at 105 and 210 mm, and to punch at 148.5 mm.
    const marks = Array.from({ length: height }, (_row, y) => y).filter((y) =>
      dots.subarray(y * width + 10, y * width + 16).some((dot) => dot < 250),
    );
    expect(marks.map((y) => Math.round(((y + 0.5) / height) * 297))).toEqual([105, 149, 210]);
    // Letterhead, address and text have ink; between text and footer, the page of a short letter is white.
    expect(ink(0.03, 0.1)).toBeGreaterThan(100);
    expect(ink(0.16, 0.25)).toBeGreaterThan(200);
    expect(ink(0.3, 0.55)).toBeGreaterThan(400);
    expect(ink(0.72, 0.9)).toBe(0);
    expect(ink(0.92, 1)).toBeGreaterThan(50);
  });

  test.each(['usual', 'ofCompany', 'ofPerson', 'longName', 'ofOneLongWord', 'withoutProfile'])(
    'has the address inside its field, at a fixed height and in at most nine lines: %s',
    (name) => {
      const field = wordsIn(words(name), addressField);
      const values = all[name] ?? usual;
      expect(unbroken(field.map(({ text }) => text).join(''))).toBe(
        unbroken(`${senderLine}${addressOf(values)}`),
      );
      const address = field.slice(senderLine.split(' ').length);
      const [first] = address;
      for (const { right, bottom } of field) {
        expect(right).toBeLessThanOrEqual(105);
        expect(bottom).toBeLessThanOrEqual(90);
      }
      expect(first?.left).toBeCloseTo(25, 0);
      // The zone of the address begins at 62.7 mm; a long one also uses that of the remarks above it.
      const isUsual =
        name === 'usual' || name === 'ofCompany' || name === 'ofPerson' || name === 'withoutProfile';
      expect(first?.top).toBeGreaterThan(isUsual ? 62.4 : 55);
      expect(first?.top).toBeLessThan(64.5);
      expect(new Set(address.map(({ top }) => top.toFixed(1))).size).toBeLessThanOrEqual(9);
      // DIN 5008: the subject starts 98.46 mm from the top, regardless of the length of the address.
      const [subject] = wordsIn(words(name), { top: 90, bottom: 110 });
      expect(subject?.top).toBeGreaterThan(97.5);
      expect(subject?.top).toBeLessThan(99.5);
    },
  );

  // At 98.46 mm, the subject begins where the window and its margin end; a longer address moves it down.
  test.each(Object.entries(withLongNames))(
    'has an address that is in the window, or the warning that it is too long: %s',
    (name, values) => {
      const subject = words(name).find(({ text }) => text === 'Betreff');
      const isInWindow = subject !== undefined && subject.top < 99.5;
      const codes = addressWarnings(values, 'de').map(({ code }) => code);
      expect(codes).toEqual(isInWindow ? [] : ['address_too_long']);
    },
  );

  test.each(['longest', 'tooLong'] as const)(
    'shows all of an address that does not fit into the field, and moves the text below it down: %s',
    (name) => {
      const { company, lastName, city } = letters[name];
      const everything = unbroken(textIn(words(name), { left: 20, right: 115, top: 45, bottom: 270 }));
      for (const value of [company, lastName, city]) expect(everything).toContain(unbroken(value));
      expect(Math.max(...words(name).map(({ right }) => right))).toBeLessThan(210);
    },
  );

  test('has a long sender inside the information block', () => {
    const { userFirstName, userLastName, userEmail } = letters.longest;
    const block = wordsIn(words('longest'), informationBlock);
    expect(unbroken(block.map(({ text }) => text).join(''))).toContain(
      unbroken(`${userFirstName} ${userLastName}`),
    );
    expect(unbroken(block.map(({ text }) => text).join(''))).toContain(userEmail);
    for (const { left, right } of block) expect([left >= 124.9, right <= 200.5]).toEqual([true, true]);
  });

  test('has a small header with subject and page number from the second page on, and the footer only on the first page', () => {
    const count = pages('ofThreePages');
    expect(count).toBeGreaterThanOrEqual(2);
    expect(textIn(words('ofThreePages'), letterhead)).toBe('Muster Bau GmbH');
    expect(textIn(words('ofThreePages'), footer)).toMatch(companyDetails);
    expect(textIn(words('ofThreePages'), footer)).toContain(`Seite 1 von ${count}`);
    for (let page = 2; page <= count; page++) {
      expect(textIn(words('ofThreePages'), { page, top: 0, bottom: 25 })).toBe(
        `${usual.subject} Seite ${page} von ${count}`,
      );
      expect(textIn(words('ofThreePages'), { ...footer, page })).toBe('');
    }
    const text = textIn(words('ofThreePages'), { page: count, top: 25, bottom: 270 });
    expect(text).toMatch(/Mit freundlichen Grüßen Schäfer & Partner Jörg Schäfer$/);
    const item = words('ofThreePages').find(({ text: word }) => word === 'Bauteil');
    expect(item?.left).toBeCloseTo(32, 0);
    expect(textIn(words('longest'), { top: 0, bottom: 45 })).toBe('Muster Bau GmbH');
  });

  test('never ends a page between the closing and the signature', () => {
    const names = Object.keys(pageEnds);
    expect(new Set(names.map(pages))).toEqual(new Set([1, 2]));
    for (const name of names) {
      const closing = words(name).findLast(({ text }) => text === 'Grüßen');
      const signature = words(name).findLast(({ text }) => text === 'Schäfer');
      expect([name, closing?.page]).toEqual([name, signature?.page]);
    }
  });

  test('without a profile has no label, separator, or gap for missing values', () => {
    expect(textIn(words('withoutProfile'), letterhead)).toBe('Muster Bau GmbH');
    expect(textIn(words('withoutProfile'), addressField)).toMatch(senderLine);
    expect(rowsIn(words('withoutProfile'), informationBlock)).toEqual([
      'Ihr Kontakt Jörg Schäfer',
      'E-Mail j.schaefer@firma.example',
      'Datum 23.11.2026',
    ]);
    expect(textIn(words('withoutProfile'), { top: 90, bottom: 270 })).toMatch(
      /Mit freundlichen Grüßen Jörg Schäfer$/,
    );
    expect(textIn(words('withoutProfile'), footer)).toMatch(companyDetails);
    const lines = wordsIn(words('withoutProfile'), informationBlock).filter(({ left }) => left < 130);
    const [one = 0, two = 0, three = 0] = [...new Set(lines.map(({ bottom }) => bottom))].toSorted(
      (a, b) => a - b,
    );
    expect(three - two).toBeCloseTo(two - one, 1);
  });

  test('of 50 pages is complete up to the last page', () => {
    expect(pages('fiftyPages')).toBe(50);
    const last = textIn(words('fiftyPages'), { page: 50, top: 0, bottom: 297 });
    expect(last).toContain('Ende für Bau & Söhne GmbH <Nord>');
    expect(last).toContain('Prüfprotokoll');
  });
});

requires('LibreOffice', 'DejaVu fonts').describe(`a file saved by LibreOffice`, () => {
  const pieces = ['{', '{', 'com', 'pany', '}', '}'].map((piece, index) =>
    run(piece, index % 2 === 0 ? '<w:b/>' : '<w:i/>'),
  );
  const hostile = Object.fromEntries(
    placeholders.map((name) => [name, `<${name}> & "x" ]]> {{#a}} 😀\u0007`]),
  ) as LetterValues;
  let saved: Record<'letter' | 'template', Buffer>;

  beforeAll(async () => {
    saved = await savedAs(
      {
        letter: filled({ ...hostile, content: `a\tb\nc\n\n${'ü'.repeat(20_000)}` }),
        template: wordFile(
          `<w:p>${run('An ')}${pieces.join('')}</w:p><w:p>${run('{{con', '<w:b/>')}${run('tent}}')}</w:p>`,
        ),
      },
      'docx:MS Word 2007 XML',
    );
  }, timeoutMs);

  test('that was a letter still has its text, so LibreOffice opened it without a repair', () => {
    const text = paragraphsOf(saved.letter);
    expect(text).toContain('<company> & "x" ]]> {{#a}} 😀');
    expect(text).toContain('a\tb\nc');
    expect(text).toContain('ü'.repeat(20_000));
  });

  test('may be a template with placeholders split into pieces', () => {
    expect(partOf(saved.template, 'word/document.xml')).not.toContain('{{company}}');
    const text = paragraphsOf(fillTemplate(prepareTemplate(saved.template), usual, letterMoment));
    expect(text).toEqual(expect.arrayContaining([`An ${usual.company}`, 'Sehr geehrte Frau Dr. Weber,']));
  });
});

function run(text: string, format = ''): string {
  return `<w:r><w:rPr>${format}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
}

function ofFiftyPages(): Buffer {
  const p = (text: string): string => `<w:p>${run(text)}</w:p>`;
  const page = `${p('Vertragsbedingungen '.repeat(15)).repeat(8)}<w:p><w:r><w:br w:type="page"/></w:r></w:p>`;
  const long = wordFile(`${page.repeat(49)}${p('{{content}}')}${p('Ende für {{company}}')}`);
  return fillTemplate(prepareTemplate(long), usual, letterMoment);
}

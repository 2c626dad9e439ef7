import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  contactValues,
  type LetterValues,
  placeholders,
} from '../../../../lib/activities/letter/filling/placeholders.ts';
import { fillTemplate, prepareTemplate } from '../../../../lib/activities/letter/word-template.ts';
import { letterMoment } from '../../../support/letter-moment.ts';
import { paragraphsOf, partOf, wordFile } from '../../../support/word-file.ts';

const empty = Object.fromEntries(placeholders.map((name) => [name, ''])) as LetterValues;
const run = (text: string): string => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
const p = (...texts: string[]): string => `<w:p>${texts.map(run).join('')}</w:p>`;
const letter = (body: string, values: Partial<LetterValues>): Buffer =>
  fillTemplate(prepareTemplate(wordFile(body)), { ...empty, ...values }, letterMoment);
const linesOf = (body: string, values: Partial<LetterValues>): string[] => paragraphsOf(letter(body, values));

const addressField = [
  p('{{company}}'),
  p('{{title}} {{firstName}} {{lastName}}'),
  p('{{street}} {{houseNumber}}'),
  p('{{zip}} {{city}}'),
  p('Betreff'),
].join('');
const whole = {
  company: 'Bau GmbH',
  title: 'Herr Dr.',
  firstName: 'Max',
  lastName: 'Meier',
  street: 'Am Kai',
  houseNumber: '5',
  zip: '24103',
  city: 'Kiel',
};

test.each([
  ['everything', {}, ['Bau GmbH', 'Herrn Dr. Max Meier', 'Am Kai 5', '24103 Kiel']],
  ['no title', { title: '' }, ['Bau GmbH', 'Max Meier', 'Am Kai 5', '24103 Kiel']],
  ['no gender', { title: 'Divers' }, ['Bau GmbH', 'Max Meier', 'Am Kai 5', '24103 Kiel']],
  ['no first name', { firstName: '' }, ['Bau GmbH', 'Herrn Dr. Meier', 'Am Kai 5', '24103 Kiel']],
  ['no last name', { title: '', lastName: '' }, ['Bau GmbH', 'Max', 'Am Kai 5', '24103 Kiel']],
  ['a company only', { title: '', firstName: '', lastName: '' }, ['Bau GmbH', 'Am Kai 5', '24103 Kiel']],
  ['no company', { company: '' }, ['Herrn Dr. Max Meier', 'Am Kai 5', '24103 Kiel']],
  ['no house number', { houseNumber: '' }, ['Bau GmbH', 'Herrn Dr. Max Meier', 'Am Kai', '24103 Kiel']],
  ['no zip', { zip: '' }, ['Bau GmbH', 'Herrn Dr. Max Meier', 'Am Kai 5', 'Kiel']],
  [
    'spaces as title and as name',
    { title: ' ', firstName: '  ' },
    ['Bau GmbH', 'Meier', 'Am Kai 5', '24103 Kiel'],
  ],
] as const)('an address with %s has no empty line and no extra space', (_what, changes, lines) => {
  expect(linesOf(addressField, { ...whole, ...changes })).toEqual([...lines, 'Betreff']);
});

test('what a contact does not have is an empty value', () => {
  const contact = { ...whole, company: null, title: null, firstName: null, houseNumber: null };
  expect(contactValues(contact)).toEqual({
    ...whole,
    company: '',
    title: '',
    firstName: '',
    houseNumber: '',
  });
});

test('an address in one paragraph that Word has spread over runs has no extra space', () => {
  const body = p('{{ti', 'tle}}', ' ', '{{firstName}}', ' {{last', 'Name}}') + p('Ende');
  expect(linesOf(body, { ...whole, title: '' })[0]).toBe('Max Meier');
});

describe('separators', () => {
  const sender = '{{userCompany}} · {{userStreet}} · {{userPostalCode}} {{userCity}}';
  test.each([
    [sender, { userCompany: 'Firma', userStreet: 'Am Kai 5', userCity: 'Kiel' }, 'Firma · Am Kai 5 · Kiel'],
    [sender, { userCompany: 'Firma', userCity: 'Kiel' }, 'Firma · Kiel'],
    [sender, { userStreet: 'Am Kai 5', userCity: 'Kiel' }, 'Am Kai 5 · Kiel'],
    [sender, { userCompany: 'Firma' }, 'Firma'],
    [sender.replaceAll(' · ', ' | '), { userCompany: 'Firma', userCity: 'Kiel' }, 'Firma | Kiel'],
    [sender.replaceAll(' · ', ', '), { userCompany: 'Firma', userCity: 'Kiel' }, 'Firma, Kiel'],
    ['Telefon {{userPhone}} · Telefax {{userFax}} · {{userEmail}}', { userEmail: 'a@x.de' }, 'a@x.de'],
    [
      'Telefon {{userPhone}} · Telefax {{userFax}} · {{userEmail}}',
      { userPhone: '0431 1', userEmail: 'a@x.de' },
      'Telefon 0431 1 · a@x.de',
    ],
    ['Kiel · {{userPhone}} · HRB 4711', {}, 'Kiel · HRB 4711'],
    ['{{userCity}} (Tel. {{userPhone}})', { userCity: 'Kiel' }, 'Kiel'],
    ['{{userCity}} ({{userPhone}}, {{userFax}})', { userCity: 'Kiel' }, 'Kiel'],
    ['{{userCity}} (Nord)', { userCity: 'Kiel' }, 'Kiel (Nord)'],
    ['{{userCity}} ({{userPhone}}, {{userFax}})', { userCity: 'Kiel', userPhone: '1' }, 'Kiel (1)'],
    ['Telefon {{userPhone}} und Telefax {{userFax}}', { userPhone: '1' }, 'Telefon 1'],
    ['Telefon {{userPhone}} und Telefax {{userFax}}', { userFax: '2' }, 'Telefax 2'],
    ['{{userFirstName}} und {{userLastName}}', { userFirstName: 'Anna' }, 'Anna und'],
    ['Tel./Fax: {{userPhone}}/{{userFax}}', { userPhone: '1' }, 'Tel./Fax: 1'],
    ['☎ {{userPhone}} ✉ {{userEmail}}', { userEmail: 'a@x.de' }, '✉ a@x.de'],
    ['☎ {{userPhone}} ✉ {{userEmail}}', { userPhone: '1' }, '☎ 1'],
  ])('%s with %o is %s', (line, values, written) => {
    expect(linesOf(p(line) + p('Ende'), values)).toEqual([written, 'Ende']);
  });
});

test('a label is removed with its value; a sentence is kept', () => {
  const spaces = ' '.repeat(60);
  expect(linesOf(p(`${spaces}Telefax: {{userFax}}`) + p('Ende'), {})).toEqual(['Ende']);
  const sentence = 'Bei Rückfragen erreichen Sie uns gern jederzeit unter {{userPhone}}.';
  expect(linesOf(p('Telefax  {{userFax}}') + p(sentence) + p('Ende'), {})).toEqual([
    sentence.replace(' {{userPhone}}', ''),
    'Ende',
  ]);
});

test('a title inside a text is written as in the contact', () => {
  expect(linesOf(p('Kontakt: {{title}} {{lastName}}') + p('Ende'), whole)[0]).toBe('Kontakt: Herr Dr. Meier');
});

test('text without placeholders keeps its spaces and empty lines', () => {
  const body = p('a  ·  b , c') + p('') + p('  {{city}}  x') + p('Ende');
  expect(linesOf(body, whole)).toEqual(['a  ·  b , c', '', '  Kiel  x', 'Ende']);
});

test('the last paragraph of a cell, and one that contains more than text, is emptied but not removed', () => {
  const cell = `<w:tbl><w:tr><w:tc>${p('{{company}}')}</w:tc></w:tr></w:tbl>`;
  const anchor =
    '<w:p><w:bookmarkStart w:id="1" w:name="b"/><w:bookmarkEnd w:id="1"/>' +
    run('Fax {{userFax}}') +
    '</w:p>';
  const file = letter(cell + anchor + p('Ende'), {});
  expect(paragraphsOf(file)).toEqual(['', '', 'Ende']);
  expect(partOf(file, 'word/document.xml')).toContain('w:name="b"');
});

describe('any line of placeholders', () => {
  const names = [
    'company',
    'firstName',
    'lastName',
    'street',
    'zip',
    'city',
    'userPhone',
    'userEmail',
  ] as const;
  const separator = fc.constantFrom(' ', '  ', ' · ', ' | ', ', ', ' – ', '·');
  const value = fc.oneof(fc.constant(''), fc.constant(' '), fc.stringMatching(/^[A-Za-zÄÖÜäöüß0-9]{1,12}$/));
  const line = fc
    .tuple(
      fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 6 }),
      fc.infiniteStream(separator),
    )
    .map(([chosen, separators]) => {
      const pieces = chosen.flatMap((name, index) => [
        ...(index === 0 ? [] : [separators.next().value ?? ' ']),
        `{{${name}}}`,
      ]);
      return { chosen, pieces };
    });
  // Word splits runs anywhere.
  const cuts = fc.array(fc.nat(), { maxLength: 5 });
  const values = fc.record(
    Object.fromEntries(names.map((name) => [name, value])) as Record<(typeof names)[number], typeof value>,
  );

  test('shows its values in order with one separator between them, and is removed when all are empty', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(line, cuts), { minLength: 8, maxLength: 8 }), values, (all, given) => {
        const paragraphs = all.map(([{ pieces }, places]) => p(...runsOf(pieces.join(''), places)));
        const shown = all.map(([{ chosen }]) => chosen.map((name) => given[name].trim()).filter(Boolean));
        const written = linesOf(paragraphs.join('') + p('Ende'), given);

        const remaining = all.filter((_line, index) => shown[index]?.length !== 0);
        expect(written.map(valuesIn)).toEqual([...shown.filter(({ length }) => length > 0), ['Ende']]);
        for (const [index, [{ pieces }]] of remaining.entries()) {
          const between = (written[index] ?? '').split(/[^\s·|,–]+/);
          // One separator per gap, each of them from the template.
          expect(between.slice(1, -1).every((gap) => pieces.includes(gap))).toBe(true);
        }
      }),
      { numRuns: 24 },
    );
  });
});

const valuesIn = (line: string): string[] => line.split(/[\s·|,–]+/);

function runsOf(text: string, places: readonly number[]): string[] {
  const ends = [...places.map((place) => place % (text.length + 1)), text.length].toSorted((a, b) => a - b);
  return ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end)).filter((part) => part !== '');
}

test('a content control without properties is filled like any other', () => {
  const control = `<w:sdt><w:sdtContent>${p('{{company}}')}</w:sdtContent></w:sdt>`;
  expect(linesOf(control, { company: 'Bau GmbH' })).toEqual(['Bau GmbH']);
});

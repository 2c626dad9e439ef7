import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type LetterValues, placeholders } from '../../../../lib/activities/letter/placeholders.ts';
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
    'blanks for a title, and for a name',
    { title: ' ', firstName: '  ' },
    ['Bau GmbH', 'Meier', 'Am Kai 5', '24103 Kiel'],
  ],
] as const)('an address with %s has no empty line and no blank too many', (_what, changes, lines) => {
  expect(linesOf(addressField, { ...whole, ...changes })).toEqual([...lines, 'Betreff']);
});

test('the same in one paragraph whose words Word has spread over runs', () => {
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
  ])('%s with %o is %s', (line, values, written) => {
    expect(linesOf(p(line) + p('Ende'), values)).toEqual([written, 'Ende']);
  });
});

test('a label goes with its value; a sentence stays', () => {
  const sentence = 'Bei Rückfragen erreichen Sie uns gern jederzeit unter {{userPhone}}.';
  expect(linesOf(p('Telefax  {{userFax}}') + p(sentence) + p('Ende'), {})).toEqual([
    sentence.replace('{{userPhone}}', ''),
    'Ende',
  ]);
});

test('a title within text is the one of the contact', () => {
  expect(linesOf(p('Kontakt: {{title}} {{lastName}}') + p('Ende'), whole)[0]).toBe('Kontakt: Herr Dr. Meier');
});

test('text without placeholders keeps its blanks and empty lines', () => {
  const body = p('a  ·  b , c') + p('') + p('  {{city}}  x') + p('Ende');
  expect(linesOf(body, whole)).toEqual(['a  ·  b , c', '', '  Kiel  x', 'Ende']);
});

test('the last paragraph of a cell, and one that carries more than text, is emptied and stays', () => {
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
  // Word cuts runs wherever it likes.
  const cuts = fc.array(fc.nat(), { maxLength: 5 });
  const values = fc.record(
    Object.fromEntries(names.map((name) => [name, value])) as Record<(typeof names)[number], typeof value>,
  );

  test('shows its values in order, no separator too many, and goes when all of them are empty', () => {
    fc.assert(
      fc.property(line, cuts, values, ({ chosen, pieces }, places, given) => {
        const text = pieces.join('');
        const ends = [...places.map((place) => place % (text.length + 1)), text.length].toSorted(
          (a, b) => a - b,
        );
        const runs = ends
          .map((end, index) => text.slice(ends[index - 1] ?? 0, end))
          .filter((part) => part !== '');
        const written = linesOf(p(...runs) + p('Ende'), given);
        const shown = chosen.map((name) => given[name].trim()).filter((part) => part !== '');

        if (shown.length === 0) expect(written).toEqual(['Ende']);
        else {
          const [only = ''] = written;
          expect(written).toEqual([only, 'Ende']);
          expect(only.split(/[\s·|,–]+/)).toEqual(shown);
          const between = only.split(/[^\s·|,–]+/);
          // As many separators as gaps, each of them one that the template has.
          expect(between.slice(1, -1).every((gap) => pieces.includes(gap))).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });
});

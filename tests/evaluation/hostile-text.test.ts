import { describe, expect, test } from 'vitest';
import { letterName } from '../../lib/activities/letter/filling/letter-name.ts';
import { mailtoLink } from '../../lib/activities/mailto-link.ts';
import { mailRecipient } from '../../lib/contacts/mail-recipient.ts';
import { placeholders, type LetterValues } from '../../lib/activities/letter/filling/placeholders.ts';
import { writeActivityText } from '../../lib/activities/text/activity-text.ts';
import { findingsIn } from '../../lib/activities/text/text-check.ts';
import { fillTemplate, prepareTemplate } from '../../lib/activities/letter/word-template.ts';
import { letterMoment } from '../support/letter-moment.ts';
import { wordFile } from '../support/word-file.ts';
import { hiddenNames } from '../../lib/activities/text/names/hidden-names.ts';
import { task } from '../unit/activities/text/writing-task.ts';

// The longest text that the service accepts. A pattern that backtracked on braces took two minutes for it; a linear one
// takes milliseconds, so the test's timeout distinguishes them on any machine.
const length = 20_000;
const pieces = [
  'a',
  '*',
  '_',
  '[',
  '{',
  '<a',
  '>',
  '# ',
  '`',
  '1',
  '1.',
  'a@',
  'a.',
  'www.',
  'http://',
  'DE12 3456 ',
  '1. januar ',
  '\n',
  ' \n',
  '\n\n',
  '1.\n',
  '- ',
  '„du',
  '😀',
  '\u0300',
  '\r',
  '&',
  '%0D',
  'aai#',
  'Betreff: ',
  '-',
  '. ',
  '_vti_',
  '§ 1 Abs. 1 ',
  '+49 ',
  '€ ',
  '1 000 ',
  '000.',
  '«a',
  '(bitte ',
  'hat ihr ',
  'T-1',
  'a-',
  '| ',
  'Hallo, ',
  'DIN EN ',
  'in 2 ',
  'Mit freundlichen Grüßen\n',
];

const template = prepareTemplate(
  wordFile(
    '<w:p><w:r><w:t>{{content}}</w:t></w:r></w:p><w:p><w:r><w:t>{{content}} {{subject}}</w:t></w:r></w:p>',
  ),
);
const empty = Object.fromEntries(placeholders.map((name) => [name, ''])) as LetterValues;

describe.each(pieces)('a text that repeats %j', (piece) => {
  const text = `x${piece.repeat(Math.ceil(length / piece.length))}y`;
  const blanks = `x${' '.repeat(length)}${piece}`;

  test('is checked, linked, named and filled in', () => {
    for (const content of [text, blanks]) {
      expect(findingsIn({ subject: content, content }, task()).length).toBeGreaterThan(0);
      expect(mailtoLink({ recipient: 'a@x.de', subject: content, body: content })).toMatch(
        /^mailto:a@x\.de\?/,
      );
      expect(mailRecipient(`${content}@x.de`)).toBeNull();
      expect(letterName({ date: '2026-11-20', recipient: content, subject: content }).length).toBeLessThan(
        300,
      );
      expect(
        fillTemplate(template, { ...empty, subject: content, content }, letterMoment).length,
      ).toBeGreaterThan(500);
    }
  });
});

test('a paragraph of many runs around {{content}} is examined without backtracking', () => {
  const runs = '<w:r><w:rPr><w:b/></w:rPr><w:t></w:t></w:r>'.repeat(500);
  const body = `<w:p>${runs}${' '.repeat(500)}<w:r><w:t>{{content}}</w:t></w:r>${runs}<w:r><w:tab/></w:r></w:p>`;
  expect(prepareTemplate(wordFile(body)).file.length).toBeGreaterThan(1);
});

// One search of all names for each of them took 38 s for the first of these orders.
test.each([
  ['a thousand people', (index: number) => `Dr K${letters(index)}er `],
  ['titles without names', () => 'Dr '],
  ['titles of many people', () => 'Herr A und '],
  ['words like pseudonyms', (index: number) => `Frau Tarna${letters(index)} Wedde${letters(index)} `],
  ['hyphens at the ends of lines', () => 'Aa-\n'],
  ['addresses without ends', () => 'www.'],
  ['escapes', () => '%41'],
  ['entities', () => '&'],
  ['apostrophes', () => "a'"],
  ['letters of another alphabet', () => 'Мüller '],
])('names are hidden in an order of %s', (_what, piece) => {
  let description = '';
  for (let index = 0; description.length < 10_000; index++) description += piece(index);
  const previous = { subject: 'x', content: description.repeat(2) };
  const given = task({ description, previous });
  expect(leastMilliseconds(() => hiddenNames(given))).toBeLessThan(200);
  const hidden = hiddenNames(given);
  expect(hidden.restored(hidden.task.description).length).toBeGreaterThan(9_000);
  expect(hidden.altered(description)).toEqual([]);
});

// A search of all days of the order for each place of the text took 31 s for the first of these, and 1.9 s for the second;
// a search for rates from each digit of the third took 0.8 s.
test.each([
  'Mo 3.4. ',
  '5. ',
  '1',
  '8., ',
  '2 ',
  '2\n',
  '2+',
  '3,5 ',
  '12,50 EUR\n',
  '7 Uhr 3 Tage ',
  'montag ',
  '20 % ',
])('a text is compared within 200 ms with an order that repeats %j', (piece) => {
  const description = piece.repeat(10_000 / piece.length);
  const content = piece
    .replace(/\d/g, (digit) => `${(Number(digit) + 4) % 10}`)
    .repeat(length / piece.length);
  const check = () => findingsIn({ subject: 'x', content }, task({ description }));
  expect(leastMilliseconds(check)).toBeLessThan(200);
});

// Restoring the text before each of its places took 1.5 s.
test('the places of a text with hidden names are found within 200 ms', async () => {
  let milliseconds = Infinity;
  for (let run = 0; run < 3; run++) {
    let before = process.cpuUsage();
    const write = async () => {
      before = process.cpuUsage();
      return { subject: 'x', content: 'anbei '.repeat(length / 6) };
    };
    const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const provider = { sendsNames: false, session: () => ({ write }) };
    const { derived } = await writeActivityText(provider, task({ description: 'anbei der Plan' }), silent);
    expect(derived).toHaveLength(Math.floor(length / 6));
    const { user, system } = process.cpuUsage(before);
    milliseconds = Math.min(milliseconds, (user + system) / 1000);
  }
  expect(milliseconds).toBeLessThan(200);
});

/** Of processor time, of three runs: the first one compiles, and other programs may take the cache of one. */
function leastMilliseconds(work: () => unknown): number {
  const runs = [1, 2, 3].map(() => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...runs);
}

const letters = (index: number): string =>
  index.toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)]!);

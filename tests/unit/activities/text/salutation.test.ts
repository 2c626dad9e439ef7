import { describe, expect, test } from 'vitest';
import { addressesRecipient, salutation } from '../../../../lib/activities/text/names/salutation.ts';
import { titleInAddress } from '../../../../lib/activities/text/names/title-address.ts';
import { findingsIn } from '../../../../lib/activities/text/text-check.ts';
import { contact, task } from './writing-task.ts';

const noPerson = ['Sehr geehrte Damen und Herren,', 'Dear Sir or Madam,'] as const;

test.each([
  ['Frau Dr.', 'Anna', 'Weber', 'Sehr geehrte Frau Dr. Weber,', 'Dear Dr. Weber,'],
  ['Herr', 'Max', 'Meier', 'Sehr geehrter Herr Meier,', 'Dear Mr Meier,'],
  ['Hr', 'Max', 'Meier', 'Sehr geehrter Herr Meier,', 'Dear Mr Meier,'],
  ['Hr.', null, 'Meier', 'Sehr geehrter Herr Meier,', 'Dear Mr Meier,'],
  ['Fr', 'Eva', 'Meier', 'Sehr geehrte Frau Meier,', 'Dear Ms Meier,'],
  ['Fr. Dr', 'Eva', 'Meier', 'Sehr geehrte Frau Dr. Meier,', 'Dear Dr. Meier,'],
  ['Herrn Prof. Dr.', 'Max', 'Meier', 'Sehr geehrter Herr Prof. Dr. Meier,', 'Dear Prof. Dr. Meier,'],
  ['Herr Prof. Dr.-Ing.', 'Max', 'Meier', 'Sehr geehrter Herr Prof. Dr. Meier,', 'Dear Prof. Dr. Meier,'],
  ['Frau Dr. rer. nat.', 'Eva', 'Meier', 'Sehr geehrte Frau Dr. Meier,', 'Dear Dr. Meier,'],
  ['Herr Dr. Dr. h.c.', 'Max', 'Meier', 'Sehr geehrter Herr Dr. Meier,', 'Dear Dr. Meier,'],
  ['Herr Dipl.-Ing.', 'Max', 'Meier', 'Sehr geehrter Herr Meier,', 'Dear Mr Meier,'],
  ['Herr Dipl.-Ing. (FH)', 'Max', 'Meier', 'Sehr geehrter Herr Meier,', 'Dear Mr Meier,'],
  ['Frau Rechtsanwältin', 'Eva', 'Meier', 'Sehr geehrte Frau Rechtsanwältin Meier,', 'Dear Ms Meier,'],
  ['Frau', 'Eva', 'Meier, M.Sc.', 'Sehr geehrte Frau Meier,', 'Dear Ms Meier,'],
  ['Frau', 'Eva', 'Meier MBA', 'Sehr geehrte Frau Meier,', 'Dear Ms Meier,'],
  ['Herr', 'Max', 'Meier, Dr.', 'Sehr geehrter Herr Dr. Meier,', 'Dear Dr. Meier,'],
  // Address books repeat names, and put first names and names at birth behind them.
  ['Frau Lehmann', null, 'Lehmann', 'Sehr geehrte Frau Lehmann,', 'Dear Ms Lehmann,'],
  ['Frau Dr. Lehmann', null, 'Lehmann', 'Sehr geehrte Frau Dr. Lehmann,', 'Dear Dr. Lehmann,'],
  ['Herr', null, 'Schulz, Peter', 'Sehr geehrter Herr Schulz,', 'Dear Mr Schulz,'],
  ['Frau', 'Eva', 'Schulz (geb. Groß)', 'Sehr geehrte Frau Schulz,', 'Dear Ms Schulz,'],
  ['Frau', 'Eva', 'Schulz, geb. Groß', 'Sehr geehrte Frau Schulz,', 'Dear Ms Schulz,'],
  ['frau', null, 'von der Heide', 'Sehr geehrte Frau von der Heide,', 'Dear Ms von der Heide,'],
  [
    'Herr und Frau',
    null,
    'Schulz',
    'Sehr geehrte Frau Schulz, sehr geehrter Herr Schulz,',
    'Dear Mr and Ms Schulz,',
  ],
  [
    'Frau Dr. & Herr',
    null,
    'Schulz',
    'Sehr geehrte Frau Dr. Schulz, sehr geehrter Herr Schulz,',
    'Dear Dr. and Mr Schulz,',
  ],
  ['Familie', null, 'Schulz', 'Sehr geehrte Familie Schulz,', 'Dear Schulz family,'],
  ['Fam.', null, 'Schulz', 'Sehr geehrte Familie Schulz,', 'Dear Schulz family,'],
  ['Eheleute', null, 'Schulz', 'Sehr geehrte Eheleute Schulz,', 'Dear Schulz family,'],
  ['Ehepaar', null, 'Schulz', 'Sehr geehrtes Ehepaar Schulz,', 'Dear Schulz family,'],
  ['Frau/Herr', 'Kim', 'Yilmaz', 'Guten Tag Kim Yilmaz,', 'Dear Kim Yilmaz,'],
  ['Herr / Frau', 'Kim', 'Yilmaz', 'Guten Tag Kim Yilmaz,', 'Dear Kim Yilmaz,'],
  ['Frau oder Herr', null, 'Yilmaz', ...noPerson],
  ['Divers', 'Kim', 'Yilmaz', 'Guten Tag Kim Yilmaz,', 'Dear Kim Yilmaz,'],
  ['Divers Dr.', 'Kim', 'Yilmaz', 'Guten Tag Dr. Kim Yilmaz,', 'Dear Dr. Kim Yilmaz,'],
  ['Dr.', 'Kim', 'Yilmaz', 'Guten Tag Dr. Kim Yilmaz,', 'Dear Dr. Kim Yilmaz,'],
  ['Dr.', null, 'Yilmaz', 'Guten Tag Dr. Yilmaz,', 'Dear Dr. Yilmaz,'],
  ['Prof. Dr.', 'Kim', 'Yilmaz', 'Guten Tag Prof. Dr. Kim Yilmaz,', 'Dear Prof. Dr. Kim Yilmaz,'],
  ['Dipl.-Ing.', 'Kim', 'Yilmaz', 'Guten Tag Kim Yilmaz,', 'Dear Kim Yilmaz,'],
  [null, 'Kim', 'Yilmaz', 'Guten Tag Kim Yilmaz,', 'Dear Kim Yilmaz,'],
  [null, null, 'Yilmaz', ...noPerson],
  ['Sehr geehrter Herr', 'Max', 'Meier', 'Sehr geehrter Herr Meier,', 'Dear Mr Meier,'],
  ['Sehr geehrte Frau Dr.,', 'Eva', 'Meier', 'Sehr geehrte Frau Dr. Meier,', 'Dear Dr. Meier,'],
  ['z. Hd. Herr', 'Max', 'Meier', 'Sehr geehrter Herr Meier,', 'Dear Mr Meier,'],
  ['z.Hd. Frau', 'Eva', 'Meier', 'Sehr geehrte Frau Meier,', 'Dear Ms Meier,'],
  ['zu Händen von Herrn', 'Max', 'Meier', 'Sehr geehrter Herr Meier,', 'Dear Mr Meier,'],
  ['Liebe Frau', 'Eva', 'Meier', 'Sehr geehrte Frau Meier,', 'Dear Ms Meier,'],
  ['m', 'Max', 'Meier', 'Sehr geehrter Herr Meier,', 'Dear Mr Meier,'],
  ['W', 'Eva', 'Meier', 'Sehr geehrte Frau Meier,', 'Dear Ms Meier,'],
  ['Herren', 'Kim', 'Meier', 'Guten Tag Kim Meier,', 'Dear Kim Meier,'],
  ['Sehr geehrte Damen und Herren', null, 'Meier', ...noPerson],
  ['Frauke', 'F.', 'Y', 'Guten Tag Frauke F. Y,', 'Dear Frauke F. Y,'],
  ['Herr', 'Max', null, ...noPerson],
  ['Firma', null, null, ...noPerson],
  [null, null, null, ...noPerson],
])('%s %s %s: %s', (title, firstName, lastName, german, english) => {
  const to = { ...contact, title, firstName, lastName };
  expect(salutation(to, 'de')).toBe(german);
  expect(salutation(to, 'en-GB')).toBe(english);
  expect(salutation(to, 'fr')).toBeNull();
});

test('a line in a language without salutations of ours addresses nobody', () => {
  expect(addressesRecipient('Dear Ms Weber,', { contact, language: 'fr' })).toBe(false);
});

test('in Austria a degree is part of the salutation', () => {
  const to = { ...contact, title: 'Herr Dipl.-Ing.', lastName: 'Huber' };
  expect(salutation(to, 'de-AT')).toBe('Sehr geehrter Herr Dipl.-Ing. Huber,');
});

describe('the check', () => {
  const findings = (title: string | null, line: string, changes = {}): string[] =>
    findingsIn(
      { subject: 'x', content: `${line}\n\nText\n\nMit freundlichen Grüßen\nJörg Schäfer` },
      task({ contact: { ...contact, title, ...changes } }),
    ).map(({ code }) => code);

  test.each([
    ['Frau/Herr', 'Guten Tag Anna Weber,'],
    ['Frau/Herr', 'Sehr geehrte Damen und Herren,'],
    ['Divers', 'Guten Tag,'],
    [null, 'Sehr geehrte Damen und Herren,'],
  ])('accepts, for a contact without a gender (%s), %s', (title, line) => {
    expect(findings(title, line)).toEqual([]);
  });

  const hoffmann = ['Herr Prof. Dr.-Ing.', 'Karl', 'Hoffmann'] as const;
  const reimers = ['Frau Rechtsanwältin', 'Dörte', 'Reimers'] as const;
  const sahin = ['Frau Dr. med.', 'Farida', 'Şahin'] as const;
  const bauer = ['Herr Dipl.-Ing.', 'Martin', 'Bauer'] as const;
  const nowak = [null, 'Jan', 'Nowak'] as const;
  const firm = [null, null, null] as const;

  test.each([
    [hoffmann, 'Sehr geehrter Herr Prof. Dr. Hoffmann,', true],
    [hoffmann, 'Sehr geehrter Herr Prof. Dr.-Ing. Karl Hoffmann,', true],
    [hoffmann, 'Sehr geehrter Herr Professor Hoffmann,', true],
    [hoffmann, 'Sehr geehrter Herr Prof. Hofmann,', false],
    [hoffmann, 'Sehr geehrte Frau Professor Hoffmann,', false],
    [hoffmann, 'Sehr geehrter Herr Hoffmann,', false],
    [hoffmann, 'Guten Tag Herr Hoffmann,', false],
    [hoffmann, 'Lieber Herr Hoffmann,', true],
    [reimers, 'Sehr geehrte Frau Reimers,', true],
    [reimers, 'Sehr geehrte Frau Rechtsanwältin Reimers,', true],
    [reimers, 'Sehr geehrte Frau Rechtsanwältin,', true],
    [reimers, 'Sehr geehrte Frau Reimer,', false],
    [sahin, 'Sehr geehrte Frau Dr. Sahin,', true],
    [sahin, 'Sehr geehrte Frau Doktor Farida Şahin,', true],
    [sahin, 'Sehr geehrte Frau Sahin,', false],
    [bauer, 'Sehr geehrter Herr Dipl.-Ing. Bauer,', true],
    [bauer, 'Sehr geehrter Herr Baur,', false],
    [bauer, 'Sehr geehrte Herr Bauer,', false],
    [bauer, 'Lieber Herr Bauer,', true],
    [bauer, 'Liebe Herr Bauer,', false],
    [bauer, 'Sehr geehrter Herr Bauer', true],
    [bauer, 'Hallo Herr Bauer!', true],
    [bauer, 'Lieber Herr Bauer, liebe Frau Weber,', false],
    [bauer, 'Guten Tag Frau Bauer,', false],
    [bauer, 'Guten Tag Herr Dr. Bauer,', false],
    [bauer, 'Guten Tag Martin Bauer,', true],
    [bauer, 'Hallo Martin,', false],
    [bauer, 'Hallo Bauer,', false],
    [bauer, 'Guten Tag zusammen,', false],
    [bauer, 'Sehr geehrter Herr Bauer und Frau Bauer,', false],
    [bauer, 'Guten Tag, sehr geehrter Herr Bauer,', true],
    [bauer, 'Sehr geehrter Herr Martin,', false],
    [nowak, 'Sehr geehrter Herr Nowak,', false],
    [nowak, 'Moin Jan Nowak,', true],
    [nowak, 'Lieber Jan Nowak,', false],
    [nowak, 'Hallo Jan,', false],
    [['Herr', 'Max', null], 'Hallo Max,', true],
    [['Herr', null, 'Gott'], 'Sehr geehrter Herr,', false],
    [firm, 'Guten Tag, sehr geehrte Damen und Herren,', true],
    [firm, 'Sehr geehrte Damen und Herren von Bau & Söhne,', true],
    [firm, 'Sehr geehrte Damen,', false],
    [firm, 'Guten Tag zusammen,', true],
    [firm, 'Liebes Team,', true],
    [firm, 'Hallo Herr Lang,', false],
    [nowak, 'Guten Tag, Jan Nowak,', true],
    [nowak, 'Guten Tag Nowak,', false],
    [['Frau', null, 'Weber'], 'Guten Tag Weber,', false],
    [['Ehepaar', null, 'Schulz'], 'Guten Tag Ehepaar Schulz,', true],
    [firm, 'Sehr geehrtes Team von Bau & Söhne,', true],
    [firm, 'Sehr geehrte Damen und Herren der Stadtwerke,', false],
    [['Herr und Frau', null, 'Schulz'], 'Sehr geehrter Herr Schulz, sehr geehrte Frau Schulz,', true],
    [['Herr und Frau', null, 'Schulz'], 'Hallo Frau Schulz, hallo Herr Schulz,', true],
    [['Herr und Frau', null, 'Schulz'], 'Sehr geehrter Herr Schulz,', false],
    [['Herr und Frau', 'Max', 'Schulz'], 'Guten Tag Max Schulz,', false],
    [['Herr', 'Max', 'Müller'], 'Sehr geehrter Herr Mueller,', true],
    [['Herr', 'Max', 'Müller'], 'Sehr geehrter Herr Muller,', false],
  ] as const)('%j: %s is right: %s', ([title, firstName, lastName], line, isRight) => {
    expect(findings(title, line, { firstName, lastName })).toEqual(isRight ? [] : ['salutation_missing']);
  });

  test.each([
    ['Frau', 'Good morning Ms Weber,', true],
    ['Frau', 'Dear Anna Weber,', true],
    ['Frau', 'Hi Anna,', false],
    ['Frau', 'Hello Mr Weber,', false],
    [null, 'Hello all,', true],
  ])('in English, to %s: %s is right: %s', (title, line, isRight) => {
    const to = { contact: { ...contact, title }, language: 'en' };
    expect(addressesRecipient(line, to)).toBe(isRight);
  });

  test('in Austria, the degree must not be missing', () => {
    const to = { contact: { ...contact, title: 'Herr Dipl.-Ing.', lastName: 'Huber' }, language: 'de-AT' };
    expect(addressesRecipient('Sehr geehrter Herr Dipl.-Ing. Huber,', to)).toBe(true);
    expect(addressesRecipient('Sehr geehrter Herr Huber,', to)).toBe(false);
  });

  test('rejects a guessed gender, and an impersonal salutation for a known person', () => {
    expect(findings('Divers', 'Sehr geehrte Frau Weber,')).toEqual(['salutation_missing']);
    expect(findings('Frau', 'Sehr geehrte Damen und Herren,')).toEqual(['salutation_missing']);
    expect(findings('Frau', 'Guten Tag,')).toEqual(['salutation_missing']);
  });
});

test.each([
  ['Herr', 'Herrn'],
  ['Herr Dr.', 'Herrn Dr.'],
  ['Hr.', 'Herrn'],
  ['Herrn', 'Herrn'],
  ['Fr. Dr.', 'Frau Dr.'],
  ['Herr und Frau', 'Herrn und Frau'],
  ['Frau/Herr', ''],
  ['Divers Dr.', 'Dr.'],
  ['Firma', ''],
  ['Herrmann', 'Herrmann'],
  ['Familie', 'Familie'],
  ['', ''],
])('%s in the address is "%s"', (title, written) => {
  expect(titleInAddress(title)).toBe(written);
});

import { expect, test } from 'vitest';
import {
  checkName,
  checkPathLength,
  numberedName,
  sameName,
} from '../../../local/stand-ins/drive/state/names.ts';

const inner = (act: () => void) => {
  try {
    act();
    return 'accepted';
  } catch (error) {
    return (error as { inner?: string[] }).inner?.[0] ?? (error as Error).message;
  }
};

test.each([
  '02_Aufträge',
  'Aufträge',
  '100% #1 + ä.pdf',
  "O'Neill & Söhne (1)! ~;,=@.txt",
  '📐 Plan.dwg',
  '.gitignore',
  'CONTRACT.pdf',
  'COM10.txt',
  'Formsache',
  'x'.repeat(255),
])('the name %j is accepted', (name) => {
  expect(inner(() => checkName(name, 'file'))).toBe('accepted');
});

const rejected: [name: string, reason: string][] = [
  ['', 'invalidPath'],
  ['..', 'invalidPath'],
  ...Array.from('"*:<>?/\\|', (character) => [`a${character}b`, 'invalidPath'] satisfies [string, string]),
  [' a', 'invalidPath'],
  ['a ', 'invalidPath'],
  ['a.', 'invalidPath'],
  ['a\nb', 'invalidPath'],
  ['a\u007f', 'invalidPath'],
  ['half \ud83d', 'invalidPath'],
  ['.lock', 'invalidPath'],
  ['Desktop.ini', 'invalidPath'],
  ['con', 'invalidPath'],
  ['NUL.tar.gz', 'invalidPath'],
  ['COM0', 'invalidPath'],
  ['lpt9.txt', 'invalidPath'],
  ['a_vti_b', 'invalidPath'],
  ['~$Brief.docx', 'invalidPath'],
  ['FORMS', 'Name is reserved for list forms folder.'],
  ['x'.repeat(256), 'pathIsTooLong'],
];

test.each(rejected)('the name %j is rejected', (name, reason) => {
  expect(inner(() => checkName(name, 'file'))).toBe(reason);
});

test('the name of a file may start with a tilde, that of a folder may not', () => {
  expect(inner(() => checkName('~alt', 'file'))).toBe('accepted');
  expect(inner(() => checkName('~alt', 'folder'))).toBe('invalidPath');
});

test('a path may have 400 characters, and seven fewer through an upload session', () => {
  const path = 'x'.repeat(393);
  expect(inner(() => checkPathLength(path, 7))).toBe('accepted');
  expect(inner(() => checkPathLength(`${path}x`, 7))).toBe('pathIsTooLong');
});

test('names are compared regardless of case, and regardless of the normalization form only in the nfc mode', () => {
  const [composed, decomposed] = ['02_Aufträge'.normalize('NFC'), '02_AUFTRÄGE'.normalize('NFD')];
  expect(sameName(composed, decomposed, 'nfc')).toBe(true);
  expect(sameName(composed, decomposed, 'exact')).toBe(false);
  expect(sameName(composed, decomposed.normalize('NFC'), 'exact')).toBe(true);
});

test.each([
  ['Plan.pdf', 'file', 'Plan 1.pdf'],
  ['archiv.tar.gz', 'file', 'archiv.tar 1.gz'],
  ['ohne', 'file', 'ohne 1'],
  ['.profile', 'file', '.profile 1'],
  ['v1.2', 'folder', 'v1.2 1'],
] as const)('%s (%s) gets its number', (name, kind, expected) => {
  expect(numberedName(name, 1, kind)).toBe(expected);
});

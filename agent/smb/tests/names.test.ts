import { expect, test } from 'vitest';
import { parseUnc } from '../dfs/unc-path.ts';
import { checkPath, isTemporaryName, nameKey, temporaryPathBeside } from '../base/names.ts';

test.each([
  ['PLAN.dwg', 'plan.DWG'],
  ['Ärger', 'ärger'],
  ['Ωmega', 'ωmega'],
  ['Ÿ', 'ÿ'],
])('%s and %s are the same name', (one, other) => {
  expect(nameKey(one)).toBe(nameKey(other));
});

test.each([
  ['Straße', 'STRASSE'],
  ['ä', 'a\u0308'],
  ['ı', 'I'],
  ['ﬁle', 'FILE'],
  ['𐐨', '𐐀'],
])('%s and %s are different names', (one, other) => {
  expect(nameKey(one)).not.toBe(nameKey(other));
});

test.each(['', 'a', 'a\\b c\\ö', 'CON', 'ends.', ' x ', 'x'.repeat(255), '😀', 'a\\' + 'b'.repeat(255)])(
  'the path %j is accepted',
  (path) => {
    expect(() => checkPath(path, 'open')).not.toThrow();
  },
);

test.each([
  '\\a',
  'a\\',
  'a\\\\b',
  '.',
  'a\\..',
  'a\\..\\b',
  'a/b',
  'a:stream',
  'a*',
  'a?',
  'a|b',
  'a"b',
  'a<b',
  'a>b',
  'a\0',
  'a\n',
  'x'.repeat(256),
  '\ud83d',
  'a\udc00b',
  Array.from({ length: 200 }, () => 'x'.repeat(200)).join('\\'),
])('the path %j is rejected', (path) => {
  expect(() => checkPath(path, 'open')).toThrow(expect.objectContaining({ code: 'NAME_INVALID', path }));
});

test('a temporary name lies beside its file and is recognized', () => {
  const random = Buffer.from('00ffabcdef', 'hex');
  expect(temporaryPathBeside('a\\b\\c.txt', random)).toBe('a\\b\\~smb-03vqnjff.tmp');
  expect(temporaryPathBeside('c.txt', random)).toBe('~smb-03vqnjff.tmp');
  expect(isTemporaryName('~smb-03vqnjff.tmp')).toBe(true);
  expect(isTemporaryName('~smb-03VQNJFF.TMP')).toBe(true);
  expect(isTemporaryName('~smb-abababababababab.tmp'), 'of earlier versions').toBe(true);
  expect(isTemporaryName('~smb-plan.tmp')).toBe(false);
  expect(isTemporaryName('~smb-planwxyz.tmp')).toBe(false);
  expect(isTemporaryName('~$plan.docx')).toBe(false);
});

test('a place is written as UNC path, with slashes, or as URL', () => {
  const place = ['fs1.firma.test', 'Pläne', 'a b', 'c#d'];
  for (const text of [
    '\\\\fs1.firma.test\\Pläne\\a b\\c#d',
    '//fs1.firma.test/Pläne/a b/c#d/',
    'smb://fs1.firma.test/Pl%C3%A4ne/a%20b/c%23d',
    'SMB://fs1.firma.test/Pläne/a b/c%23d/',
  ])
    expect(parseUnc(text), text).toEqual(place);
});

test.each([
  'fs1/share',
  '\\fs1\\share',
  '//fs1',
  'smb://fs1',
  'smb:/fs1/share',
  'smb://fs1/share#3',
  'smb://fs1:4450/share',
  'smb://svc:secret-word@fs1/share',
  'smb://fs1/sh%2Fare',
  'smb://fs1/%ff',
  'https://fs1/share',
])('%s is no place, and the error does not repeat a password', (text) => {
  const attempt = () => parseUnc(text);
  expect(attempt).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
  expect(attempt).not.toThrow(/secret-word/);
});

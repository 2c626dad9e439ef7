import { expect, test } from 'vitest';
import { checkPath, isTemporaryName, nameKey, temporaryPathBeside } from '../../agent/smb/names.ts';

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

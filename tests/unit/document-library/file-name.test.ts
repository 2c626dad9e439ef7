import { expect, test } from 'vitest';
import { asciiFileName, baseName, fileNameFault } from '../../../lib/document-library/file-name.ts';

test.each([
  ['Plan.pdf', 'Plan.pdf'],
  ['C:\\Users\\a\\Plan.pdf', 'Plan.pdf'],
  ['/tmp/../Plan.pdf', 'Plan.pdf'],
  ['Pru\u0308fung.pdf', 'Pr\u00fcfung.pdf'],
  ['folder/', ''],
])('%j becomes %j', (given, name) => {
  expect(baseName(given)).toBe(name);
});

test.each([
  'Plan.pdf',
  '#1 100%.txt',
  'a~b',
  '.hidden',
  'CONTRACT.pdf',
  'COM10',
  'forms.pdf',
  'n'.repeat(255),
  '😀',
  'a+b=c&d@e',
])('%s is a name', (name) => {
  expect(fileNameFault(name)).toBeNull();
});

test.each([
  ['', /empty/],
  ['n'.repeat(256), /255/],
  ['a\nb', /control/],
  ['a\u0085b', /control/],
  ['a\u2028b', /line separators/],
  ['a\u2029b', /line separators/],
  ['Rechnung\u202efdp.exe', /bidirectional/],
  ['a\u2066b', /bidirectional/],
  ['a\u200fb', /bidirectional/],
  ['\ud800', /surrogate/],
  ...Array.from('"*:<>?/\\|').map((character) => [`a${character}b`, /any of/] as const),
  [' a', /space/],
  ['a ', /space/],
  ['a.', /dot/],
  ['con', /device/],
  ['Lpt9.txt', /device/],
  ['.LOCK', /\.lock/],
  ['Desktop.ini', /desktop\.ini/],
  ['Forms', /forms/],
  ['a_VTI_b', /_vti_/],
  ['~$a.docx', /~\$/],
] as const)('%j breaks a rule, and the fault names it', (name, rule) => {
  expect(fileNameFault(name)?.message).toMatch(rule);
});

test.each([
  ['Plan (1) 100%.pdf', 'Plan (1) 100%.pdf'],
  ['Größe Ä–Öl.pdf', 'Groesse Ae-Oel.pdf'],
  ['Pru\u0308fung.pdf', 'Pruefung.pdf'],
  ['Łódź Señor €.txt', 'Lodz Senor EUR.txt'],
  ['文件 Ж 🏗️.docx', '__ _ __.docx'],
  ['¾ a%2F.txt', '_ a_2F.txt'],
])('%j is %j in ASCII', (name, ascii) => {
  expect(asciiFileName(name)).toBe(ascii);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryFiles } from '../../release/repository-files.ts';

// What is longer cannot be read at once: it is built from parts that have names, as in text-patterns.ts.
const maxLength = 100;

const inClass = String.raw`\[(?:[^\]\\\n]|\\.)*\]`;
const literal = new RegExp(
  String.raw`(?<=(?:[=(,:[!&|?{};]|=>|return)\s*)\/(?![*/])((?:[^/\\[\n]|\\.|${inClass})+)\/[dgimsuvy]*`,
  'g',
);

const longIn = (text: string): string[] =>
  [...text.matchAll(literal)].map(([, source = '']) => source).filter((source) => source.length > maxLength);

test('no regular expression is longer than 100 characters', () => {
  const top = join(import.meta.dirname, '../..');
  const files = repositoryFiles('{functions,lib,agent,console,local,release,tools,tests}/**/*.{ts,tsx}');
  const written = files.filter((file) => !file.includes('/openapi-types.ts'));
  expect(written.length).toBeGreaterThan(1000);
  const found = written.flatMap((file) =>
    longIn(readFileSync(join(top, file), 'utf8')).map((source) => [file, source]),
  );
  expect(found).toEqual([]);
});

test.each([
  `x = /${'a'.repeat(101)}/u;`,
  `f(/${'[/]'.repeat(34)}/)`,
  `[\n  /${String.raw`\/`.repeat(51)}/g,\n]`,
])('the search finds %j', (text) => {
  expect(longIn(text)).toHaveLength(1);
});

test.each([`x = /${'a'.repeat(100)}/u;`, `// a/${'a'.repeat(101)}/b`, `'https://${'a/'.repeat(60)}'`])(
  'the search does not find %j',
  (text) => {
    expect(longIn(text)).toEqual([]);
  },
);

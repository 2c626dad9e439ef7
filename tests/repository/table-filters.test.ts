import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryFiles } from '../../local/repository-files.ts';

const top = join(import.meta.dirname, '../..');
// With a value after the operator, or a column before it. What begins with `}` follows a template inside a template.
const comparison = /(\w*)`(?!\})[^`\n]*(?:\b(?:eq|ne|gt|ge|lt|le) ['"$]|\} (?:eq|ne|gt|ge|lt|le) )[^`\n]*`/g;

/** Filters of Table Storage in `text` that the `odata` template of the SDK has not written: it alone escapes values. */
const faultsOf = (text: string): string[] =>
  [...text.matchAll(comparison)].filter(([, tag]) => tag !== 'odata').map(([found]) => found);

test('a filter without the template is found', () => {
  expect(faultsOf("const filter = `RowKey eq '${key}'`;")).toHaveLength(1);
  expect(faultsOf('const filter = `${column} gt ${value}`;')).toHaveLength(1);
  expect(faultsOf('const filter = odata`RowKey eq ${key}`;')).toEqual([]);
});

test('every filter of a table is written with the odata template', () => {
  const sources = repositoryFiles('{functions,lib}/**/*.ts');
  expect(sources.length).toBeGreaterThan(100);
  const faults = sources.flatMap((path) => faultsOf(readFileSync(join(top, path), 'utf8')));
  expect(faults).toEqual([]);
});

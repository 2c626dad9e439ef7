import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryFiles } from '../../release/repository-files.ts';

// Each element becomes an argument, and about 120,000 arguments overflow the stack, so a caller that controls their number
// can cause a RangeError. A loop or `reduce` does the same without a limit.
const spreadCall =
  /\.(?:push|unshift|splice|concat|max|min|apply|fromCharCode|fromCodePoint)\((?:[^()[{]*,)?\s*\.\.\./g;

const found = (text: string): string[] => text.match(spreadCall) ?? [];

test('no array is spread into the arguments of a variadic call', () => {
  const top = join(import.meta.dirname, '../..');
  const files = repositoryFiles('{functions,lib,agent}/**/*.ts').filter((file) => !file.includes('/tests/'));
  expect(files.length).toBeGreaterThan(100);
  expect(
    files.flatMap((file) => found(readFileSync(join(top, file), 'utf8')).map((call) => [file, call])),
  ).toEqual([]);
});

test.each([
  'faults.push(...found)',
  'Math.max(...sizes)',
  'Math.min(0, ...sizes)',
  'rows.push(\n  ...page,\n)',
])('the search detects %j', (call) => {
  expect(found(call)).toHaveLength(1);
});

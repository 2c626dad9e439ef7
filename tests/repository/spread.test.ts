import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

// Every element becomes an argument, and about 120,000 of them overflow the stack: a RangeError where a caller decides
// how many there are. A loop or `reduce` does the same without a bound.
const spreadCall =
  /\.(?:push|unshift|splice|concat|max|min|apply|fromCharCode|fromCodePoint)\((?:[^()[{]*,)?\s*\.\.\./g;

const found = (text: string): string[] => text.match(spreadCall) ?? [];

test('no array is spread into the arguments of a call that takes any number', () => {
  const top = join(import.meta.dirname, '../..');
  const files = globSync('{functions,lib,agent}/**/*.ts', { cwd: top });
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
])('the search sees %j', (call) => {
  expect(found(call)).toHaveLength(1);
});

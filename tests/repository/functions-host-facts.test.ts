import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const read = (path: string): string => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');

test('each fact in the table of the host’s stand-in has tests, and each group of tests has a row', () => {
  const table = read('local/stand-ins/functions-host/README.md');
  const rows = [...table.matchAll(/^\| (\d+) \| .{20,} \|$/gm)].map(([, fact]) => fact);
  const groups = read('tests/whole/functions-host-facts.test.ts')
    .split(/^describe\(/m)
    .map((text) => /^(['"])fact (\d+): (.+)\1, \(\) => \{\n([^]+)$/.exec(text))
    .filter((match) => match !== null);
  expect(rows).toEqual(groups.map(([, , fact]) => fact));
  expect(rows.length).toBeGreaterThan(10);
  for (const [, , fact, , body] of groups) {
    const named = [...body!.matchAll(/['"]fact (\d+): /g)].map(([, number]) => number);
    expect(new Set(named)).toEqual(new Set([fact]));
  }
});

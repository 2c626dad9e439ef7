import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TableClient } from '@azure/data-tables';
import { expect, test } from 'vitest';
import { firstRows, matchingRows, odata } from '../../lib/storage/table-rows.ts';

// Text from a caller must never become a part of a filter. The compiler accepts only filters of `odata`, which escapes
// values, and the linter accepts the call of the SDK that takes any text in one file only.

const top = join(import.meta.dirname, '../..');

test('the compiler accepts no filter but those of odata', () => {
  // Compiled, not run: `npm run check` reports a line that compiles after all.
  const never = (table: TableClient, key: string) => {
    // @ts-expect-error text
    void firstRows(table, "RowKey eq 'a'", 1);
    // @ts-expect-error a template
    void matchingRows(table, `RowKey eq '${key}'`);
    // @ts-expect-error text behind a filter
    void matchingRows(table, `${odata`RowKey eq ${key}`.text} or true`);
    // @ts-expect-error what looks like a filter
    void matchingRows(table, { text: key });
    // @ts-expect-error text in the place of the template
    void matchingRows(table, odata(key));
  };
  expect(never).toHaveLength(2);
});

test('the linter rejects listEntities everywhere else', async () => {
  const planted = await mkdtemp(join(tmpdir(), 'filters-'));
  const places = [
    'functions',
    'lib',
    'lib/folder-requests/table',
    'lib/project-documents/document-records',
    'lib/storage',
  ];
  try {
    await cp(join(top, '.oxlintrc.json'), join(planted, '.oxlintrc.json'));
    for (const place of places) {
      await mkdir(join(planted, place), { recursive: true });
      await writeFile(join(planted, place, 'planted.ts'), 'void table.listEntities({});\n');
    }
    await cp(join(top, 'lib/storage/table-rows.ts'), join(planted, 'lib/storage/table-rows.ts'));
    const rejected = await rejections(planted);
    expect(rejected.toSorted()).toEqual(places.map((place) => `${place}/planted.ts`).toSorted());
  } finally {
    await rm(planted, { recursive: true });
  }
});

/** The files in which the linter rejects a property. */
async function rejections(directory: string): Promise<string[]> {
  const oxlint = join(top, 'node_modules/oxlint/bin/oxlint');
  const output = await new Promise<string>((resolve) => {
    execFile(
      process.execPath,
      [oxlint, '--format=json', 'lib', 'functions'],
      { cwd: directory },
      (_error, stdout) => resolve(stdout),
    );
  });
  const { diagnostics } = JSON.parse(output) as { diagnostics: { code: string; filename: string }[] };
  return diagnostics
    .filter(({ code }) => code.includes('no-restricted-properties'))
    .map(({ filename }) => filename.replaceAll('\\', '/'));
}

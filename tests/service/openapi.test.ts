import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { openApiText } from '../../local/release/generated.ts';

const top = join(import.meta.dirname, '../..');
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'openapi-'));
});

/** Runs the linter as a pipeline would. It fails on hints, too. */
async function lint(text: string): Promise<{ code: number; output: string }> {
  const file = join(folder, `${text.length}.json`);
  await writeFile(file, text);
  const args = [
    join(top, 'node_modules/@stoplight/spectral-cli/dist/index.js'),
    'lint',
    '--fail-severity=hint',
    `--ruleset=${join(top, 'tests/support/spectral.yaml')}`,
    file,
  ];
  return promisify(execFile)(process.execPath, args).then(
    ({ stdout }) => ({ code: 0, output: stdout }),
    (error: { code: number; stdout: string }) => ({ code: error.code, output: error.stdout }),
  );
}

test('the document passes Spectral with its oas rules', async () => {
  const { code, output } = await lint(openApiText());
  expect(output).toContain('No results');
  expect(code).toBe(0);
});

test('the linter finds a planted fault', async () => {
  const { code, output } = await lint(
    openApiText().replace('"operationId": "check-health"', '"operationId": "describe-api"'),
  );
  expect(output).toContain('operation-operationId-unique');
  expect(code).not.toBe(0);
});

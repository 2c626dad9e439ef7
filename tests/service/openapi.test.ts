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

test('the linter finds a planted fault of each kind', async () => {
  const document = JSON.parse(openApiText());
  const { schemas } = document.components;
  const paths = document.paths;
  delete schemas.Project.properties.name.description;
  delete schemas.Project.properties.number.example;
  schemas.Contact.additionalProperties = false;
  delete schemas.Activity.discriminator;
  delete paths['/health'].get.responses[200].content['application/json'].example;
  delete paths['/projects/{projectId}'].get.parameters[0].description;
  paths['/projects'].get.parameters.find(({ name }: any) => name === 'limit').schema.type = 'string';
  delete paths['/projects'].get.responses[503].headers['Retry-After'];
  delete paths['/projects'].get.responses[401].headers['WWW-Authenticate'];
  delete paths['/folder-requests'].post.responses[200].headers;
  paths['/agents'].get.operationId = 'describe-api';
  const { code, output } = await lint(JSON.stringify(document));
  const found = new Set(output.match(/(?<=\d +error +)[a-z-]+/gi));
  expect([...found].toSorted()).toEqual([
    'discriminator',
    'integer-limit',
    'location',
    'open-responses',
    'operation-example',
    'operation-operationId-unique',
    'parameter-description',
    'property-description',
    'property-example',
    'retry-after',
    'www-authenticate',
  ]);
  expect(code).not.toBe(0);
});

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import {
  hostPath,
  hostText,
  settingsPage,
  settingsText,
  textsJson,
  textsPath,
} from '../../release/generate/generated.ts';
import { apiTypesPath, apiTypesText } from '../../release/generate/api-types.ts';
import { defaultModel } from '../../lib/settings/ai-model.ts';
import { serviceSettingsTable } from '../../lib/settings/service-settings-table.ts';
import { readSettings } from '../../lib/settings/settings.ts';
import { repositoryFiles, withSlashes } from '../../release/repository-files.ts';
import packageJson from '../../package.json' with { type: 'json' };
import toolsPackage from '../../tools/package.json' with { type: 'json' };

const top = join(import.meta.dirname, '../..');
const readme = readFileSync(join(top, 'README.md'), 'utf8');

test('the table of settings matches the code, and has the meaning of each, AI_MODEL with the default', () => {
  const page = readFileSync(settingsPage, 'utf8');
  expect(page, 'run: npm run generate').toBe(settingsText(page));
  expect(page).toContain('<!-- generated: service settings -->\n|');
  expect(page).not.toContain('| to be written |');
  expect(page).toMatch(new RegExp(`^\\| \`AI_MODEL\` .*by default ${defaultModel},`, 'm'));
});

test('a newcomer reads the README in five minutes: at most 10 KB', () => {
  expect(Buffer.byteLength(readme)).toBeLessThanOrEqual(10_000);
});

test('the npm scripts in the README exist', () => {
  const named = [...readme.matchAll(/npm run ([\w:]+)( -w tools)?/g)];
  expect(named.length).toBeGreaterThan(3);
  for (const [, script = '', tools] of named)
    expect((tools ? toolsPackage : packageJson).scripts).toHaveProperty([script]);
});

test('the example of local settings has every setting of the service and is valid', () => {
  const { Values } = JSON.parse(readFileSync(join(top, 'local.settings.example.json'), 'utf8')) as {
    Values: Record<string, string>;
  };
  // These two are read by the host itself.
  const { FUNCTIONS_WORKER_RUNTIME, AzureWebJobsStorage, ...own } = Values;
  expect([FUNCTIONS_WORKER_RUNTIME, AzureWebJobsStorage]).toEqual(['node', 'UseDevelopmentStorage=true']);
  expect(Object.keys(own)).toEqual(Object.keys(serviceSettingsTable));
  expect(() => readSettings(own)).not.toThrow();
});

test.each(['', 'tools/', 'tests/', 'console/', 'agent/smb/'])(
  'each script of %spackage.json runs in the shells of POSIX and of Windows',
  (folder) => {
    const { scripts = {} } = JSON.parse(readFileSync(join(top, folder, 'package.json'), 'utf8')) as {
      scripts?: Record<string, string>;
    };
    // No quotes, variables, patterns, and pipes; `exec` is local/processes/exec.ts where the shell has none.
    const command = /^(?:exec node|(?!exec )[a-z]+)(?: (?:[\w.:=/@-]+|\d+%))*$/;
    for (const [name, script] of Object.entries(scripts))
      for (const each of script.split(' && ')) expect(each, name).toMatch(command);
    if (folder === '')
      expect([scripts['start'], scripts['demo']].every((each) => each?.startsWith('exec '))).toBe(true);
  },
);

test('the file of texts has those of the console', () => {
  expect(readFileSync(textsPath, 'utf8'), 'run: npm run generate').toBe(textsJson());
});

test('the types of the API are those of the OpenAPI document, so that an editor needs no build', async () => {
  // Not `toBe`: a difference of 8,700 lines takes minutes.
  expect(readFileSync(apiTypesPath, 'utf8') === (await apiTypesText()), 'run: npm run generate').toBe(true);
  // Another program of the process has its own compiler again.
  const compiler = createRequire(import.meta.url).resolve('typescript');
  expect(withSlashes(compiler)).toMatch(/\/node_modules\/typescript\//);
});

test('the log levels in host.json are those of the functions', () => {
  const text = readFileSync(hostPath, 'utf8');
  expect(text, 'run: npm run generate').toBe(hostText(text));
});

/** The files in the tables of a page. */
const listedFiles = (page: string): string[] =>
  page
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .flatMap((row) => [...row.matchAll(/(?<=[|,] )`([\w-]+\.ts)`(?=[,| ])/g)].map(([, name = '']) => name));

test.each([
  [
    'lib/project-documents/README.md',
    'lib/project-documents/**/*.ts',
    ['documents.ts', 'document-search.ts'],
  ],
  ['lib/folder-requests/README.md', 'lib/folder-requests/**/*.ts', []],
  ['lib/activities/README.md', 'lib/activities/**/*.ts', []],
  ['docs/architecture.md', 'agent/{*,{base,claims,copy,settings}/*}.ts', []],
])('the tables of %s list every file of %s once', (page, pattern, elsewhere) => {
  const names = repositoryFiles(pattern).map((path) => basename(path));
  const listed = listedFiles(readFileSync(join(top, page), 'utf8'));
  expect([...listed, ...elsewhere].toSorted()).toEqual(names.toSorted());
});

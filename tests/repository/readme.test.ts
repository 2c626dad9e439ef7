import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readmeText } from '../../local/release/generated.ts';
import { serviceSettingsTable } from '../../lib/settings/service-settings-table.ts';
import { readSettings } from '../../lib/settings/settings.ts';
import packageJson from '../../package.json' with { type: 'json' };

const top = join(import.meta.dirname, '../..');
const readme = readFileSync(join(top, 'README.md'), 'utf8');

test('the tables of routes and settings match the code', () => {
  expect(readme, 'run: npm run generate').toBe(readmeText(readme));
  for (const name of ['routes', 'service settings', 'agent settings'])
    expect(readme).toContain(`<!-- generated: ${name} -->`);
});

test('the npm scripts in the README exist', () => {
  const scripts = new Set([...readme.matchAll(/npm run ([\w:]+)/g)].map(([, script = '']) => script));
  expect(scripts.size).toBeGreaterThan(3);
  for (const script of scripts) expect(packageJson.scripts).toHaveProperty([script]);
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

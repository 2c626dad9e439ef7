import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { idleDelayMs } from '../../../agent/backoff.ts';
import { agentSettingsTable } from '../../../agent/settings-table.ts';
import { permissions } from '../../../lib/callers/roles.ts';
import { connect } from '../../../lib/services.ts';
import { serviceSettingsTable } from '../../../lib/settings/service-settings-table.ts';
import { readSettings } from '../../../lib/settings/settings.ts';
import { costText, gatewaySampling, idleClaimsPerMonth } from '../../bench/costs.ts';
import { membersOf, objectIn, readBicep } from '../../support/bicep-file.ts';

const bicep = (path: string) => readBicep(join(import.meta.dirname, '../../../bicep', path));

test('the function app sets every setting of the service, and no other', () => {
  const app = bicep('modules/function-app.bicep');
  const set = ['serviceAppSettings', 'activitySettings'].flatMap((name) => {
    const declaration = app.declarations.find((declared) => declared.name === name);
    const object = declaration && objectIn(declaration.node);
    return object ? [...membersOf(object).keys()] : [];
  });
  // The connection string is for local development; in Azure the identity authenticates.
  const expected = Object.keys(serviceSettingsTable).filter((name) => name !== 'STORAGE_CONNECTION_STRING');
  expect(set.toSorted()).toEqual(expected.toSorted());
});

test('every secret setting is a reference to the vault', () => {
  const { text } = bicep('modules/function-app.bicep');
  for (const name of ['IDP_API_CLIENT_SECRET', 'FOLDER_AGENT_API_KEYS', 'AI_API_KEY']) {
    expect(text).toMatch(new RegExp(`^\\s*${name}: '@Microsoft\\.KeyVault\\(SecretUri=`, 'm'));
  }
});

test('the app registration has the roles that the service requires', () => {
  const roles = [...bicep('entra/main.bicep').text.matchAll(/\{ value: '(\w+)', description:/g)].map(
    ([, role]) => role,
  );
  expect(roles).toEqual([...permissions]);
});

test('the app registration has the scope that tokens must carry, under the name of the setting', () => {
  const scope = serviceSettingsTable.IDP_API_SCOPE.default;
  expect(bicep('modules/function-app.bicep').text).toContain(`IDP_API_SCOPE: '${scope}'`);
  expect(bicep('entra/main.bicep').text).toMatch(
    new RegExp(`oauth2PermissionScopes: \\[\\s*\\{[^}]*value: '${scope}'`),
  );
  const script = readFileSync(join(import.meta.dirname, '../../../bicep/entra/register-app.sh'), 'utf8');
  expect(script).toContain(`value: "${scope}"`);
  expect(script.match(/id_of scopes (\w+)/)?.[1]).toBe(scope);
});

test('the storage account has the tables that the service uses', () => {
  const services = connect(
    readSettings({ STORAGE_TABLE_ENDPOINT: 'https://localhost', STORAGE_BLOB_ENDPOINT: 'https://localhost' }),
  );
  const [, list = ''] = /var tableNames = \[([^\]]*)\]/.exec(bicep('main.bicep').text) ?? [];
  const made = [...list.matchAll(/'(\w+)'/g)].map(([, name = '']) => name);
  expect(made.toSorted()).toEqual(services.tables.map(({ tableName }) => tableName).toSorted());
});

test('the costs in the runbook are the output of npm run bench costs', () => {
  const runbook = readFileSync(join(import.meta.dirname, '../../../bicep/README.md'), 'utf8');
  expect(runbook).toContain(costText());
});

test('the costs count the claims that idle agents send', () => {
  const waitsMs = Array.from({ length: 1000 }, (_, index) => idleDelayMs(3000, (index + 0.5) / 1000));
  const meanMs = waitsMs.reduce((total, wait) => total + wait, 0) / waitsMs.length;
  expect(agentSettingsTable.FOLDER_AGENT_POLL_INTERVAL_MS.default).toBe('3000');
  expect(idleClaimsPerMonth(1)).toBeCloseTo((30 * 86_400_000) / meanMs, 0);
});

test('the costs count the logs that the templates enable, and no line is stored twice', () => {
  const logs = globSync('**/*.bicep', { cwd: join(import.meta.dirname, '../../../bicep') }).flatMap(
    (path) => {
      const { text } = bicep(path);
      const rows = [...text.matchAll(/(category(?:Group)?): '(\w+)', enabled: true/g)];
      return rows.map(([, kind, name]) => `${basename(path, '.bicep')} ${kind} ${name}`);
    },
  );
  expect(logs.toSorted()).toEqual([
    // For the vault, a few rows a day.
    'key-vault categoryGroup audit',
    'storage category StorageDelete',
    'storage category StorageWrite',
  ]);
  const [, percentage] =
    /sampling: \{ samplingType: 'fixed', percentage: (\d+) \}/.exec(bicep('api.bicep').text) ?? [];
  expect(Number(percentage) / 100).toBe(gatewaySampling);
});

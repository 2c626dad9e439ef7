import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agentSettingsTable } from '../../../agent/settings/settings-table.ts';
import { connect } from '../../../lib/services.ts';
import { serviceSettingsTable } from '../../../lib/settings/service-settings-table.ts';
import { readSettings } from '../../../lib/settings/settings.ts';
import { billText, environmentText } from '../../bench/costs.ts';
import { idleCosts } from '../../bench/costs/bill.ts';
import { BilledTime } from '../../bench/costs/billed-time.ts';
import { costsOf, gatewaySampling, kinds, type KindName } from '../../bench/costs/kinds.ts';
import { prices } from '../../bench/costs/prices.ts';
import { simulate, type HourlyUse } from '../../bench/costs/simulation.ts';
import { appSettings, deployedResources } from '../../support/azure-snapshot.ts';

const bicep = (path: string): string =>
  readFileSync(join(import.meta.dirname, '../../../bicep', path), 'utf8');
const resources = deployedResources('prod');
const settings = appSettings(resources);

test('the function app sets every setting of the service, and no other', () => {
  // Settings of the host and of Azure's own libraries.
  const set = [...settings.keys()].filter(
    (name) => !/^(?:AzureWebJobs|APPLICATIONINSIGHTS_|FUNCTIONS_)/.test(name),
  );
  // The connection string is for local development; in Azure the identity authenticates.
  const expected = Object.keys(serviceSettingsTable).filter((name) => name !== 'STORAGE_CONNECTION_STRING');
  expect(
    set.toSorted(),
    'add it to bicep/modules/function-app.bicep, then write the snapshots that this test reads: npm run vendor-tools -w folder-tests (needs the .NET SDK), npm test -- tools/bicep.test.ts --update',
  ).toEqual(expected.toSorted());
});

test('every secret setting is a reference to the vault', () => {
  for (const name of ['IDP_API_CLIENT_SECRET', 'FOLDER_AGENT_API_KEYS', 'AI_API_KEY'])
    expect(settings.get(name), name).toMatch(/^\[format\('@Microsoft\.KeyVault\(SecretUri=/);
});

test('the app accepts tokens of the verification client', () => {
  expect(settings.get('IDP_TOKEN_CLIENT_IDS')?.split(',')).toContain('00000000-0000-0000-0000-00000000000f');
});

test('the scope that tokens must carry is the default', () => {
  expect(settings.get('IDP_API_SCOPE')).toBe(serviceSettingsTable.IDP_API_SCOPE.default);
});

test('an alert reports the end of a secret that has one', () => {
  const topic = resources.find(({ type }) => type === 'Microsoft.EventGrid/systemTopics');
  expect(topic?.properties).toMatchObject({
    topicType: 'Microsoft.KeyVault.vaults',
    source: expect.stringContaining('Microsoft.KeyVault/vaults') as string,
  });
  const subscription = resources.find(({ type }) => type.endsWith('/eventSubscriptions'));
  expect(subscription?.properties).toMatchObject({
    destination: {
      endpointType: 'MonitorAlert',
      properties: { actionGroups: [expect.stringContaining('actionGroups')] },
    },
    filter: { includedEventTypes: ['Microsoft.KeyVault.SecretNearExpiry'] },
  });
});

test('the storage account has the tables that the service uses', () => {
  const services = connect(
    readSettings({ STORAGE_TABLE_ENDPOINT: 'https://localhost', STORAGE_BLOB_ENDPOINT: 'https://localhost' }),
  );
  const made = resources.flatMap(({ type, name }) =>
    type === 'Microsoft.Storage/storageAccounts/tableServices/tables' ? [name.replace(/.*\//, '')] : [],
  );
  expect(made.toSorted()).toEqual(services.tables.map(({ tableName }) => tableName).toSorted());
});

test('the costs in the runbook are the output of npm run bench costs', () => {
  const runbook = bicep('README.md');
  for (const text of [billText(), environmentText()]) expect(runbook).toContain(text);
});

test('the daily bound of telemetry is far above what a working day of fifty sites collects', () => {
  const [workingHour, otherHour] = [1500, 0].map((users) => simulate({ agents: 50, users, caches: true }));
  const gigabytesOf = ({ requests }: HourlyUse): number =>
    (Object.entries(requests) as [KindName, number][]).reduce(
      (sum, [kind, count]) => sum + (count * costsOf(kinds[kind]).logs) / prices.logsPerGigabyte,
      0,
    );
  const day = 10 * gigabytesOf(workingHour!) + 14 * gigabytesOf(otherHour!);
  expect(day).toBeGreaterThan(0.05);
  const workspace = resources.find(({ type }) => type === 'Microsoft.OperationalInsights/workspaces');
  expect(workspace?.properties).toMatchObject({ workspaceCapping: { dailyQuotaGb: 1 } });
  expect(1 / day).toBeGreaterThan(4);
});

test('ten idle agents cost at most € 15 a month, and a new request is claimed within 4 s', () => {
  expect(agentSettingsTable.FOLDER_AGENT_POLL_INTERVAL_MS.default).toBe('3000');
  expect(idleCosts({ agents: 10, caches: true }).total).toBeLessThan(15);
  const { requests, longestWaitMs } = simulate({ agents: 10, users: 300, caches: true, hours: 10 });
  expect(requests.claim).toBeGreaterThan(10);
  // The rest is for the store of the new generation, which the simulation takes to be visible at once.
  expect(longestWaitMs).toBeLessThan(3_650);
});

describe('the billed time of an instance', () => {
  const billedMs = (...calls: readonly (readonly [number, number])[]): number => {
    const billed = new BilledTime();
    for (const [startMs, durationMs] of calls) billed.add(startMs, durationMs);
    return billed.totalMs;
  };

  test.each([
    ['nothing', [], 0],
    ['a short call is a second', [[0, 15]], 1000],
    ['a longer one is rounded up to 100 ms', [[0, 1401]], 1500],
    [
      'a call within the second is part of it',
      [
        [0, 15],
        [990, 5],
      ],
      1000,
    ],
    [
      'a call that outlasts the second extends it',
      [
        [0, 15],
        [900, 350],
      ],
      1300,
    ],
    [
      'concurrent calls share the time',
      [
        [0, 2000],
        [500, 1000],
        [1000, 1000],
      ],
      2000,
    ],
    [
      'a later call is another second',
      [
        [0, 15],
        [1000, 15],
        [5000, 15],
      ],
      3000,
    ],
  ] as const)('%s', (_kind, calls, expected) => {
    expect(billedMs(...calls)).toBe(expected);
  });

  test('without the cache, one agent keeps an instance busy for a third of the time, and ten for three quarters', () => {
    const share = (agents: number): number =>
      simulate({ agents, users: 0, caches: false }).billedSeconds / 3600;
    expect(share(1)).toBeCloseTo(0.33, 1);
    expect(share(10)).toBeCloseTo(0.78, 1);
    expect(simulate({ agents: 50, users: 0, caches: true }).billedSeconds / 3600).toBeLessThan(0.05);
  });
});

test('the costs count the logs that the templates enable, and no line is stored twice', () => {
  const logs = resources.flatMap(({ id, properties }) => {
    const rows = (properties?.['logs'] ?? []) as Record<string, unknown>[];
    const [, source] = /\/(\w+)\/[^/]+\/providers\/Microsoft\.Insights\/diagnosticSettings/.exec(id) ?? [];
    return rows.map((row) => `${source} ${JSON.stringify(row)}`);
  });
  expect(logs.toSorted()).toEqual([
    // And for the vault, a few rows a day.
    'tableServices {"category":"StorageDelete","enabled":true}',
    'tableServices {"category":"StorageWrite","enabled":true}',
    'vaults {"categoryGroup":"audit","enabled":true}',
  ]);
  const [, percentage] =
    /sampling: \{ samplingType: 'fixed', percentage: (\d+) \}/.exec(bicep('api.bicep')) ?? [];
  expect(Number(percentage) / 100).toBe(gatewaySampling);
});

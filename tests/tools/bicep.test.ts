import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { repositoryRoot } from '../../release/repository-root.ts';
import { apiVersionsComparedOn, oldestDays, olderVersions } from '../support/api-versions.ts';
import { deployedResources } from '../support/azure-snapshot.ts';
import { BicepCompiler } from '../support/bicep-compiler.ts';
import { bicepCompiler } from '../support/vendor-tools.ts';

// Microsoft's compiler checks types and names of resources, properties, parameters, and modules, and runs its linter.
vi.setConfig({ testTimeout: 180_000 });

const bicep = join(repositoryRoot, 'bicep');
const parameters = join(bicep, 'main.bicepparam');
const compilers: Partial<Record<'dev' | 'prod', BicepCompiler>> = {};
let compilerFor: (environment: 'dev' | 'prod') => Promise<BicepCompiler>;
let program: string;
beforeEach((context) => {
  program = bicepCompiler(context);
  compilerFor = async (environment) =>
    (compilers[environment] ??= await BicepCompiler.start(program, environment));
});
afterAll(() => Promise.all(Object.values(compilers).map((compiler) => compiler.stop())));

// Committed, so that a pull request shows what it changes in Azure. After an intended change, write them with
// npm test -- tools/bicep.test.ts --update
test.each(['dev', 'prod'] as const)(
  'main.bicepparam of %s compiles without warnings to the committed snapshot of its resources',
  async (environment) => {
    const compiler = await compilerFor(environment);
    expect(await compiler.reportOf(parameters)).toBe('');
    const committed = join(bicep, `snapshots/main.${environment}.json`);
    await expect(await compiler.snapshotOf(parameters)).toMatchFileSnapshot(committed);
  },
);

test('a custom domain of the gateway is part of each deployment, which would remove it otherwise', () => {
  const gateway = (environment: 'dev' | 'prod') =>
    deployedResources(environment).find(({ type }) => type === 'Microsoft.ApiManagement/service')?.properties;
  expect(gateway('dev')).toMatchObject({ publisherName: 'Projektordner' });
  expect(gateway('dev')?.['hostnameConfigurations']).toEqual([]);
  expect(gateway('prod')).toMatchObject({
    hostnameConfigurations: [
      {
        type: 'Proxy',
        hostName: 'projektordner.example.com',
        certificateSource: 'KeyVault',
        keyVaultId: expect.stringMatching(/secrets\/gateway-certificate'?/) as string,
      },
    ],
  });
});

test('what holds data is locked and in another region too; telemetry and costs have a bound', async () => {
  for (const environment of ['dev', 'prod'] as const) {
    const resources = deployedResources(environment);
    const skus = resources
      .filter(({ type }) => type === 'Microsoft.Storage/storageAccounts')
      .map((account) => [account.name.startsWith('sthost'), account.sku?.name]);
    expect(Object.fromEntries(skus)).toEqual({ false: 'Standard_RAGZRS', true: 'Standard_ZRS' });
    const workspace = resources.find(({ type }) => type === 'Microsoft.OperationalInsights/workspaces');
    expect(workspace?.properties).toMatchObject({ workspaceCapping: { dailyQuotaGb: 1 } });
    const policies = resources.filter(({ type }) => type.endsWith('/managementPolicies'));
    expect(JSON.stringify(policies)).toContain('"daysAfterModificationGreaterThan":30');
  }
  const compiler = await compilerFor('prod');
  const { resources } = (await compiler.compiled(join(bicep, 'protection.bicep'))) as { resources: object[] };
  expect(resources).toEqual([
    expect.objectContaining({
      type: 'Microsoft.Authorization/locks',
      scope: "[resourceId('Microsoft.Storage/storageAccounts', parameters('storageAccountName'))]",
      properties: expect.objectContaining({ level: 'CanNotDelete' }) as object,
    }),
    expect.objectContaining({
      type: 'Microsoft.Consumption/budgets',
      properties: expect.objectContaining({
        amount: "[parameters('monthlyBudget')]",
        timePeriod: { startDate: "[parameters('budgetStart')]" },
      }) as object,
    }),
  ]);
});

test('another word in the names creates the environment again, beside the lost one', async () => {
  const compiler = await BicepCompiler.start(program, 'dev', { WORKLOAD: 'ordner2' });
  const { predictedResources } = JSON.parse(await compiler.snapshotOf(parameters)) as {
    predictedResources: { id: string }[];
  };
  await compiler.stop();
  const committed = new Set(deployedResources('dev').map(({ id }) => id));
  expect(predictedResources.length).toBe(committed.size);
  expect(predictedResources.filter(({ id }) => committed.has(id))).toEqual([]);
});

test('api.bicepparam compiles without warnings, and the first phase hands on every parameter that it takes from there', async () => {
  const compiler = await compilerFor('prod');
  const file = join(bicep, 'api.bicepparam');
  expect(await compiler.reportOf(file)).toBe('');
  const taken = [...(await readFile(file, 'utf8')).matchAll(/^param (\w+) = deployed\.(\w+)$/gm)];
  const { outputs } = (await compiler.compiled(join(bicep, 'main.bicep'))) as {
    outputs: Record<string, { value: object }>;
  };
  expect(taken.map(([, parameter]) => parameter)).toEqual(taken.map(([, , handedOn]) => handedOn));
  expect(new Set(taken.map(([, , handedOn]) => handedOn))).toEqual(
    new Set(Object.keys(outputs['API_PARAMETERS']!.value)),
  );
});

test('the types of the compiler have no newer version of an old API, but for a preview that stays', async () => {
  const folder = join(await mkdtemp(join(tmpdir(), 'bicep-')), 'bicep');
  await cp(bicep, folder, { recursive: true });
  const path = join(folder, 'bicepconfig.json');
  const config = JSON.parse(await readFile(path, 'utf8')) as { analyzers: { core: { rules: object } } };
  Object.assign(config.analyzers.core.rules, {
    // `test-today` replaces its clock.
    'use-recent-api-versions': {
      level: 'warning',
      maxAgeInDays: oldestDays,
      'test-today': apiVersionsComparedOn,
    },
  });
  await writeFile(path, JSON.stringify(config));
  const compiler = await compilerFor('prod');
  const reports = await Promise.all(
    ['main.bicepparam', 'api.bicepparam'].map((file) => compiler.reportOf(join(folder, file))),
  );
  const old = [...reports.join('\n').matchAll(/for '([\w./]+)'\. '([\w-]+)' is \d+ days old/g)];
  const named = [...new Set(old.map(([, type, version]) => `${type}@${version}`))];
  expect(named).toEqual(['Microsoft.Insights/diagnosticSettings@2021-05-01-preview']);
  expect(Object.keys(olderVersions)).toContain(named[0]);
});

test('faults are reported, including those that the compiler and its linter only warn about', async () => {
  const folder = join(await mkdtemp(join(tmpdir(), 'bicep-')), 'bicep');
  await cp(bicep, folder, { recursive: true });
  const faults = [
    ['modules/key-vault.bicep', 'InDays: 90', "InDays: '90'", 'BCP036'],
    ['modules/storage.bicep', 'minimumTlsVersion:', 'minimalTlsVersion:', 'BCP089'],
    ['modules/network.bicep', '(items(zoneNames), zone => zone.key', '(items(zoneNames), () => 1', 'BCP070'],
    ['modules/identity.bicep', 'Identities@2024-11-30', 'Identities@2024-11-29', 'BCP081'],
    [
      'modules/workbook.bicep',
      'param location string',
      'param location string\nparam x int',
      'no-unused-params',
    ],
    ['main.bicep', '    createMode: vaultCreateMode', "    createMode: 'reuse'", 'BCP036'],
    ['main.bicep', 'name: gatewayIdentityName', 'name: identity.outputs.id', 'what-if-short-circuiting'],
  ] as const;
  for (const [file, right, wrong] of faults) {
    const text = await readFile(join(folder, file), 'utf8');
    expect(text, file).toContain(right);
    await writeFile(join(folder, file), text.replace(right, wrong));
  }
  const compiler = await compilerFor('prod');
  const report = await compiler.reportOf(join(folder, 'main.bicepparam'));
  for (const [file, , , code] of faults)
    expect(report, `${file} ${code}`).toMatch(new RegExp(`${file.replaceAll('.', '\\.')}\\(.*\\b${code}\\b`));
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { repositoryFiles } from '../../../release/repository-files.ts';
import { appSettings, deployedResources, type AzureResource } from '../../support/azure-snapshot.ts';

const bicep = join(import.meta.dirname, '../../../bicep');
const read = (path: string): string => readFileSync(join(bicep, path), 'utf8');
const personalData = read('../docs/personal-data.md');

// learn.microsoft.com, "Azure built-in roles". With a typo, a deployment fails halfway.
const roles: Record<string, string> = {
  'ba92f5b4-2d11-453d-a403-e96b0029c9fe': 'Storage Blob Data Contributor',
  'b7e6dc6d-f1e8-4753-8033-0f276bb0955b': 'Storage Blob Data Owner',
  '974c5e8b-45b9-4653-ba55-5f855dd0fb88': 'Storage Queue Data Contributor',
  '0a9a7e1f-b9d0-4cc4-a60d-0319b160aaa3': 'Storage Table Data Contributor',
  '3913510d-42f4-4e42-8a64-420c390055eb': 'Monitoring Metrics Publisher',
  '4633458b-17de-408a-b874-0445c86b69e6': 'Key Vault Secrets User',
  'b86a8fe4-44ce-4948-aee5-eccb2c155cd7': 'Key Vault Secrets Officer',
};

const lastName = (id = ''): string => /\/([^/']+)['/]*$/.exec(id)?.[1] ?? id;

/** `principal: role on resource` */
function assignmentsIn(resources: readonly AzureResource[]): string[] {
  return resources
    .filter(({ type }) => type === 'Microsoft.Authorization/roleAssignments')
    .map(({ id, properties }) => {
      const { roleDefinitionId, principalId } = properties as Record<string, string>;
      const identity = /^\[reference\('([^']+)', '[\d-]+'\)\.principalId\]$/.exec(principalId ?? '')?.[1];
      const scope = lastName(id.split('/providers/Microsoft.Authorization/')[0]);
      return `${lastName(identity ?? principalId)}: ${roles[lastName(roleDefinitionId)]} on ${scope}`;
    })
    .toSorted();
}

describe.each(['dev', 'prod'] as const)('in %s,', (environment) => {
  const resources = deployedResources(environment);
  const [data, host] = ['st', 'sthost'].map((prefix) =>
    resources
      .filter(({ type }) => type === 'Microsoft.Storage/storageAccounts')
      .find(({ name }) => new RegExp(`^${prefix}proj`).test(name)),
  );
  const childrenOf = (account: AzureResource | undefined, kind: string): string[] =>
    resources
      .filter(({ id, type }) => type.endsWith(`/${kind}`) && id.startsWith(`${account?.id}/`))
      .map(({ name }) => lastName(name));

  test('each identity has exactly the roles it needs: the owner role only on the host’s account', () => {
    const app = `id-projektordner-${environment}`;
    const vault = resources.find(({ type }) => type === 'Microsoft.KeyVault/vaults');
    expect(assignmentsIn(resources)).toEqual(
      [
        `00000000-0000-0000-0000-00000000000e: Key Vault Secrets Officer on ${vault?.name}`,
        `${app}: Key Vault Secrets User on ${vault?.name}`,
        `${app}: Monitoring Metrics Publisher on appi-projektordner-${environment}`,
        `${app}: Storage Blob Data Contributor on ${data?.name}`,
        `${app}: Storage Table Data Contributor on ${data?.name}`,
        `${app}: Storage Blob Data Owner on ${host?.name}`,
        `${app}: Storage Queue Data Contributor on ${host?.name}`,
        `${app}: Storage Table Data Contributor on ${host?.name}`,
        `${app}-gateway: Monitoring Metrics Publisher on appi-projektordner-${environment}`,
      ].toSorted(),
    );
  });

  // Anyone who edits a policy acts with the identities of API Management.
  test('API Management has no identity that can read the data or the vault', () => {
    const gateway = resources.find(({ type }) => type === 'Microsoft.ApiManagement/service');
    const carried = Object.keys(gateway?.identity?.userAssignedIdentities ?? {}).map(lastName);
    expect(carried).toEqual([`id-projektordner-${environment}-gateway`]);
  });

  test('the page of personal data has every table and container of the data, and no other', () => {
    const [, ofStorage = ''] = personalData.split(/^## .*$/m);
    const named = [...ofStorage.matchAll(/^\| (table|container) `([\w-]+)`/gm)].map(
      ([, kind, name]) => `${kind} ${name}`,
    );
    // The letter template is nobody's.
    const containers = childrenOf(data, 'containers').filter((name) => name !== 'templates');
    expect(new Set(named)).toEqual(
      new Set([
        ...childrenOf(data, 'tables').map((name) => `table ${name}`),
        ...containers.map((name) => `container ${name}`),
      ]),
    );
  });

  test('code and host keys are in another account than the data', () => {
    expect(childrenOf(data, 'containers')).toEqual(['templates', 'backups']);
    expect(childrenOf(host, 'containers')).toEqual(['app-package']);
    expect(childrenOf(host, 'tables')).toEqual([]);
    for (const account of [data, host]) expect(account?.name.length).toBeLessThanOrEqual(24);
    const uses = [...appSettings(resources)].flatMap(([setting, value]) => {
      const [, account, part] = /storageAccounts\/(\w+)'.*\.primaryEndpoints\.(\w+)/.exec(value) ?? [];
      return account ? [`${setting} ${account === host?.name ? 'host' : 'data'} ${part}`] : [];
    });
    expect(uses.toSorted()).toEqual([
      'AzureWebJobsStorage__blobServiceUri host blob',
      'AzureWebJobsStorage__queueServiceUri host queue',
      'AzureWebJobsStorage__tableServiceUri host table',
      'STORAGE_BLOB_ENDPOINT data blob',
      'STORAGE_TABLE_ENDPOINT data table',
      'WORD_TEMPLATE_PATH data blob',
    ]);
    const app = resources.find(({ type }) => type === 'Microsoft.Web/sites');
    expect(JSON.stringify(app?.properties?.['functionAppConfig'])).toContain(`/${host?.name}'`);
  });

  test('backups of the tables are deleted after 30 days, and nothing else is', () => {
    const rules = resources.filter(({ type }) => type.endsWith('/managementPolicies'));
    expect(rules).toMatchObject([
      {
        name: `${data?.name}/default`,
        properties: {
          policy: {
            rules: [
              {
                definition: {
                  filters: { prefixMatch: ['backups/'] },
                  actions: { baseBlob: { delete: { daysAfterModificationGreaterThan: 30 } } },
                },
              },
            ],
          },
        },
      },
    ]);
  });

  test('names that what-if compares are known before the deployment', () => {
    const predicted = resources.filter(({ type }) => /roleAssignments$|workbooks$/.test(type));
    expect(predicted).toHaveLength(10);
    for (const { name } of predicted) expect(name).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(predicted.map(({ name }) => name)).size).toBe(10);
  });

  test('a private network has an endpoint for each service that is used, and no public one', () => {
    const endpoints = resources
      .filter(({ type }) => type === 'Microsoft.Network/privateEndpoints')
      .map(({ properties }) => {
        const connections = properties?.['privateLinkServiceConnections'] as
          | { properties: { privateLinkServiceId: string; groupIds: string[] } }[]
          | undefined;
        const connection = connections?.[0];
        const target = lastName(connection?.properties.privateLinkServiceId);
        return `${connection?.properties.groupIds.join()} ${target.replace(/proj.*/, '')}`;
      });
    expect(endpoints.toSorted()).toEqual(
      environment === 'dev'
        ? []
        : ['blob st', 'blob sthost', 'queue sthost', 'sites func-', 'table st', 'table sthost', 'vault kv-'],
    );
    const access = resources.flatMap(({ properties }) => properties?.['publicNetworkAccess'] ?? []);
    expect(access).toEqual(Array.from({ length: 4 }, () => (environment === 'dev' ? 'Enabled' : 'Disabled')));
  });

  test('a deleted vault can be deleted for good in dev only', () => {
    const vault = resources.find(({ type }) => type === 'Microsoft.KeyVault/vaults')?.properties;
    expect(vault?.['createMode']).toBe('default');
    // Null keeps the protection of a vault that has it; Resource Manager accepts no false.
    expect(vault?.['enablePurgeProtection'] ?? null).toBe(environment === 'dev' ? null : true);
  });
});

test('the system-assigned identity of API Management reads the key of the backend and no other secret', () => {
  const uses = repositoryFiles('**/*.bicep', 'bicep').flatMap((path) =>
    [...read(path).matchAll(/^.*\.identity\.principalId.*$/gm)].map(([line]) => `${path}: ${line.trim()}`),
  );
  expect(uses).toEqual(['api.bicep: principalId: gateway.identity.principalId']);
  const api = read('api.bicep');
  const [, given = ''] =
    /^module gatewayReadsKey 'modules\/secret-reader\.bicep' = \{([^]*?)^\}/m.exec(api) ?? [];
  expect(given).toContain("name: 'backend-function-key'\n");
  const reader = read('modules/secret-reader.bicep');
  expect(reader.match(/^ *scope: .*$/gm)).toEqual(['  scope: secret']);
  // With the principal in it, the assignment for a recreated API Management does not have the name of that of the deleted
  // identity, which Resource Manager does not update (RoleAssignmentUpdateNotPermitted).
  expect(reader).toContain('name: guid(secret.id, principalId, keyVaultSecretsUser)');
  // API Management reads the named value when it is saved.
  expect(api).toMatch(/secrets\/backend-function-key' \}\n {2}\}\n {2}dependsOn: \[gatewayReadsKey\]/);
});

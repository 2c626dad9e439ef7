import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { membersOf, objectIn, readBicep, type BicepFile } from '../../support/bicep-file.ts';
import { resourcesIn } from '../../support/bicep-resources.ts';

const bicep = join(import.meta.dirname, '../../../bicep');
const read = (path: string): BicepFile => readBicep(join(bicep, path));
const templates = globSync('**/*.bicep', { cwd: bicep }).toSorted();

/** The source text of the parameters that a file passes to a module. */
function parametersOf(file: BicepFile, module: string): Record<string, string> {
  const declared = file.declarations.find(({ kind, name }) => kind === 'module' && name === module);
  const params = declared && membersOf(objectIn(declared.node) ?? declared.node).get('params');
  return Object.fromEntries([...(params ? membersOf(params) : [])].map(([name, node]) => [name, node.text]));
}

/**
 * `path: …` for each role assignment whose name does not contain the scope, principal, and role. Without the principal,
 * the assignment for an identity that was recreated with its resource has the name of the deleted identity's assignment,
 * which Resource Manager does not update (RoleAssignmentUpdateNotPermitted).
 */
function roleNameFaults(file: BicepFile): string[] {
  return resourcesIn(file)
    .filter(({ type }) => type.startsWith('Microsoft.Authorization/roleAssignments@'))
    .flatMap(({ symbol, body }) => {
      const members = membersOf(body);
      const properties = members.get('properties');
      const given = properties ? membersOf(properties) : new Map();
      const role = /, ([\w.]+)\)$/.exec(given.get('roleDefinitionId')?.text ?? '')?.[1];
      const expected = `guid(${members.get('scope')?.text}.id, ${given.get('principalId')?.text}, ${role})`;
      const name = members.get('name')?.text;
      return name === expected ? [] : [`${file.path}: ${symbol} is named ${name}, not ${expected}`];
    });
}

const scratch = mkdtempSync(join(tmpdir(), 'bicep-identities-'));
afterAll(() => rmSync(scratch, { recursive: true }));

describe('role assignments', () => {
  test.each(templates)('%s names each after its scope, principal, and role', (path) => {
    expect(roleNameFaults(read(path))).toEqual([]);
  });

  test('a name without the principal is detected', () => {
    const path = join(scratch, 'planted.bicep');
    const { text } = read('modules/secret-reader.bicep');
    const changed = text.replace('guid(secret.id, principalId,', 'guid(secret.id, vault.id,');
    expect(changed).not.toBe(text);
    writeFileSync(path, changed);
    expect(roleNameFaults(readBicep(path))).toHaveLength(1);
  });

  // learn.microsoft.com, "Azure built-in roles". With a typo, a deployment fails halfway.
  const roles: Record<string, string> = {
    'Storage Blob Data Contributor': 'ba92f5b4-2d11-453d-a403-e96b0029c9fe',
    'Storage Blob Data Owner': 'b7e6dc6d-f1e8-4753-8033-0f276bb0955b',
    'Storage Queue Data Contributor': '974c5e8b-45b9-4653-ba55-5f855dd0fb88',
    'Storage Table Data Contributor': '0a9a7e1f-b9d0-4cc4-a60d-0319b160aaa3',
    'Monitoring Metrics Publisher': '3913510d-42f4-4e42-8a64-420c390055eb',
    'Key Vault Secrets User': '4633458b-17de-408a-b874-0445c86b69e6',
    'Key Vault Secrets Officer': 'b86a8fe4-44ce-4948-aee5-eccb2c155cd7',
  };

  test('their roles are built in, and are those that the runbook lets the deploying identity assign', () => {
    const used = templates.flatMap((path) =>
      // Excludes the app id of Microsoft Graph.
      [...read(path).text.matchAll(/'((?!00000003-)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})'/g)].map(
        ([, id]) => id,
      ),
    );
    expect(new Set(used)).toEqual(new Set(Object.values(roles)));
    const runbook = readFileSync(join(bicep, 'README.md'), 'utf8');
    const [, named = ''] =
      /lets it assign only the roles these templates assign: ([^.]+)\./.exec(runbook) ?? [];
    expect(named.split(/, and |, /).toSorted()).toEqual(Object.keys(roles).toSorted());
  });
});

describe('because anyone who edits a policy acts with the identities of API Management,', () => {
  const main = read('main.bicep');

  test('none of them can read the data or the vault: the user-assigned identity only sends telemetry', () => {
    expect(parametersOf(main, 'apiManagement')).toMatchObject({
      identityId: 'gatewayIdentity.outputs.id',
      identityClientId: 'gatewayIdentity.outputs.clientId',
    });
    const principals = [...main.text.matchAll(/^.*gatewayIdentity\.outputs\.principalId.*$/gm)];
    expect(principals.map(([line]) => line.trim())).toEqual([
      'publisherPrincipalIds: [identity.outputs.principalId, gatewayIdentity.outputs.principalId]',
    ]);
    const carried = read('modules/api-management.bicep').text.match(/userAssignedIdentities: .*/g);
    expect(carried).toEqual(["userAssignedIdentities: { '${identityId}': {} }"]);
  });

  test('the system-assigned identity reads the key of the backend and no other secret', () => {
    const uses = templates.flatMap((path) =>
      [...read(path).text.matchAll(/^.*\.identity\.principalId.*$/gm)].map(
        ([line]) => `${path}: ${line.trim()}`,
      ),
    );
    expect(uses).toEqual(['api.bicep: principalId: gateway.identity.principalId']);
    const api = read('api.bicep');
    expect(parametersOf(api, 'gatewayReadsKey')).toEqual({
      vaultName: 'vault.name',
      name: "'backend-function-key'",
      principalId: 'gateway.identity.principalId',
    });
    const scopes = resourcesIn(read('modules/secret-reader.bicep')).flatMap(
      ({ body }) => membersOf(body).get('scope')?.text ?? [],
    );
    expect(scopes).toEqual(['secret']);
    // API Management reads the named value when it is saved.
    expect(api.text).toMatch(/secrets\/backend-function-key' \}\n {2}\}\n {2}dependsOn: \[gatewayReadsKey\]/);
  });
});

describe('code and host keys are separate from the data', () => {
  const main = read('main.bicep');
  const data = parametersOf(main, 'storage');
  const host = parametersOf(main, 'hostStorage');

  test('they are in a separate account with a different name', () => {
    expect(data).toMatchObject({ tables: 'tableNames', containers: '[templateContainer, stagingContainer]' });
    expect(host).toMatchObject({ tables: '[]', containers: '[packageContainer]' });
    // The name of an account has at most 24 characters.
    const shape = /^'(st|sthost)\$\{take\(replace\(workload, '-', ''\), (\d)\)\}\$\{take\(suffix, 13\)\}'$/;
    const [names, lengths] = [data, host].reduce<[string[], number[]]>(
      ([all, sums], { name = '' }) => {
        const [, prefix = '', part = '99'] = shape.exec(name) ?? [];
        return [
          [...all, prefix],
          [...sums, prefix.length + Number(part) + 13],
        ];
      },
      [[], []],
    );
    expect(names).toEqual(['st', 'sthost']);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(24);
  });

  test('the app has only the roles it needs on the data, and the owner role only on the host’s account', () => {
    expect(data['roleIds']).toBe('[storageRoles.blobDataContributor, storageRoles.tableDataContributor]');
    expect(host['roleIds']).toContain('storageRoles.blobDataOwner');
  });

  test('the host uses one account, and the service uses the other', () => {
    expect(parametersOf(main, 'functionApp')).toMatchObject({
      hostStorage: 'hostStorage.outputs.endpoints',
      dataStorage: 'storage.outputs.endpoints',
    });
    const { text } = read('modules/function-app.bicep');
    const uses = [...text.matchAll(/^ *(\w+): '?(?:\$\{)?(hostStorage|dataStorage)\.(\w+)/gm)];
    expect(uses.map(([, setting, account, part]) => `${setting} ${account}.${part}`)).toEqual([
      'AzureWebJobsStorage__blobServiceUri hostStorage.blob',
      'AzureWebJobsStorage__queueServiceUri hostStorage.queue',
      'AzureWebJobsStorage__tableServiceUri hostStorage.table',
      'STORAGE_TABLE_ENDPOINT dataStorage.table',
      'STORAGE_BLOB_ENDPOINT dataStorage.blob',
      'WORD_TEMPLATE_PATH dataStorage.blob',
      'value hostStorage.blob',
    ]);
    expect(text.match(/(?:hostStorage|dataStorage)\./g)).toHaveLength(uses.length);
  });

  test('in a private network, both accounts have an endpoint for each service that is used', () => {
    const groups = [...main.text.matchAll(/^module (\w+) .*\n {2}for groupId in \[([^\]]*)\]/gm)];
    expect(groups.map(([, name, list]) => `${name} ${list}`)).toEqual([
      "storageEndpoints 'blob', 'table'",
      "hostStorageEndpoints 'blob', 'queue', 'table'",
    ]);
    expect(main.text).toContain('dependsOn: [storageEndpoints, hostStorageEndpoints, vaultEndpoint]');
  });
});

test('the app registration follows the same linter rules as the other templates', () => {
  const rulesOf = (path: string): unknown =>
    (JSON.parse(readFileSync(join(bicep, path), 'utf8')) as { analyzers?: unknown }).analyzers;
  // The compiler uses the nearest file and merges none.
  expect(globSync('**/bicepconfig.json', { cwd: bicep }).toSorted()).toEqual([
    'bicepconfig.json',
    join('entra', 'bicepconfig.json'),
  ]);
  expect(rulesOf('bicepconfig.json')).toHaveProperty('core.rules.no-unused-params.level', 'error');
  expect(rulesOf('entra/bicepconfig.json')).toEqual(rulesOf('bicepconfig.json'));
});

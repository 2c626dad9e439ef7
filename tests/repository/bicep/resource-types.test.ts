import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { resourceTypeFaults, unusedTypes } from '../../support/azure-resource-types.ts';
import { readBicep } from '../../support/bicep-file.ts';
import { resourcesIn } from '../../support/bicep-resources.ts';

const top = join(import.meta.dirname, '../../..');
const read = (path: string) => readBicep(join(top, path));
const paths = globSync('bicep/**/*.bicep', { cwd: top }).map((path) => path.replaceAll('\\', '/'));

test.each(paths)('%s matches the resource types', (path) => {
  expect(resourceTypeFaults(read(path))).toEqual([]);
});

test('every resource of the templates is checked, and the table has no other types', () => {
  const files = paths.map(read);
  const written = files.flatMap(({ text }) => [...text.matchAll(/^ *resource \w+ '/gm)]);
  expect(files.flatMap((file) => resourcesIn(file))).toHaveLength(written.length);
  expect(written.length).toBeGreaterThan(35);
  expect(unusedTypes(files)).toEqual([]);
});

// learn.microsoft.com, key-vault/general/access-control-default: older versions retire on 27 February 2027.
test('the vault uses an API version that does not retire', () => {
  const versions = paths.flatMap((path) =>
    [...read(path).text.matchAll(/'Microsoft\.KeyVault\/[\w/]+@([\d-]+)'/g)].map(
      ([, version = '']) => version,
    ),
  );
  expect(versions.length).toBeGreaterThan(2);
  expect(versions.filter((version) => version < '2026-02-01')).toEqual([]);
});

const scratch = mkdtempSync(join(tmpdir(), 'bicep-types-'));
afterAll(() => rmSync(scratch, { recursive: true }));

// A check that can't fail is worse than none, so each kind of fault is injected into a real template.
test.each([
  ['an unknown version', 'key-vault', "vaults@2026-02-01'", "vaults@2026-02-02'", 'unknown resource type'],
  ['an unknown nested type', 'function-app', "'basicPublishing", "'basicPublish", 'unknown resource type'],
  ['a misspelled property', 'key-vault', 'enablePurgeProtection:', 'enablePurgeProtect:', 'has no property'],
  [
    'a misspelled property deep inside',
    'function-app',
    'perInstanceConcurrency',
    'concurrency',
    'http has no',
  ],
  [
    'a misspelled property in a loop',
    'alerts',
    'windowSize: alert',
    'window: alert',
    'has no property window',
  ],
  ['a misspelled property in a list', 'network', 'serviceName', 'service', 'has no property service'],
  ['a property on the wrong level', 'storage', "kind: 'StorageV2'\n", '\n', 'needs kind'],
  ['a missing property', 'key-vault', 'tenantId: tenant().tenantId\n', '\n', 'needs tenantId'],
  ['a missing property deep inside', 'network', "direction: 'Inbound'", '', 'needs direction'],
  ['a missing parent', 'storage', 'parent: blobs\n', '\n', 'needs a parent'],
  ['an unknown value', 'storage', "'TLS1_2'", "'TLS12'", 'TLS1_2|'],
  ['a value in a condition', 'key-vault', "'Allow' :", "'Allowed' :", "not 'Allowed'"],
  ['a value in a list that a loop runs over', 'alerts', "'LessThan'", "'Below'", "not 'Below'"],
  ['a value that a parameter allows', 'storage', "'Disabled'])", "'Off'])", "not 'Off'"],
  ['text for a number', 'key-vault', 'InDays: 90', "InDays: '90'", "is int, not '90'"],
  ['text for a boolean', 'storage', 'allowSharedKeyAccess: false', "allowSharedKeyAccess: 'no'", 'is bool'],
  ['text for an object', 'network', '{ id: vnet.id }', "'vnet'", 'is an object'],
  ['a read-only property', 'identity', 'tags: tags', 'properties: { clientId: name }', 'is read-only'],
  [
    'a scope on a resource that cannot have one',
    'identity',
    'tags: tags',
    'tags: tags\n  scope: name',
    'cannot have a scope',
  ],
  [
    'a loop over names that determine the type',
    'function-app',
    `  resource noBasicAuthForScm 'basicPublishingCredentialsPolicies' = {
    name: 'scm'
    properties: { allow: false }
  }
`,
    `  resource noBasicAuthForScm 'basicPublishingCredentialsPolicies' = [
    for channel in ['scm', 'ftp']: {
      name: channel
      properties: { allow: false }
    }
  ]
`,
    'basicPublishingCredentialsPolicies@2024-11-01.name needs a literal',
  ],
  [
    'a computed name that determines the type',
    'function-app',
    "name: 'ftp'",
    "name: 'ft${'p'}'",
    'name needs a literal',
  ],
  [
    'a reference to a missing property',
    'key-vault',
    '.vaultUri',
    '.uri',
    'vault.properties.uri does not exist',
  ],
  [
    'a reference to an endpoint',
    'storage',
    'Endpoints.table',
    'Endpoints.tables',
    'Endpoints.tables does not exist',
  ],
  ['a reference to a nested resource', 'network', 'vnet::app.id', 'vnet::app.resourceId', 'does not exist'],
] as const)('%s is detected', (_kind, module, right, wrong, message) => {
  const { text } = read(`bicep/modules/${module}.bicep`);
  expect(text).toContain(right);
  const path = join(scratch, `${module}.bicep`);
  writeFileSync(path, text.replace(right, wrong));
  expect(resourceTypeFaults(readBicep(path)).join('\n')).toContain(message);
});

test('a fault names the file and line', () => {
  const path = join(scratch, 'line.bicep');
  writeFileSync(path, read('bicep/modules/identity.bicep').text.replace('  tags: tags', '  tag: tags'));
  expect(resourceTypeFaults(readBicep(path))).toEqual([
    `${path}:10: Microsoft.ManagedIdentity/userAssignedIdentities@2024-11-30 has no property tag`,
  ]);
});

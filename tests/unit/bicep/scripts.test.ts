import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { permissions } from '../../../lib/callers/roles.ts';

// A script starts bash and for every call of its tools a Node.
vi.setConfig({ testTimeout: 60_000 });

const bicep = join(import.meta.dirname, '../../../bicep');

interface Azure {
  secrets: Record<string, { value: string; tags: Record<string, string> }>;
  keys: Record<string, string>;
  /** How often the host refuses before it has started. */
  refusals: number;
  posts: string[];
  /** What the Bicep compiler says of a file. */
  diagnostics: Record<string, string>;
  compiled: string[];
  apps: Registration[];
  principals: { appId: string; appRoleAssignmentRequired: boolean }[];
  consents: string[];
}

interface Registration {
  id: string;
  appId: string;
  displayName: string;
  identifierUris?: string[];
  appRoles: { id: string; value: string }[];
  api: { oauth2PermissionScopes: { id: string; value: string }[] };
  requiredResourceAccess?: { resourceAppId: string; resourceAccess: { id: string; type: string }[] }[];
}

// The Azure CLI as far as the scripts call it; it ends with 2 for anything else.
const cli = String.raw`
const { readFileSync, writeFileSync } = require('node:fs');
const path = process.env.AZURE_STATE;
const azure = JSON.parse(readFileSync(path, 'utf8'));
const words = process.argv.slice(2);
const at = words.findIndex((word) => word.startsWith('--'));
const option = (name) => words[words.indexOf('--' + name) + 1];
const say = (text) => process.stdout.write(text + '\n');
const secret = azure.secrets[option('name')];
const host = () => { if (azure.refusals-- > 0) { save(); process.exit(1); } };
const refuse = () => { process.stderr.write('unexpected: az ' + words.join(' ') + '\n'); process.exit(2); };
const save = () => writeFileSync(path, JSON.stringify(azure));
switch (words.slice(0, at).join(' ')) {
  case 'keyvault secret list': say(Object.keys(azure.secrets).join('\n')); break;
  case 'keyvault secret show':
    if (!secret) process.exit(3);
    say(option('query') === 'value' ? secret.value : secret.tags.keyName);
    break;
  case 'keyvault secret set': {
    const [tag, name] = option('tags').split('=');
    azure.secrets[option('name')] = { value: option('value'), tags: { [tag]: name } };
    break;
  }
  case 'functionapp keys list': host(); say(Object.keys(azure.keys).join('\n')); break;
  case 'functionapp keys set': host(); azure.keys[option('key-name')] = option('key-value'); break;
  case 'functionapp keys delete': delete azure.keys[option('key-name')]; break;
  case 'functionapp show': say('/subscriptions/s/app'); break;
  case 'apim show': say('/subscriptions/s/gateway'); break;
  case 'account show': say('tenant-1'); break;
  case 'ad app list': {
    const [, name] = /^displayName eq '((?:[^']|'')*)'$/.exec(option('filter')) ?? refuse();
    if (option('query') !== '[].appId') refuse();
    say(azure.apps.filter((app) => app.displayName === name.replaceAll("''", "'")).map((app) => app.appId).join('\n'));
    break;
  }
  case 'ad app create': {
    const n = azure.apps.length + 1;
    const app = { id: 'object-' + n, appId: 'app-' + n, displayName: option('display-name'), appRoles: [], api: { oauth2PermissionScopes: [] } };
    azure.apps.push(app);
    say(app.appId);
    break;
  }
  case 'ad app show': {
    const { id, appRoles, api } = azure.apps.find((app) => app.appId === option('id')) ?? refuse();
    say(option('query') === 'id' ? id : JSON.stringify({ roles: appRoles, scopes: api.oauth2PermissionScopes }));
    break;
  }
  case 'ad sp show':
    if (option('query') === 'oauth2PermissionScopes') {
      const names = ['Mail.Send', 'offline_access', 'User.Read', 'Sites.Read.All', 'Files.ReadWrite.All'];
      say(JSON.stringify(names.map((value) => ({ id: 'id of ' + value, value }))));
    } else if (!azure.principals.some(({ appId }) => appId === option('id'))) process.exit(3);
    break;
  case 'ad sp create': azure.principals.push({ appId: option('id'), appRoleAssignmentRequired: false }); break;
  case 'ad sp update': {
    const [name, value] = option('set').split('=');
    (azure.principals.find(({ appId }) => appId === option('id')) ?? refuse())[name] = value === 'true';
    break;
  }
  case 'ad app permission admin-consent': azure.consents.push(option('id')); break;
  case 'rest': {
    if (option('method') === 'PATCH') {
      const app = azure.apps.find(({ id }) => option('url') === 'https://graph.microsoft.com/v1.0/applications/' + id) ?? refuse();
      Object.assign(app, JSON.parse(option('body')));
      break;
    }
    azure.posts.push(option('url') + ' with ' + Object.keys(azure.keys).join());
    break;
  }
  case 'bicep install': break;
  case 'bicep build': case 'bicep lint': case 'bicep build-params': {
    const file = option('file');
    azure.compiled.push(words[1] + ' ' + file);
    for (const [, name] of readFileSync(file, 'utf8').matchAll(/readEnvironmentVariable\('(\w+)'\)/g)) {
      if (process.env[name]) continue;
      say(file + '(1,1) : Error BCP338: ' + name + ' is not set');
      save();
      process.exit(1);
    }
    if (azure.diagnostics[words[1] + ' ' + file]) process.stderr.write(azure.diagnostics[words[1] + ' ' + file] + '\n');
    break;
  }
  default: refuse();
}
save();
`;

let directory: string;
let azure: Azure;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'azure-cli-'));
  writeFileSync(join(directory, 'az.cjs'), cli);
  const stub = (name: string, text: string): void =>
    writeFileSync(join(directory, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  stub('az', `exec '${process.execPath}' '${join(directory, 'az.cjs')}' "$@"`);
  stub('sleep', ':');
  azure = {
    secrets: {},
    keys: {},
    refusals: 0,
    posts: [],
    diagnostics: {},
    compiled: [],
    apps: [],
    principals: [],
    consents: [],
  };
});
afterEach(() => rmSync(directory, { recursive: true }));

function run(script: string, ...args: string[]): { status: number | null; printed: string } {
  const state = join(directory, 'azure.json');
  writeFileSync(state, JSON.stringify(azure));
  const { status, stdout, stderr } = spawnSync('bash', [join(bicep, script), ...args], {
    encoding: 'utf8',
    env: {
      PATH: `${directory}${delimiter}${process.env['PATH'] ?? ''}`,
      AZURE_STATE: state,
      FUNCTION_APP_NAME: 'app',
      AZURE_RESOURCE_GROUP: 'group',
      KEY_VAULT_NAME: 'vault',
      API_MANAGEMENT_NAME: 'gateway',
    },
  });
  azure = JSON.parse(readFileSync(state, 'utf8')) as Azure;
  return { status, printed: stdout + stderr };
}

describe.skipIf(process.platform === 'win32')('scripts of a deployment', () => {
  test('missing secrets stop it and are named, present ones are read again', () => {
    azure.secrets = { 'idp-api-client-secret': { value: 'x', tags: {} } };
    const missing = run('refresh-secrets.sh');
    expect(missing.status).toBe(1);
    expect(missing.printed).toMatch(/vault vault .*: folder-agent-api-keys ai-api-key\n/);
    expect(azure.posts).toEqual([]);
    for (const name of ['folder-agent-api-keys', 'ai-api-key'])
      azure.secrets[name] = { value: 'x', tags: {} };
    expect(run('refresh-secrets.sh')).toEqual({ status: 0, printed: '' });
    expect(azure.posts).toEqual([
      expect.stringMatching('^/subscriptions/s/app/config/configreferences/appsettings/refresh'),
    ]);
  });

  test('the first deployment makes a key once the host has started, the next one keeps it', () => {
    azure.refusals = 2;
    const first = run('set-backend-key.sh');
    expect(first.status).toBe(0);
    const { value, tags } = azure.secrets['backend-function-key'] ?? { value: '', tags: {} };
    expect(value.length).toBeGreaterThan(40);
    expect(first.printed).not.toContain(value);
    expect(azure.keys).toEqual({ [tags['keyName'] ?? '']: value });
    const { keys, secrets } = azure;
    expect(run('set-backend-key.sh').status).toBe(0);
    expect(azure).toMatchObject({ keys, secrets });
  });

  test('rotation keeps the old key until API Management has been told of the new one', () => {
    azure.secrets = {
      'backend-function-key': { value: 'old', tags: { keyName: 'api-management-20260101000000' } },
    };
    azure.keys = { 'api-management-20260101000000': 'old' };
    const { status, printed } = run('set-backend-key.sh', '--rotate');
    expect(status).toBe(0);
    const { value = '', tags } = azure.secrets['backend-function-key'] ?? {};
    expect(value).not.toBe('old');
    expect(printed).not.toContain(value);
    expect(azure.keys).toEqual({ [tags?.['keyName'] ?? '']: value });
    expect(azure.posts).toEqual([
      expect.stringMatching(
        /gateway\/namedValues\/backend-function-key\/refreshSecret.* with .*20260101000000,/,
      ),
    ]);
  });

  test('every template is built and linted, every parameter file built; a warning fails', () => {
    expect(run('../.ci/bicep')).toEqual({ status: 0, printed: '' });
    const built = (command: string): string[] =>
      azure.compiled.flatMap((line) =>
        line.startsWith(`${command} `) ? [line.slice(command.length + 1)] : [],
      );
    expect(built('build')).toEqual(['bicep/main.bicep', 'bicep/api.bicep', 'bicep/entra/main.bicep']);
    expect(built('lint')).toEqual(built('build'));
    expect(built('build-params')).toEqual(
      globSync('*.bicepparam', { cwd: bicep })
        .map((file) => `bicep/${file}`)
        .toSorted(),
    );
    for (const command of [
      'build bicep/main.bicep',
      'lint bicep/api.bicep',
      'build-params bicep/api.bicepparam',
    ]) {
      azure.diagnostics = { [command]: '/x/main.bicep(3,7) : Warning no-unused-params: "x" is never used' };
      expect(run('../.ci/bicep')).toEqual({
        status: 1,
        printed: expect.stringContaining('no-unused-params'),
      });
    }
  });

  const other: Registration = {
    id: 'object-of-other',
    appId: 'app-of-other',
    displayName: 'Projektordner API (Test)',
    appRoles: [],
    api: { oauth2PermissionScopes: [] },
  };

  test('the app is registered with what the service asks for, and again under the same ids', () => {
    azure.apps = [other];
    const printed = 'IDP_TENANT_ID=tenant-1\nIDP_API_CLIENT_ID=app-2\n';
    expect(run('entra/register-app.sh')).toEqual({ status: 0, printed });
    const [untouched, app] = azure.apps;
    expect(untouched).toEqual(other);
    expect(app?.appRoles.map(({ value }) => value)).toEqual([...permissions]);
    expect(app).toMatchObject({
      displayName: 'Projektordner API',
      identifierUris: ['api://app-2'],
      api: { requestedAccessTokenVersion: 2, oauth2PermissionScopes: [{ value: 'access_as_user' }] },
    });
    expect(app?.requiredResourceAccess?.[0]?.resourceAccess).toEqual(
      ['Files.ReadWrite.All', 'Sites.Read.All', 'User.Read', 'offline_access'].map((name) => ({
        id: `id of ${name}`,
        type: 'Scope',
      })),
    );
    expect(azure.principals).toEqual([{ appId: 'app-2', appRoleAssignmentRequired: true }]);
    expect(azure.consents).toEqual(['app-2']);
    const { apps } = azure;
    expect(run('entra/register-app.sh')).toEqual({ status: 0, printed });
    expect(azure.apps).toEqual(apps);
    expect(azure.principals).toHaveLength(1);
  }, 60_000);

  test('a name with an apostrophe is its own, one that stands for several registrations is refused', () => {
    const name = "Bauer's API";
    expect(run('entra/register-app.sh', name).status).toBe(0);
    expect(azure.apps.map(({ displayName }) => displayName)).toEqual([name]);
    azure.apps = [other, { ...other, id: 'object-of-third', appId: 'app-of-third' }];
    const { apps } = azure;
    const { status, printed } = run('entra/register-app.sh', other.displayName);
    expect(status).toBe(1);
    expect(printed).toContain('app-of-other, app-of-third');
    expect(azure.apps).toEqual(apps);
  }, 60_000);
});

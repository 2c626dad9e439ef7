import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';

// The scripts of a deployment, run with a stand-in for the Azure CLI that keeps its state in a file.

const bicep = join(import.meta.dirname, '../../bicep');

export interface Azure {
  secrets: Record<string, { value: string; tags: Record<string, string>; expires?: string }>;
  keys: Record<string, string>;
  /** How many requests the host rejects before it has started. */
  rejections: number;
  posts: string[];
  /** Every call as it appeared on its command line, which all processes of a machine can read. */
  calls: string[];
  /** What each attempt at the third phase prints before it fails; when the list is empty, the phase succeeds. */
  deploymentFailures: string[];
  /** The queries to Application Insights, and the first cell of each result to come; empty for no row. */
  queries: string[];
  telemetry: (string | number)[];
  /** Host name of the function app. */
  host: string;
  apps: Registration[];
  principals: { appId: string; appRoleAssignmentRequired: boolean }[];
  consents: string[];
  /** `who: role on registration` */
  assignments: string[];
  /** Roles on the subscription, with their conditions. */
  subscriptionRoles: { principal: string; role: string; condition?: string }[];
  roleDefinitions: { Name: string; Actions: string[]; AssignableScopes: string[] }[];
  federated: { app: string; issuer: string; subject: string; audiences: string[] }[];
}

export interface Registration {
  id: string;
  appId: string;
  displayName: string;
  identifierUris?: string[];
  appRoles: { id: string; value: string }[];
  api: {
    oauth2PermissionScopes: { id: string; value: string }[];
    preAuthorizedApplications?: { appId: string; delegatedPermissionIds: string[] }[];
  };
  isFallbackPublicClient?: boolean;
  requiredResourceAccess?: { resourceAppId: string; resourceAccess: { id: string; type: string }[] }[];
}

// The part of the Azure CLI that the scripts call; it exits with 2 for anything else.
const cli = String.raw`
const { readFileSync, statSync, writeFileSync } = require('node:fs');
const path = process.env.AZURE_STATE;
const azure = JSON.parse(readFileSync(path, 'utf8'));
const words = process.argv.slice(2);
azure.calls.push(words.join(' '));
const at = words.findIndex((word) => word.startsWith('--'));
const option = (name) => words[words.indexOf('--' + name) + 1];
const say = (text) => process.stdout.write(text + '\n');
const secret = azure.secrets[option('name')];
const host = () => { if (azure.rejections-- > 0) { save(); process.exit(1); } };
const reject = () => { process.stderr.write('unexpected: az ' + words.join(' ') + '\n'); process.exit(2); };
const save = () => writeFileSync(path, JSON.stringify(azure));
// Contents of a file that no other user has permission to read.
const secretFile = (file) => {
  if ((statSync(file).mode & 0o777) !== 0o600) reject();
  return readFileSync(file, 'utf8');
};
// What Application Insights would return for a request whose event is in that log.
const durationInLog = () => {
  const [, id] = /requestId == '([^']+)'/.exec(option('analytics-query')) ?? reject();
  const event = new RegExp('"event":"request","requestId":"' + id + '".*?"durationMs":(\\d+)');
  return event.exec(readFileSync(process.env.TELEMETRY_LOG, 'utf8'))?.[1];
};
switch (words.slice(0, at < 0 ? words.length : at).join(' ')) {
  case 'keyvault secret list': say(Object.keys(azure.secrets).join('\n')); break;
  case 'keyvault secret show':
    if (!secret) process.exit(3);
    say(option('query') === 'value' ? secret.value : secret.tags.keyName);
    break;
  case 'keyvault secret set': {
    if (option('encoding') !== 'utf-8') reject();
    const tags = words.includes('--tags') ? Object.fromEntries([option('tags').split('=')]) : {};
    azure.secrets[option('name')] = { value: secretFile(option('file')), tags };
    if (words.includes('--expires')) azure.secrets[option('name')].expires = option('expires');
    break;
  }
  case 'functionapp keys list': host(); say(Object.keys(azure.keys).join('\n')); break;
  case 'functionapp keys delete': delete azure.keys[option('key-name')]; break;
  case 'functionapp show': say(option('query') === 'id' ? '/subscriptions/s/app' : azure.host); break;
  case 'apim show': say('/subscriptions/s/gateway'); break;
  case 'account show': say(option('query') === 'id' ? 'subscription-1' : 'tenant-1'); break;
  case 'login': break;
  case 'provider register': break;
  case 'ad app credential reset':
    if (option('query') !== 'password' || !words.includes('--append')) reject();
    say('new-credential');
    break;
  case 'deployment sub create': {
    if (!readFileSync(option('parameters'), 'utf8').startsWith("using 'main.bicep'")) reject();
    // Resource Manager changes the case of the names.
    const outputs = { aZURE_RESOURCE_GROUP: 'group', kEY_VAULT_NAME: 'vault', sTORAGE_ACCOUNT_NAME: 'account', gATEWAY_URL: 'https://gateway.example', fUNCTION_APP_URL: 'https://app.example' };
    say(JSON.stringify(Object.fromEntries(Object.entries(outputs).map(([name, value]) => [name, { type: 'String', value }]))));
    break;
  }
  case 'storage account show': say('/subscriptions/s/' + option('name')); break;
  case 'storage blob upload': readFileSync(option('file')); break;
  case 'ad signed-in-user show': say('operator-1'); break;
  case 'ad user show': say('object of ' + option('id')); break;
  case 'ad app federated-credential list':
    say(azure.federated.filter(({ app }) => app === option('id')).map(({ subject }) => subject).join('\n'));
    break;
  case 'ad app federated-credential create': {
    const { name, ...credential } = JSON.parse(option('parameters'));
    if (!/^[\w-]+$/.test(name)) reject();
    azure.federated.push({ app: option('id'), ...credential });
    break;
  }
  case 'role assignment create': {
    // A person's role on the data, in the guide.
    if (option('assignee') === 'operator-1' && option('scope') === '/subscriptions/s/account') break;
    if (option('assignee-principal-type') !== 'ServicePrincipal' || option('scope') !== '/subscriptions/subscription-1') reject();
    const condition = words.includes('--condition') ? { condition: option('condition') } : {};
    const known = ['Reader', 'Contributor', 'Role Based Access Control Administrator', ...azure.roleDefinitions.map(({ Name }) => Name)];
    if (!known.includes(option('role'))) reject();
    azure.subscriptionRoles.push({ principal: option('assignee-object-id'), role: option('role'), ...condition });
    break;
  }
  case 'role definition list':
    say(azure.roleDefinitions.filter(({ Name }) => Name === option('name')).map(({ Name }) => Name).join('\n'));
    break;
  case 'role definition create': azure.roleDefinitions.push(JSON.parse(option('role-definition'))); break;
  case 'ad app list': {
    const [, name] = /^displayName eq '((?:[^']|'')*)'$/.exec(option('filter')) ?? reject();
    if (option('query') !== '[].appId') reject();
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
    const { id, identifierUris: uris = [], appRoles, api } = azure.apps.find((app) => app.appId === option('id')) ?? reject();
    say(option('query') === 'id' ? id : JSON.stringify({ uris, roles: appRoles, scopes: api.oauth2PermissionScopes }));
    break;
  }
  case 'ad sp show':
    if (option('query') === 'oauth2PermissionScopes') {
      const names = ['Mail.Send', 'offline_access', 'User.Read', 'Sites.Read.All', 'Files.ReadWrite.All'];
      say(JSON.stringify(names.map((value) => ({ id: 'id of ' + value, value }))));
    } else if (!azure.principals.some(({ appId }) => appId === option('id'))) process.exit(3);
    else if (option('query') === 'id') say('principal-of-' + option('id'));
    else {
      const [, value] = /^appRoles\[\?value=='([\w.]+)'\]\.id \| \[0\]$/.exec(option('query')) ?? [];
      if (value) say(azure.apps.find(({ appId }) => appId === option('id'))?.appRoles.find((role) => role.value === value)?.id ?? '');
    }
    break;
  case 'ad sp create': azure.principals.push({ appId: option('id'), appRoleAssignmentRequired: false }); break;
  case 'ad sp update': {
    const [name, value] = option('set').split('=');
    (azure.principals.find(({ appId }) => appId === option('id')) ?? reject())[name] = value === 'true';
    break;
  }
  case 'ad app permission admin-consent': azure.consents.push(option('id')); break;
  case 'rest': {
    if (option('method') === 'PATCH') {
      const app = azure.apps.find(({ id }) => option('url') === 'https://graph.microsoft.com/v1.0/applications/' + id) ?? reject();
      Object.assign(app, JSON.parse(option('body')));
      break;
    }
    const [, resource] = /servicePrincipals\/principal-of-([\w-]+)\/appRoleAssignedTo$/.exec(option('url')) ?? [];
    if (option('method') === 'POST' && resource) {
      const { principalId, resourceId, appRoleId } = JSON.parse(option('body'));
      if (resourceId !== 'principal-of-' + resource) reject();
      const roles = azure.apps.find(({ appId }) => appId === resource)?.appRoles ?? reject();
      const none = appRoleId === '00000000-0000-0000-0000-000000000000';
      const role = none ? '-' : (roles.find(({ id }) => id === appRoleId) ?? reject()).value;
      const assignment = principalId + ': ' + role + ' on ' + resource;
      if (azure.assignments.includes(assignment)) {
        process.stderr.write('Bad Request: Permission being assigned already exists on the object\n');
        save();
        process.exit(1);
      }
      azure.assignments.push(assignment);
      break;
    }
    const key = /^\/subscriptions\/s\/app\/host\/default\/functionKeys\/([\w-]+)\?api-version=[\d-]+$/.exec(option('url'));
    if (option('method') === 'put' && key) {
      host();
      const { name, value } = JSON.parse(secretFile(option('body').slice(1))).properties;
      if (name !== key[1] || option('output') !== 'none') reject();
      azure.keys[name] = value;
      break;
    }
    if (option('method') !== 'post') reject();
    azure.posts.push(option('url') + ' with ' + Object.keys(azure.keys).join());
    break;
  }
  case 'deployment group create': {
    const failure = azure.deploymentFailures.shift();
    if (!failure) break;
    process.stderr.write(failure + '\n');
    save();
    process.exit(1);
  }
  case 'monitor app-insights query':
    azure.queries.push(option('analytics-query'));
    say(String((process.env.TELEMETRY_LOG ? durationInLog() : azure.telemetry.shift()) ?? ''));
    break;
  default: reject();
}
save();
`;

/** A machine with the stand-in for `az` on its PATH, and a `sleep` that does not wait. */
export class AzureShell {
  azure: Azure = {
    secrets: {},
    keys: {},
    rejections: 0,
    posts: [],
    calls: [],
    deploymentFailures: [],
    queries: [],
    telemetry: [],
    host: 'app.example',
    apps: [],
    principals: [],
    consents: [],
    assignments: [],
    subscriptionRoles: [],
    roleDefinitions: [],
    federated: [],
  };
  readonly #directory = mkdtempSync(join(tmpdir(), 'azure-cli-'));

  constructor() {
    writeFileSync(join(this.#directory, 'az.cjs'), cli);
    this.#program('az', `exec '${process.execPath}' '${join(this.#directory, 'az.cjs')}' "$@"`);
    this.#program('sleep', ':');
    // Other programs that a script starts and could pass a secret to: the real programs, with their command lines
    // recorded.
    for (const name of ['curl', 'jq', 'openssl'])
      this.#program(
        name,
        `printf '%s\\n' '${name} '"$*" >>"$COMMAND_LINES"; PATH=\${PATH#*:} exec ${name} "$@"`,
      );
  }

  /** Runs a script of `bicep/`, or one with an absolute path, and updates `azure` with the changes that it made. */
  async run(script: string, args: readonly string[] = [], options: RunOptions = {}): Promise<Outcome> {
    const state = join(this.#directory, 'azure.json');
    writeFileSync(state, JSON.stringify(this.azure));
    const commandLines = join(this.#directory, 'command-lines');
    writeFileSync(commandLines, '');
    const outcome = await new Promise<Outcome>((resolve) => {
      const child = execFile(
        'bash',
        [isAbsolute(script) ? script : join(bicep, script), ...args],
        {
          encoding: 'utf8',
          cwd: options.cwd,
          env: {
            PATH: `${this.#directory}${delimiter}${process.env['PATH'] ?? ''}`,
            // So that a leftover file is detected.
            TMPDIR: this.#directory,
            AZURE_STATE: state,
            COMMAND_LINES: commandLines,
            FUNCTION_APP_NAME: 'app',
            AZURE_RESOURCE_GROUP: 'group',
            KEY_VAULT_NAME: 'vault',
            API_MANAGEMENT_NAME: 'gateway',
            ...options.env,
          },
        },
        (_error, stdout, stderr) => resolve({ status: child.exitCode, printed: stdout + stderr }),
      );
      // A script that reads no input can have ended before it is written.
      child.stdin?.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EPIPE') throw error;
      });
      child.stdin?.end(options.input ?? '');
    });
    this.azure = JSON.parse(readFileSync(state, 'utf8')) as Azure;
    this.azure.calls.push(...readFileSync(commandLines, 'utf8').split('\n').slice(0, -1));
    return outcome;
  }

  /** Files that scripts left in the folder for temporary ones. */
  leftovers(): string[] {
    return readdirSync(this.#directory).filter((name) => name.startsWith('tmp.'));
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true });
  }

  #program(name: string, text: string): void {
    writeFileSync(join(this.#directory, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  }
}

interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly cwd?: string;
}

interface Outcome {
  readonly status: number | null;
  readonly printed: string;
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import * as z from 'zod';
import { deployedResources } from './azure-snapshot.ts';

// The scripts of a deployment, run with a stand-in for the Azure CLI in this process.

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
  /** So often a deployment of the name is still running. */
  deploymentsActive: number;
  /** Name of the last deployment of the infrastructure; empty before the first. */
  deployed: string;
  /** The variables of the last deployment. */
  kept: Record<string, string>;
  /** Where each deployment of the subscription was begun, by its name. */
  locations: Record<string, string>;
  /** The budget of the resource group: its amount, and the month of its start. */
  budget?: { amount: string; start: string };
  /** The accounts of the subscription: group, name, and how they are copied. */
  storage: { group: string; name: string; sku: string }[];
  /** Accounts that a lock keeps. */
  locked: string[];
  /** Host name of the function app, and of the gateway. */
  host: string;
  /** Who is signed in to az. */
  operator: string;
  /** Where az is signed in; the first is the one in which it works. */
  accounts: { id: string; tenantId: string }[];
  /** Domain of the tenant of the subscription. */
  domain: string;
  apps: Registration[];
  /** How many lists of a replica do not have a new registration yet. */
  lateLists: number;
  /** Unique names of registrations that were deleted, which stay taken for 30 days. */
  deletedNames: string[];
  /** The delegated permissions that Microsoft Graph has. */
  graphScopes: string[];
  /** How many reads of an app role do not find it yet. */
  lateRoles: number;
  principals: { appId: string; appRoleAssignmentRequired: boolean }[];
  consents: string[];
  /** `who: role on registration` */
  assignments: string[];
  /** Roles on the subscription, with their conditions. */
  subscriptionRoles: { principal: string; role: string; condition?: string }[];
  federated: { app: string; issuer: string; subject: string; audiences: string[] }[];
  /** What the next calls that begin with these words print before they exit with 1: the directory is replicated. */
  faults: { words: string; errors: string }[];
}

export interface Registration {
  id: string;
  appId: string;
  displayName: string;
  /** The tenant that it is in. */
  tenantId?: string;
  uniqueName?: string;
  /** How many lists do not have it yet. */
  unlisted?: number;
  identifierUris?: string[];
  appRoles: { id: string; value: string }[];
  api: {
    oauth2PermissionScopes: { id: string; value: string }[];
    preAuthorizedApplications?: { appId: string; delegatedPermissionIds: string[] }[];
  };
  isFallbackPublicClient?: boolean;
  publicClient?: { redirectUris: string[] };
  requiredResourceAccess?: { resourceAppId: string; resourceAccess: { id: string; type: string }[] }[];
}

/** What `az` prints, and its exit code. */
interface Response {
  readonly status: number;
  readonly output: string;
  readonly errors: string;
}

class Exit extends Error {
  readonly status: number;
  constructor(status: number, errors = '') {
    super(errors);
    this.status = status;
  }
}

/** A call of `az`, by a script that runs in `folder`. */
interface Call {
  readonly words: readonly string[];
  readonly folder: string;
  /** Of the environment, which the parameter files read. */
  readonly variables: {
    readonly storageRedundancy: string;
    readonly apiParameters: string;
    readonly kept: string;
  };
}

function respond(azure: Azure, call: Call): Response {
  const printed: string[] = [];
  try {
    const line = call.words.join(' ');
    azure.calls.push(line);
    const fault = azure.faults.findIndex(({ words }) => line.startsWith(words));
    if (fault >= 0) {
      const [{ errors }] = azure.faults.splice(fault, 1) as [Azure['faults'][number]];
      throw new Exit(1, `${errors}\n`);
    }
    if (azure.accounts.length === 0 && call.words[0] !== 'login')
      throw new Exit(1, "ERROR: Please run 'az login' to setup account.\n");
    run(azure, call, (text) => printed.push(`${text}\n`));
    // Where somebody has set core.output to table, that is what it prints.
    const format = call.words[call.words.findIndex((word) => /^(?:-o|--output)$/.test(word)) + 1];
    if (printed.length > 0 && format !== 'tsv' && format !== 'json')
      throw new Exit(2, `without --output: az ${line}\n`);
    return { status: 0, output: printed.join(''), errors: '' };
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
    return { status: error.status, output: printed.join(''), errors: error.message };
  }
}

/** Of everything that the templates create. */
const names = new Set(
  (['dev', 'prod'] as const).flatMap((environment) => deployedResources(environment).map(({ name }) => name)),
);

/** The part of the Azure CLI that the scripts call; it exits with 2 for anything else. */
function run(azure: Azure, { words, folder, variables }: Call, say: (text: string) => void): void {
  const reject = (): never => {
    throw new Exit(2, `unexpected: az ${words.join(' ')}\n`);
  };
  const option = (name: string): string => words[words.indexOf(`--${name}`) + 1] ?? reject();
  const fileOf = (name: string): string => resolve(folder, name);
  // Contents of a file that no other user has permission to read.
  const secretFile = (name: string): string => {
    if ((statSync(fileOf(name)).mode & 0o777) !== 0o600) reject();
    return readFileSync(fileOf(name), 'utf8');
  };
  const host = (): void => {
    if (azure.rejections-- > 0) throw new Exit(1);
  };
  const isHere = ({ tenantId }: Registration): boolean =>
    tenantId === undefined || tenantId === azure.accounts[0]?.tenantId;
  const registration = (isIt: (app: Registration) => boolean): Registration =>
    azure.apps.filter(isHere).find(isIt) ?? reject();
  const at = words.findIndex((word) => word.startsWith('--'));
  switch (words.slice(0, at < 0 ? words.length : at).join(' ')) {
    case 'keyvault secret list':
      say(Object.keys(azure.secrets).join('\n'));
      break;
    case 'keyvault secret show': {
      const secret = azure.secrets[option('name')];
      if (!secret) throw new Exit(3);
      say(option('query') === 'value' ? secret.value : (secret.tags['keyName'] ?? ''));
      break;
    }
    case 'keyvault secret set': {
      if (azure.accounts[0]?.id !== 'subscription-1') reject();
      if (option('encoding') !== 'utf-8') reject();
      const tags = words.includes('--tags')
        ? (Object.fromEntries([option('tags').split('=')]) as Record<string, string>)
        : {};
      const expires = words.includes('--expires') ? { expires: option('expires') } : {};
      azure.secrets[option('name')] = { value: secretFile(option('file')), tags, ...expires };
      break;
    }
    case 'functionapp keys list':
      host();
      say(Object.keys(azure.keys).join('\n'));
      break;
    case 'functionapp keys delete':
      delete azure.keys[option('key-name')];
      break;
    case 'functionapp stop':
    case 'functionapp start':
    case 'functionapp restart':
    case 'functionapp delete':
      if (option('name') !== 'app' || option('resource-group') !== 'group') reject();
      break;
    case 'network private-endpoint delete':
      if (option('resource-group') !== 'group' || !names.has(option('name'))) reject();
      break;
    case 'monitor log-analytics workspace show':
      if (option('resource-group') !== 'group' || !names.has(option('name'))) reject();
      break;
    case 'functionapp show':
      say(option('query') === 'id' ? '/subscriptions/s/app' : azure.host);
      break;
    case 'apim show':
      say('/subscriptions/s/gateway');
      break;
    case 'account show': {
      const { id, tenantId } = azure.accounts[0]!;
      say({ id, tenantId, name: `name of ${id}` }[option('query')] ?? reject());
      break;
    }
    case 'account set': {
      const chosen = azure.accounts.findIndex(({ id }) => id === option('subscription'));
      if (chosen < 0)
        throw new Exit(
          1,
          `ERROR: The subscription of '${option('subscription')}' doesn't exist in cloud 'AzureCloud'.\n`,
        );
      azure.accounts.unshift(...azure.accounts.splice(chosen, 1));
      break;
    }
    case 'account list': {
      const [, tenant] = /^\[\?tenantId=='([\w-]+)'\]\.id \| \[0\]$/.exec(option('query')) ?? reject();
      say(azure.accounts.find(({ tenantId }) => tenantId === tenant)?.id ?? '');
      break;
    }
    case 'login':
      // A tenant without a subscription is an account with its own id.
      if (words.includes('--tenant') && !words.includes('--service-principal')) {
        if (!words.includes('--allow-no-subscriptions')) reject();
        azure.accounts.unshift({ id: option('tenant'), tenantId: option('tenant') });
      }
      break;
    case 'provider register':
      break;
    case 'ad app credential reset':
      if (option('query') !== 'password' || !words.includes('--append')) reject();
      say('new-credential');
      break;
    case 'account get-access-token':
      if (option('resource') !== 'https://vault.azure.net' || option('output') !== 'none') reject();
      break;
    case 'deployment sub create':
    case 'deployment sub what-if':
      if (!readFileSync(fileOf(option('parameters')), 'utf8').startsWith("using 'main.bicep'")) reject();
      if (azure.accounts[0]?.id !== 'subscription-1') reject();
      if (words[2] === 'create') {
        const name = option('name');
        rejectIfActive(azure, name);
        // learn.microsoft.com, azure-resource-manager/templates/deploy-to-subscription, "Deployment location and name".
        if ((azure.locations[name] ?? option('location')) !== option('location'))
          throw new Exit(
            1,
            `ERROR: (InvalidDeploymentLocation) ${name} exists in ${azure.locations[name]}\n`,
          );
        azure.locations[name] = option('location');
        azure.deployed = name;
        azure.kept = z.record(z.string(), z.string().min(1)).parse(JSON.parse(variables.kept));
        deployStorage(azure, name, variables.storageRedundancy || 'Standard_RAGZRS');
      }
      break;
    case 'deployment sub list':
      if (!/^\[\?name=='\w+-(?:dev|prod)'\]\.name$/.test(option('query'))) reject();
      say(option('query').includes(`'${azure.deployed}'`) ? azure.deployed : '');
      break;
    case 'deployment sub show': {
      if (option('name') !== azure.deployed) throw new Exit(3, 'ERROR: (DeploymentNotFound)\n');
      // Resource Manager changes the case of the names.
      const outputs = {
        aZURE_RESOURCE_GROUP: 'group',
        fUNCTION_APP_NAME: 'app',
        aPI_MANAGEMENT_NAME: 'gateway',
        kEY_VAULT_NAME: 'vault',
        sTORAGE_ACCOUNT_NAME: 'account',
        gATEWAY_URL: `https://${azure.host}`,
        fUNCTION_APP_URL: `https://${azure.host}`,
        dEPLOYED_VARIABLES: JSON.stringify(azure.kept),
        aPI_PARAMETERS: { functionAppName: 'app' },
      };
      say(
        JSON.stringify(
          Object.fromEntries(
            Object.entries(outputs).map(([name, value]) => [
              name,
              { type: typeof value === 'string' ? 'String' : 'Object', value },
            ]),
          ),
        ),
      );
      break;
    }
    case 'functionapp deployment source config-zip':
      if (!existsSync(fileOf(option('src')))) reject();
      break;
    case 'storage account show':
      say('/subscriptions/s/' + option('name'));
      break;
    case 'group exists':
      say(String(accountsOf(azure, option('name')).length > 0));
      break;
    case 'storage account list': {
      if (option('query') === "[?!starts_with(name, 'sthost')].[name, sku.name]") {
        const data = accountsOf(azure, option('resource-group')).filter(
          ({ name }) => !name.startsWith('sthost'),
        );
        if (data.length === 0) throw new Exit(3, 'ERROR: (ResourceGroupNotFound)\n');
        say(data.map(({ name, sku }) => `${name}\t${sku}`).join('\n'));
        break;
      }
      const [, name] = /^\[\?name=='(\w+)'\]\.id$/.exec(option('query')) ?? reject();
      say('/subscriptions/s/' + name);
      break;
    }
    case 'storage blob download':
      writeFileSync(fileOf(option('file')), 'a template of ' + option('account-name'));
      break;
    case 'storage blob upload':
      readFileSync(fileOf(option('file')));
      break;
    case 'ad signed-in-user show':
      say(azure.operator);
      break;
    case 'ad user show':
      say('object of ' + option('id'));
      break;
    case 'ad app federated-credential list':
      say(
        azure.federated
          .filter(({ app }) => app === option('id'))
          .map(({ subject }) => subject)
          .join('\n'),
      );
      break;
    case 'ad app federated-credential create': {
      const { name, ...credential } = JSON.parse(option('parameters')) as { name: string } & Omit<
        Azure['federated'][number],
        'app'
      >;
      if (!/^[\w-]+$/.test(name)) reject();
      azure.federated.push({ app: option('id'), ...credential });
      break;
    }
    case 'role assignment create': {
      // A person's role on the data, in the guide.
      if (words.includes('--assignee') && option('assignee') === 'operator-1') {
        if (!/^Storage (Table|Blob) Data Contributor$/.test(option('role'))) reject();
        if (!/^\/subscriptions\/s\/\w+$/.test(option('scope'))) reject();
        break;
      }
      if (
        option('assignee-principal-type') !== 'ServicePrincipal' ||
        option('scope') !== '/subscriptions/subscription-1'
      )
        reject();
      const condition = words.includes('--condition') ? { condition: option('condition') } : {};
      const known = ['Contributor', 'Role Based Access Control Administrator'];
      if (!known.includes(option('role'))) reject();
      const principal = option('assignee-object-id');
      // As an Azure CLI does that does not know the new text of the response.
      if (
        azure.subscriptionRoles.some((each) => each.principal === principal && each.role === option('role'))
      )
        throw new Exit(
          1,
          'ERROR: (RoleAssignmentExists) The role assignment already exists. The ID of the existing role assignment is x.\n',
        );
      azure.subscriptionRoles.push({ principal, role: option('role'), ...condition });
      break;
    }
    case 'ad app list': {
      const [, name = ''] = /^displayName eq '((?:[^']|'')*)'$/.exec(option('filter')) ?? reject();
      if (option('query') !== '[].appId') reject();
      const named = azure.apps.filter(isHere).filter((app) => app.displayName === name.replaceAll("''", "'"));
      const listed = named.filter(({ unlisted = 0 }) => unlisted === 0);
      for (const app of named) if (app.unlisted) app.unlisted -= 1;
      say(listed.map((app) => app.appId).join('\n'));
      break;
    }
    case 'ad app show': {
      const {
        id,
        identifierUris: uris = [],
        appRoles,
        api,
      } = registration(({ appId }) => appId === option('id'));
      say(
        option('query') === 'id'
          ? id
          : JSON.stringify({ uris, roles: appRoles, scopes: api.oauth2PermissionScopes }),
      );
      break;
    }
    case 'ad sp show':
      if (option('query') === 'oauth2PermissionScopes') {
        say(JSON.stringify(azure.graphScopes.map((value) => ({ id: 'id of ' + value, value }))));
      } else if (!azure.principals.some(({ appId }) => appId === option('id'))) throw new Exit(3);
      else if (option('query') === 'id') say('principal-of-' + option('id'));
      else {
        const [, value] = /^appRoles\[\?value=='([\w.]+)'\]\.id \| \[0\]$/.exec(option('query')) ?? [];
        if (value && azure.lateRoles-- <= 0)
          say(
            azure.apps
              .find(({ appId }) => appId === option('id'))
              ?.appRoles.find((role) => role.value === value)?.id ?? '',
          );
      }
      break;
    case 'ad sp create':
      azure.principals.push({ appId: option('id'), appRoleAssignmentRequired: false });
      break;
    case 'ad sp update': {
      if (option('set') !== 'appRoleAssignmentRequired=true') reject();
      const principal = azure.principals.find(({ appId }) => appId === option('id')) ?? reject();
      principal.appRoleAssignmentRequired = true;
      break;
    }
    case 'ad app permission admin-consent':
      azure.consents.push(option('id'));
      break;
    case 'rest': {
      const [, uniqueName] =
        /^https:\/\/graph\.microsoft\.com\/v1\.0\/applications\(uniqueName='([\w-]+)'\)(?:\?\$select=appId)?$/.exec(
          option('url'),
        ) ?? [];
      if (uniqueName !== undefined) {
        const found = azure.apps.filter(isHere).find((app) => app.uniqueName === uniqueName);
        if (option('method') === 'GET') {
          if (!found) throw new Exit(1, `ERROR: Not Found({"error":{"code":"Request_ResourceNotFound"}})\n`);
          say(found.appId);
        } else upsert(azure, uniqueName, option('body'), words.includes('Prefer=create-if-missing'));
        break;
      }
      if (option('url') === 'https://graph.microsoft.com/v1.0/organization?$select=verifiedDomains') {
        say(azure.domain);
        break;
      }
      if (option('method') === 'PATCH') {
        const app = registration(
          ({ id }) => option('url') === `https://graph.microsoft.com/v1.0/applications/${id}`,
        );
        Object.assign(app, JSON.parse(option('body')));
        break;
      }
      const [, resource] =
        /servicePrincipals\/principal-of-([\w-]+)\/appRoleAssignedTo$/.exec(option('url')) ?? [];
      if (option('method') === 'POST' && resource) {
        const { principalId, resourceId, appRoleId } = JSON.parse(option('body')) as Record<string, string>;
        if (resourceId !== 'principal-of-' + resource) reject();
        const roles = registration(({ appId }) => appId === resource).appRoles;
        const none = appRoleId === '00000000-0000-0000-0000-000000000000';
        const role = none ? '-' : (roles.find(({ id }) => id === appRoleId) ?? reject()).value;
        const assignment = principalId + ': ' + role + ' on ' + resource;
        if (azure.assignments.includes(assignment)) {
          throw new Exit(1, 'Bad Request: Permission being assigned already exists on the object\n');
        }
        azure.assignments.push(assignment);
        break;
      }
      const key = /^\/subscriptions\/s\/app\/host\/default\/functionKeys\/([\w-]+)\?api-version=[\d-]+$/.exec(
        option('url'),
      );
      if (option('method') === 'put' && key) {
        host();
        const { properties } = JSON.parse(secretFile(option('body').slice(1))) as {
          properties: { name: string; value: string };
        };
        const { name, value } = properties;
        if (name !== key[1] || option('output') !== 'none') reject();
        azure.keys[name] = value;
        break;
      }
      const group = '/subscriptions/subscription-1/resourceGroups/group';
      const budgets = String.raw`/providers/Microsoft\.Consumption/budgets(/projektordner)?`;
      const budget = new RegExp(String.raw`^${group}${budgets}\?api-version=2026-06-01$`).exec(option('url'));
      if (budget?.[1] === undefined && option('method') === 'get' && budget) {
        if (option('query') !== "value[?name=='projektordner'].name") reject();
        if (azure.budget) say('projektordner');
        break;
      }
      if (budget?.[1] !== undefined && option('method') === 'delete') {
        if (!azure.budget) reject();
        delete azure.budget;
        break;
      }
      if (option('method') !== 'post') reject();
      azure.posts.push(option('url') + ' with ' + Object.keys(azure.keys).join());
      break;
    }
    case 'deployment group create': {
      rejectIfActive(azure, option('name'));
      const failure = azure.deploymentFailures.shift();
      if (failure) throw new Exit(1, `${failure}\n`);
      if (!words.includes('--template-file')) {
        if (!option('parameters').endsWith('api.bicepparam')) reject();
        z.looseObject({ functionAppName: z.literal('app') }).parse(JSON.parse(variables.apiParameters));
        break;
      }
      if (!readFileSync(fileOf(option('template-file')), 'utf8').startsWith('// What keeps the data'))
        reject();
      const given = Object.fromEntries(
        words.slice(words.indexOf('--parameters') + 1).map((word) => word.split(/=(.*)/s).slice(0, 2)),
      ) as Record<string, string>;
      const start = new Date().toISOString().slice(0, 7);
      // github.com/Azure/azure-quickstart-templates issue 7095
      if (azure.budget && azure.budget.start !== start)
        throw new Exit(1, 'ERROR: (400) Start date of budgets cannot be updated.\n');
      azure.budget = { amount: given['monthlyBudget'] ?? reject(), start };
      azure.locked = [given['storageAccountName'] ?? reject()];
      break;
    }
    default:
      reject();
  }
}

/** learn.microsoft.com/graph/api/application-upsert; what the directory says about a name that is taken, as issue 137 of msgraph-bicep-types quotes it. */
function upsert(azure: Azure, uniqueName: string, body: string, creates: boolean): void {
  const properties = z
    .strictObject({ displayName: z.string(), signInAudience: z.literal('AzureADMyOrg') })
    .parse(JSON.parse(body));
  const found = azure.apps.find((app) => app.uniqueName === uniqueName);
  if (found) Object.assign(found, properties);
  else if (!creates) throw new Exit(1, `ERROR: Not Found({"error":{"code":"Request_ResourceNotFound"}})\n`);
  else if (azure.deletedNames.includes(uniqueName))
    throw new Exit(
      1,
      'ERROR: Bad Request({"error":{"code":"Request_BadRequest","message":"Another object with the same value for property uniqueName already exists."}})\n',
    );
  else {
    const n = azure.apps.length + 1;
    azure.apps.push({
      id: `object-${n}`,
      appId: `app-${n}`,
      displayName: properties.displayName,
      tenantId: azure.accounts[0]!.tenantId,
      uniqueName,
      ...(azure.lateLists > 0 && { unlisted: azure.lateLists }),
      appRoles: [],
      api: { oauth2PermissionScopes: [] },
    });
  }
}

/** Names of groups are the same in any case. */
const accountsOf = ({ storage }: Azure, group: string) =>
  storage.filter((account) => account.group.toLowerCase() === group.toLowerCase());

/** github.com/Azure/azure-dev issue 2977. */
function rejectIfActive(azure: Azure, name: string): void {
  if (azure.deploymentsActive === 0) return;
  azure.deploymentsActive -= 1;
  throw new Exit(
    1,
    `ERROR: (DeploymentActive) Unable to edit or replace deployment '${name}': previous deployment from '11/15/2026 12:46:43 AM' is still active (expiration time is '11/22/2026 12:45:37 AM').\n`,
  );
}

/** As Azure converts accounts: not between zones and one place, in a template (learn.microsoft.com/azure/storage/common/redundancy-migration). */
function deployStorage(azure: Azure, deployment: string, sku: string): void {
  const group = `rg-${deployment}`;
  const accounts = accountsOf(azure, group);
  if (accounts.length === 0) {
    azure.storage.push({ group, name: `sthost${deployment}`, sku: 'Standard_ZRS' });
    azure.storage.push({ group, name: 'account', sku });
    return;
  }
  const data = accounts.find((each) => !each.name.startsWith('sthost'))!;
  if (data.sku.includes('ZRS') !== sku.includes('ZRS'))
    throw new Exit(1, `ERROR: (StorageAccountTypeConversionNotAllowed) ${data.sku} to ${sku}\n`);
  data.sku = sku;
}

/** A program that sends its words to the port, each ended by a NUL, and prints the response. */
const callOver = (port: number): string => `#!/bin/bash
exec 3<>/dev/tcp/127.0.0.1/${port}
printf '%s\\0' "$#" "$PWD" "\${STORAGE_REDUNDANCY-}" "\${API_PARAMETERS-}" "\${DEPLOYED_VARIABLES-}" "$@" >&3
IFS= read -r -d '' status <&3
IFS= read -r -d '' output <&3
IFS= read -r -d '' errors <&3
printf '%s' "$output"
printf '%s' "$errors" >&2
exit "$status"`;

/** A machine with the stand-in for `az` on its PATH, and a `sleep` that does not wait. */
export class AzureShell {
  azure: Azure = {
    secrets: {},
    keys: {},
    rejections: 0,
    posts: [],
    calls: [],
    deploymentFailures: [],
    deploymentsActive: 0,
    deployed: '',
    kept: {},
    locations: {},
    storage: [],
    locked: [],
    host: 'app.example',
    operator: 'operator-1',
    accounts: [{ id: 'subscription-1', tenantId: 'tenant-1' }],
    domain: 'contoso.onmicrosoft.com',
    apps: [],
    lateLists: 0,
    deletedNames: [],
    graphScopes: [
      'Mail.Send',
      'Mail.ReadWrite',
      'offline_access',
      'User.Read',
      'Sites.Read.All',
      'Files.ReadWrite.All',
    ],
    lateRoles: 0,
    principals: [],
    consents: [],
    assignments: [],
    subscriptionRoles: [],
    federated: [],
    faults: [],
  };
  readonly #directory = mkdtempSync(join(tmpdir(), 'azure cli ä-'));

  readonly #server = createServer((socket) => this.#answer(socket)).listen(0, '127.0.0.1');
  #loseTerminal: () => void = () => undefined;
  /** After which calls of `az` the script and all that it has started are killed, before they learn the outcome. */
  losesTerminalAfter: (line: string) => boolean = () => false;

  constructor() {
    this.program('sleep', '#!/bin/sh');
    // Other programs that a script starts and could pass a secret to: the real programs, with their command lines
    // recorded.
    for (const name of ['curl', 'jq', 'openssl'])
      this.program(
        name,
        `#!/bin/sh
printf '%s\\n' '${name} '"$*" >>"$COMMAND_LINES"
PATH=\${PATH#*:}
exec ${name} "$@"`,
      );
  }

  /** Runs a script of `bicep/`, or one with an absolute path, and updates `azure` with the changes that it made. */
  async run(script: string, args: readonly string[] = [], options: RunOptions = {}): Promise<Outcome> {
    if (!this.#server.listening) await once(this.#server, 'listening');
    const { port } = this.#server.address() as AddressInfo;
    // Bash itself, because starting Node for each of hundreds of calls takes 45 ms of processor time.
    this.program('az', callOver(port));
    // What a test has kept of the earlier state does not change.
    this.azure = structuredClone(this.azure);
    const commandLines = join(this.#directory, 'command-lines');
    writeFileSync(commandLines, '');
    const outcome = await new Promise<Outcome>((resolve) => {
      const child = spawn('bash', [isAbsolute(script) ? script : join(bicep, script), ...args], {
        cwd: options.cwd,
        // A group of its own, which ends with its terminal.
        detached: true,
        env: {
          PATH: `${this.#directory}${delimiter}${process.env['PATH'] ?? ''}`,
          // So that a leftover file is detected.
          TMPDIR: this.#directory,
          COMMAND_LINES: commandLines,
          FUNCTION_APP_NAME: 'app',
          AZURE_RESOURCE_GROUP: 'group',
          KEY_VAULT_NAME: 'vault',
          API_MANAGEMENT_NAME: 'gateway',
          ...options.env,
        },
      });
      const printed = { stdout: '', stderr: '' };
      for (const name of ['stdout', 'stderr'] as const)
        child[name].setEncoding('utf8').on('data', (text: string) => (printed[name] += text));
      child.on('close', (status) => resolve({ status, printed: printed.stdout + printed.stderr }));
      this.#loseTerminal = () => process.kill(-child.pid!, 'SIGKILL');
      // A script that reads no input can have ended before it is written.
      child.stdin.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EPIPE') throw error;
      });
      child.stdin.end(options.input ?? '');
    });
    this.azure.calls.push(...readFileSync(commandLines, 'utf8').split('\n').slice(0, -1));
    return outcome;
  }

  /** What `gh api` prints from now on; undefined: it fails, as for a repository that does not exist. */
  github(response: string | undefined): void {
    const says =
      response === undefined ? 'echo "gh: Not Found (HTTP 404)" >&2; exit 1' : `printf '%s' '${response}'`;
    this.program('gh', `#!/bin/sh\nprintf '%s\\n' "gh $*" >>"$COMMAND_LINES"\n${says}`);
  }

  /** Files that scripts left in the folder for temporary ones. */
  leftovers(): string[] {
    return readdirSync(this.#directory).filter((name) => name.startsWith('tmp.'));
  }

  remove(): void {
    this.#server.close();
    rmSync(this.#directory, { recursive: true });
  }

  #answer(socket: Socket): void {
    let received = '';
    socket.on('error', () => undefined);
    socket.setEncoding('utf8').on('data', (text: string) => {
      received += text;
      // Their number, the folder, the words, and nothing after the last NUL.
      const [count, folder = '', storageRedundancy = '', apiParameters = '', kept = '', ...words] = received
        .split('\0')
        .slice(0, -1);
      if (words.length !== Number(count)) return;
      const variables = { storageRedundancy, apiParameters, kept };
      const { status, output, errors } = respond(this.azure, { words, folder, variables });
      if (this.losesTerminalAfter(words.join(' '))) this.#loseTerminal();
      else socket.end([status, output, errors].map((part) => `${part}\0`).join(''));
    });
  }

  /** Puts a program on the PATH of the scripts. */
  program(name: string, text: string): void {
    writeFileSync(join(this.#directory, name), `${text}\n`, { mode: 0o755 });
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

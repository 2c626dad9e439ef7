import {
  type Environment,
  parseSettings,
  type SettingValues,
  SettingsError,
} from '../lib/contract/settings-table.ts';
import { editDistance } from '../lib/contract/edit-distance.ts';
import { maxRoutingServers } from '../lib/contract/folder-requests.ts';
import type { Secret } from '../lib/contract/secret.ts';
import { type ProxySettings, readProxy } from './proxy-settings.ts';
import {
  type AccountReading,
  type AccountSettings,
  accountSettings,
  readAccount,
} from './account-settings.ts';
import { type DfsSettings, dfsSettings, domainNames } from './dfs-settings.ts';
import { readCaBundle, readSecretFiles } from './settings-files.ts';
import { agentSettingsTable } from './settings-table.ts';
import { type ShareFolder, parseShareFolder } from './share-folder.ts';
import { servedNames, type ServedNames, servedAs } from './server-names.ts';

export interface AgentSettings {
  readonly agentId: string;
  readonly pollIntervalMs: number;
  readonly maxBackoffMs: number;
  readonly service: ServiceSettings;
  readonly fileServer: FileServerSettings;
  readonly template: ShareFolder;
  readonly root: ShareFolder | undefined;
  readonly allowedRoots: readonly ShareFolder[] | undefined;
  readonly debug: boolean;
  readonly logFormat: 'json' | 'pretty' | undefined;
}

export interface ServiceSettings {
  /** Without `/api/v1` and without a trailing slash. */
  readonly baseUrl: string;
  readonly key: Secret;
  readonly requestTimeoutMs: number;
  /** Contents of the CA bundle. */
  readonly caBundle: string | undefined;
  readonly allowInsecureTls: boolean;
  readonly proxy: ProxySettings | undefined;
}

export interface FileServerSettings {
  readonly server: string;
  readonly aliases: readonly string[];
  readonly port: number;
  readonly account: AccountSettings;
  readonly encryption: 'preferred' | 'required';
  readonly minimumDialect: '2.1' | '3.0' | '3.0.2' | '3.1.1';
  /** Undefined: DFS links fail with `DFS_LINK`. */
  readonly dfs?: DfsSettings | undefined;
  /** Template and root path: the agent claims nothing before it can log on there. */
  readonly ownFolders?: readonly ShareFolder[] | undefined;
}

/**
 * Reads the agent's settings from the environment and the files it names.
 *
 * @throws SettingsError with all faults; names variables, never values
 */
export function readAgentSettings(env: Environment, hostName: string): AgentSettings {
  const secrets = readSecretFiles(env);
  const bundle = readCaBundle(env);
  const account = readAccount(env);
  const proxy = readProxy(env);
  const faults = [
    ...secrets.faults,
    ...bundle.faults,
    ...proxy.faults,
    ...baseUrlFaults(env),
    ...serverFaults(env, account),
    ...account.faults,
    ...unknownFaults(env),
  ];
  try {
    const { values } = parseSettings(agentSettingsTable, { ...env, ...secrets.values });
    if (faults.length === 0)
      return agentSettings(values, account, { caBundle: bundle.pem, proxy: proxy.proxy }, hostName);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    throw new SettingsError([...faults, ...error.faults]);
  }
  throw new SettingsError(faults);
}

function agentSettings(
  values: SettingValues<typeof agentSettingsTable>,
  account: AccountReading,
  { caBundle, proxy }: Pick<ServiceSettings, 'caBundle' | 'proxy'>,
  hostName: string,
): AgentSettings {
  const dfs = values.FOLDER_AGENT_DFS ? dfsSettings(account, values.FOLDER_AGENT_DFS_SERVERS) : undefined;
  const served: ServedNames = {
    server: values.FOLDER_AGENT_SMB_SERVER,
    aliases: values.FOLDER_AGENT_SMB_SERVER_ALIASES ?? [],
    domains: domainNames(dfs),
  };
  // One spelling for the server, regardless of the name that the paths use.
  const onServer = (folder: ShareFolder) => ({
    ...folder,
    server: servedAs(folder.server, served) ?? folder.server,
  });
  const template = onServer(values.FOLDER_AGENT_TEMPLATE_PATH);
  const root = values.FOLDER_AGENT_ROOT_PATH && onServer(values.FOLDER_AGENT_ROOT_PATH);
  return {
    agentId: values.FOLDER_AGENT_AGENT_ID ?? hostName,
    pollIntervalMs: values.FOLDER_AGENT_POLL_INTERVAL_MS,
    maxBackoffMs: values.FOLDER_AGENT_MAX_BACKOFF_MS,
    service: {
      baseUrl: values.FOLDER_AGENT_API_BASE_URL.replace(/\/api\/v1$/, ''),
      key: values.FOLDER_AGENT_API_KEY,
      requestTimeoutMs: values.FOLDER_AGENT_REQUEST_TIMEOUT_MS,
      caBundle,
      allowInsecureTls: values.FOLDER_AGENT_ALLOW_INSECURE_TLS,
      proxy,
    },
    fileServer: {
      server: served.server,
      aliases: served.aliases,
      port: values.FOLDER_AGENT_SMB_PORT,
      account: accountSettings(values, account),
      encryption: values.FOLDER_AGENT_SMB_ENCRYPTION,
      minimumDialect: values.FOLDER_AGENT_SMB_MIN_DIALECT,
      dfs,
      ownFolders: root ? [template, root] : [template],
    },
    template,
    root,
    allowedRoots: values.FOLDER_AGENT_ALLOWED_ROOTS?.map(onServer),
    debug: values.FOLDER_AGENT_DEBUG,
    logFormat: values.FOLDER_AGENT_LOG_FORMAT,
  };
}

/** A misspelled name would silently turn off what it is meant to set. */
function unknownFaults(env: Environment): string[] {
  const known = Object.keys(agentSettingsTable);
  return Object.keys(env)
    .filter((name) => name.startsWith('FOLDER_AGENT_') && !known.includes(name))
    .map((name) => {
      const nearest = known.toSorted((a, b) => editDistance(a, name) - editDistance(b, name))[0]!;
      return `${name}: is not a setting of the agent; the nearest one is ${nearest}. Correct or remove it`;
    });
}

function baseUrlFaults(env: Environment): string[] {
  const name = 'FOLDER_AGENT_API_BASE_URL';
  const given = env[name]?.trim() ?? '';
  if (!URL.canParse(given)) return [];
  const { username, password, search, hash } = new URL(given);
  const faults: string[] = [];
  if (username !== '' || password !== '') faults.push(`${name}: must not contain credentials`);
  if (search !== '' || hash !== '') faults.push(`${name}: must not contain a query or a fragment`);
  return faults;
}

/** One account accesses all directories: on the file server, or in the namespaces of its domain. */
function serverFaults(env: Environment, account: AccountReading): string[] {
  const server = env['FOLDER_AGENT_SMB_SERVER']?.trim() ?? '';
  if (server === '') return [];
  const items = (name: string) => (env[name] ?? '').split(';').map((item) => item.trim());
  const dfs = env['FOLDER_AGENT_DFS']?.trim() === 'off' ? undefined : dfsSettings(account, undefined);
  const names = {
    server,
    aliases: items('FOLDER_AGENT_SMB_SERVER_ALIASES').filter((alias) => alias !== ''),
    domains: domainNames(dfs),
  };
  if (servedNames(names).length > maxRoutingServers)
    return [
      `FOLDER_AGENT_SMB_SERVER_ALIASES: more than ${maxRoutingServers} names, including those of the server and the domain`,
    ];
  const isElsewhere = (unc: string) => {
    const parsed = parseShareFolder(unc);
    return 'folder' in parsed && servedAs(parsed.folder.server, names) === undefined;
  };
  return ['FOLDER_AGENT_TEMPLATE_PATH', 'FOLDER_AGENT_ROOT_PATH', 'FOLDER_AGENT_ALLOWED_ROOTS']
    .filter((name) => items(name).some(isElsewhere))
    .map((name) => `${name}: is on a server other than FOLDER_AGENT_SMB_SERVER and its aliases`);
}

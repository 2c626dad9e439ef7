import {
  type Environment,
  parseSettings,
  type SettingValues,
  SettingsError,
} from '../lib/contract/settings-table.ts';
import type { Secret } from '../lib/contract/secret.ts';
import { readCaBundle, readSecretFiles } from './settings-files.ts';
import { agentSettingsTable } from './settings-table.ts';
import { type ShareFolder, parseShareFolder } from './share-folder.ts';
import { nameKey } from './smb/index.ts';

export interface AgentSettings {
  readonly agentId: string;
  readonly pollIntervalMs: number;
  readonly maxBackoffMs: number;
  readonly service: ServiceSettings;
  readonly fileServer: FileServerSettings;
  readonly template: ShareFolder;
  readonly root: ShareFolder | undefined;
  readonly debug: boolean;
  readonly logFormat: 'json' | 'pretty' | undefined;
}

export interface ServiceSettings {
  /** Without `/api/v1` and without a slash at the end. */
  readonly baseUrl: string;
  readonly key: Secret;
  readonly requestTimeoutMs: number;
  /** Contents of the CA bundle. */
  readonly caBundle: string | undefined;
  readonly allowInsecureTls: boolean;
}

export interface FileServerSettings {
  readonly server: string;
  readonly port: number;
  readonly username: string;
  readonly password: Secret;
  readonly domain: string;
  readonly encryption: 'preferred' | 'required';
  readonly minimumDialect: '2.1' | '3.0' | '3.0.2' | '3.1.1';
}

/**
 * Reads the agent's settings from the environment and the files it names.
 *
 * @throws SettingsError all faults at once, by variable name and never by value
 */
export function readAgentSettings(env: Environment, hostName: string): AgentSettings {
  const secrets = readSecretFiles(env);
  const bundle = readCaBundle(env);
  const faults = [...secrets.faults, ...bundle.faults, ...baseUrlFaults(env), ...serverFaults(env)];
  try {
    const { values } = parseSettings(agentSettingsTable, { ...env, ...secrets.values });
    if (faults.length === 0) return agentSettings(values, bundle.pem, hostName);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    throw new SettingsError([...faults, ...error.faults]);
  }
  throw new SettingsError(faults);
}

function agentSettings(
  values: SettingValues<typeof agentSettingsTable>,
  caBundle: string | undefined,
  hostName: string,
): AgentSettings {
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
    },
    fileServer: {
      server: values.FOLDER_AGENT_SMB_SERVER,
      port: values.FOLDER_AGENT_SMB_PORT,
      username: values.FOLDER_AGENT_SMB_USERNAME,
      password: values.FOLDER_AGENT_SMB_PASSWORD,
      domain: values.FOLDER_AGENT_SMB_DOMAIN ?? '',
      encryption: values.FOLDER_AGENT_SMB_ENCRYPTION,
      minimumDialect: values.FOLDER_AGENT_SMB_MIN_DIALECT,
    },
    template: values.FOLDER_AGENT_TEMPLATE_PATH,
    root: values.FOLDER_AGENT_ROOT_PATH,
    debug: values.FOLDER_AGENT_DEBUG,
    logFormat: values.FOLDER_AGENT_LOG_FORMAT,
  };
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

/** One account on one server reaches both directories, and copies stay on the server. */
function serverFaults(env: Environment): string[] {
  const server = env['FOLDER_AGENT_SMB_SERVER']?.trim() ?? '';
  if (server === '') return [];
  return ['FOLDER_AGENT_TEMPLATE_PATH', 'FOLDER_AGENT_ROOT_PATH'].flatMap((name) => {
    const parsed = parseShareFolder(env[name]?.trim() ?? '');
    if ('faults' in parsed || nameKey(parsed.folder.server) === nameKey(server)) return [];
    return [`${name}: is on another server than FOLDER_AGENT_SMB_SERVER names; both must be spelled alike`];
  });
}

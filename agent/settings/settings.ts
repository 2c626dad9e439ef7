import { type Environment, parseSettings } from '../../lib/contract/settings-table.ts';
import { maxRoutingServers } from '../../lib/contract/server-names.ts';
import { Secret } from '../../lib/contract/secret.ts';
import { readProxy } from './proxy-settings.ts';
import {
  accountFaults,
  type AccountSettings,
  accountSettings,
  type AgentValues,
} from './account-settings.ts';
import { agentSettingsTable } from './settings-table.ts';
import { skipRule } from '../base/skipped-names.ts';
import { contains, type ShareFolder } from '../base/share-folder.ts';
import { dfsSettings, servedNames, type ServedNames, servedNameOf } from '../base/server-names.ts';

export type AgentSettings = ReturnType<typeof readAgentSettings>;
export type ServiceSettings = AgentSettings['service'];
export type FileServerSettings = AgentSettings['fileServer'];

/**
 * Reads the agent's settings from the environment and the files it names.
 *
 * @throws SettingsError with all faults; names variables, never values
 */
export function readAgentSettings(env: Environment, hostName: string) {
  const { proxy, faults } = readProxy(env);
  const { values } = parseSettings(agentSettingsTable, env, (given) => {
    const account = accountSettings(given);
    return [
      ...unknownFaults(env),
      ...faults,
      ...serverFaults(given, servedNamesIn(given, account)),
      ...accountFaults(given, account),
    ];
  });
  const account = accountSettings(values);
  const served = servedNamesIn(values, account);
  // One spelling for the server, regardless of the name that the paths use.
  const onServer = (folder: ShareFolder) => ({
    ...folder,
    server: servedNameOf(folder.server, served) ?? folder.server,
  });
  const template = onServer(values.FOLDER_AGENT_TEMPLATE_PATH);
  const root = values.FOLDER_AGENT_ROOT_PATH && onServer(values.FOLDER_AGENT_ROOT_PATH);
  return {
    agentId: values.FOLDER_AGENT_AGENT_ID ?? hostName,
    pollIntervalMs: values.FOLDER_AGENT_POLL_INTERVAL_MS,
    maxBackoffMs: values.FOLDER_AGENT_MAX_BACKOFF_MS,
    service: {
      /** Without `/api/v1` and without a trailing slash. */
      baseUrl: values.FOLDER_AGENT_API_BASE_URL.replace(/\/api\/v1$/, ''),
      key: values.FOLDER_AGENT_API_KEY ?? values.FOLDER_AGENT_API_KEY_FILE ?? new Secret(''),
      requestTimeoutMs: values.FOLDER_AGENT_REQUEST_TIMEOUT_MS,
      /** Contents of the CA bundle. */
      caBundle: values.FOLDER_AGENT_CA_BUNDLE_PATH,
      allowInsecureTls: values.FOLDER_AGENT_ALLOW_INSECURE_TLS,
      proxy,
    },
    fileServer: {
      ...served,
      port: values.FOLDER_AGENT_SMB_PORT,
      account,
      encryption: values.FOLDER_AGENT_SMB_ENCRYPTION,
      minimumDialect: values.FOLDER_AGENT_SMB_MIN_DIALECT,
      /** The agent claims nothing before it can log on there. */
      ownFolders: root ? [template, root] : [template],
    },
    template,
    isSkipped: skipRule(values.FOLDER_AGENT_TEMPLATE_SKIP),
    root,
    allowedRoots: values.FOLDER_AGENT_ALLOWED_ROOTS?.map(onServer),
    debug: values.FOLDER_AGENT_DEBUG,
    logFormat: values.FOLDER_AGENT_LOG_FORMAT,
  };
}

const servedNamesIn = (values: AgentValues, account: AccountSettings): ServedNames => ({
  server: values.FOLDER_AGENT_SMB_SERVER ?? '',
  aliases: values.FOLDER_AGENT_SMB_SERVER_ALIASES ?? [],
  dfs: values.FOLDER_AGENT_DFS === false ? undefined : dfsSettings(account, values.FOLDER_AGENT_DFS_SERVERS),
});

/** How many characters to insert, remove or replace (Levenshtein). */
function editDistance(one: string, other: string): number {
  let previous = [...Array(other.length + 1).keys()];
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const change = (previous[column - 1] ?? 0) + (one[row - 1] === other[column - 1] ? 0 : 1);
      current.push(Math.min(change, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[other.length] ?? 0;
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

/** One account accesses all directories: on the file server, or in the namespaces of its domain. */
function serverFaults(values: AgentValues, served: ServedNames): string[] {
  if (served.server === '') return [];
  if (servedNames(served).length > maxRoutingServers)
    return [
      `FOLDER_AGENT_SMB_SERVER_ALIASES: more than ${maxRoutingServers} names, including those of the server and the domain`,
    ];
  const isServed = ({ server }: ShareFolder) => servedNameOf(server, served) !== undefined;
  const names = (
    ['FOLDER_AGENT_TEMPLATE_PATH', 'FOLDER_AGENT_ROOT_PATH', 'FOLDER_AGENT_ALLOWED_ROOTS'] as const
  ).filter((name) => values[name] !== undefined);
  const foldersOf = (name: (typeof names)[number]) => [values[name] ?? []].flat();
  const folders = names.flatMap(foldersOf);
  if (folders.length > 1 && !folders.some(isServed)) {
    const remedy = 'Set it to the name that these paths begin with, such as fs01 for //fs01/Projekte';
    return [`FOLDER_AGENT_SMB_SERVER: is not the server of ${names.join(', ')}. ${remedy}`];
  }
  const faults = names.flatMap((name) => {
    const given = foldersOf(name);
    return given.flatMap((folder, index) => {
      if (isServed(folder)) return [];
      const entry = given.length === 1 ? '' : `entry ${index + 1} of ${given.length} `;
      const remedy = 'If both names are of one server, add this one to FOLDER_AGENT_SMB_SERVER_ALIASES';
      return [
        `${name}: ${entry}is on a server other than FOLDER_AGENT_SMB_SERVER and its aliases. ${remedy}`,
      ];
    });
  });
  const { FOLDER_AGENT_TEMPLATE_PATH: template, FOLDER_AGENT_ROOT_PATH: root } = values;
  const onServer = (folder: ShareFolder) => ({
    ...folder,
    server: servedNameOf(folder.server, served) ?? '',
  });
  if (template && root && contains(onServer(template), onServer(root))) {
    faults.push(
      'FOLDER_AGENT_ROOT_PATH: is FOLDER_AGENT_TEMPLATE_PATH or inside it, and the template cannot be copied into itself. Set it to a directory outside, such as //fs01/Projekte for the template //fs01/Vorlagen/Projekt',
    );
  }
  return faults;
}

import { isSameServer } from '../../lib/contract/server-names.ts';
import { nameKey } from '../smb/index.ts';

/** The names in UNC paths of the servers that the agent serves. */
export interface ServedNames {
  /** FOLDER_AGENT_SMB_SERVER */
  readonly server: string;
  /** FOLDER_AGENT_SMB_SERVER_ALIASES */
  readonly aliases: readonly string[];
  /** Undefined: DFS links fail with `DFS_LINK`. */
  readonly dfs?: DfsSettings | undefined;
}

export type DfsSettings = ReturnType<typeof dfsSettings>;

/**
 * How the agent follows DFS.
 *
 * @param account its realm is the domain; with NTLM, the domain or the part after the `@` in the user name, if it has a dot
 * @param given FOLDER_AGENT_DFS_SERVERS
 */
export function dfsSettings(
  account: { readonly realm: string | undefined; readonly domain: string; readonly suffix: string },
  given: readonly string[] | undefined,
) {
  const { realm, domain, suffix } = account;
  const dnsDomain = [realm, suffix].find((name) => name?.includes('.'))?.toLowerCase();
  return {
    /**
     * The account's domain, in lower case, whose namespaces (`\\firma.local\daten`) are served too; undefined if no
     * setting names it: then there are no domain namespaces.
     */
    domain: dnsDomain,
    netbiosDomain: dnsDomain && domain !== '' && !domain.includes('.') ? domain : dnsDomain?.split('.', 1)[0],
    /** Hosts that referrals may lead to, besides the file server: names, and domains as `*.firma.local`. */
    servers: given ?? (dnsDomain === undefined ? [] : [`*.${dnsDomain}`]),
  };
}

const domainNames = ({ dfs }: ServedNames): readonly string[] =>
  [dfs?.domain, dfs?.netbiosDomain].filter((name) => name !== undefined);

/**
 * The name that the agent connects to for a server name in a path: FOLDER_AGENT_SMB_SERVER for each name of the file server,
 * the DNS name for the domain; undefined for a server that the agent does not serve.
 */
export function servedNameOf(name: string, served: ServedNames): string | undefined {
  if ([served.server, ...served.aliases].some((known) => isSameServer(known, name))) return served.server;
  const isDomain = domainNames(served).some((domain) => nameKey(domain) === nameKey(name));
  return isDomain ? served.dfs?.domain : undefined;
}

/**
 * The `servers` of a claim: the file server, its aliases, and the domain, whose name its DFS namespaces have. The service
 * treats short and full names as one (`isSameServer`).
 */
export const servedNames = (served: ServedNames): string[] => [
  ...new Set([served.server, ...served.aliases, ...domainNames(served)]),
];

/** Whether a referral may lead to `host`: a server that the agent serves, or one of FOLDER_AGENT_DFS_SERVERS. */
export function mayVisit(host: string, served: ServedNames): boolean {
  const { domain, servers = [] } = served.dfs ?? {};
  const key = nameKey(host);
  const isNamed = servers.some((pattern) => {
    if (pattern.startsWith('*.')) return key.endsWith(nameKey(pattern.slice(1)));
    return key === nameKey(pattern) || (domain !== undefined && key === nameKey(`${pattern}.${domain}`));
  });
  return isNamed || servedNameOf(host, served) !== undefined;
}

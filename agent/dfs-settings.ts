import type { AccountSettings } from './account-settings.ts';
import { type ServedNames, servedAs } from './server-names.ts';
import { nameKey } from './smb/index.ts';

/** How the agent follows DFS. */
export interface DfsSettings {
  /** The account's domain, in lower case; undefined if no setting names it: then there are no domain namespaces. */
  readonly domain: string | undefined;
  /** If it differs from the first label of `domain`. */
  readonly netbiosDomain: string | undefined;
  /** Hosts that referrals may lead to, besides the file server: names, and domains as `*.firma.local`. */
  readonly servers: readonly string[];
}

/**
 * @param account its realm is the domain; with NTLM, the domain or the part after the `@` in the user name, if it has a dot
 * @param given FOLDER_AGENT_DFS_SERVERS
 */
export function dfsSettings(
  { realm, domain, username }: Pick<AccountSettings, 'realm' | 'domain' | 'username'>,
  given: readonly string[] | undefined,
): DfsSettings {
  const suffix = username.includes('@') ? username.slice(username.lastIndexOf('@') + 1) : domain;
  const dnsDomain = [realm, suffix].find((name) => name?.includes('.'))?.toLowerCase();
  const netbiosDomain = domain !== '' && !domain.includes('.') ? domain : undefined;
  return {
    domain: dnsDomain,
    netbiosDomain,
    servers: given ?? (dnsDomain === undefined ? [] : [`*.${dnsDomain}`]),
  };
}

/** For `ServedNames`. */
export function domainNames(dfs: DfsSettings | undefined): readonly string[] {
  if (dfs?.domain === undefined) return [];
  return [dfs.domain, dfs.netbiosDomain ?? dfs.domain.slice(0, dfs.domain.indexOf('.'))];
}

/** Whether a referral may lead to `host`: a server that the agent serves, or one of FOLDER_AGENT_DFS_SERVERS. */
export function mayVisit(host: string, { domain, servers }: DfsSettings, served: ServedNames): boolean {
  const key = nameKey(host);
  const isNamed = servers.some((pattern) => {
    if (pattern.startsWith('*.')) return key.endsWith(nameKey(pattern.slice(1)));
    return [pattern, ...(domain === undefined ? [] : [`${pattern}.${domain}`])].some(
      (name) => nameKey(name) === key,
    );
  });
  return isNamed || servedAs(host, served) !== undefined;
}

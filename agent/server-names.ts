import { isSameServer } from '../lib/contract/server-names.ts';
import { nameKey } from './smb/index.ts';

/** The names in UNC paths of the servers that the agent serves. */
export interface ServedNames {
  /** FOLDER_AGENT_SMB_SERVER */
  readonly server: string;
  /** FOLDER_AGENT_SMB_SERVER_ALIASES */
  readonly aliases: readonly string[];
  /**
   * The account's domain, whose DFS namespaces (`\\firma.local\daten`) are served too: its DNS name first, then its NetBIOS
   * name. Empty or omitted if no domain is known or DFS is off.
   */
  readonly domains?: readonly string[] | undefined;
}

/**
 * The name that the agent connects to for a server name in a path: FOLDER_AGENT_SMB_SERVER for each name of the file server,
 * the DNS name for the domain; undefined for a server that the agent does not serve.
 */
export function servedAs(name: string, { server, aliases, domains = [] }: ServedNames): string | undefined {
  if ([server, ...aliases].some((known) => isSameServer(known, name))) return server;
  return domains.some((domain) => nameKey(domain) === nameKey(name)) ? domains[0] : undefined;
}

/**
 * The `servers` of a claim: the file server, its aliases, and the domain, whose name its DFS namespaces have. The service
 * treats short and full names as one (`isSameServer`).
 */
export function servedNames({ server, aliases, domains = [] }: ServedNames): string[] {
  return [...new Set([server, ...aliases, ...domains])];
}

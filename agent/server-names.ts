import { isSameServer } from '../lib/contract/server-names.ts';
import { nameKey } from './smb/index.ts';

/** What UNC paths may call the servers that the agent works on. */
export interface ServedNames {
  /** FOLDER_AGENT_SMB_SERVER */
  readonly server: string;
  /** FOLDER_AGENT_SMB_SERVER_ALIASES */
  readonly aliases: readonly string[];
  /**
   * The account's domain, whose DFS namespaces (`\\firma.local\daten`) are served too: its DNS name first, then its NetBIOS
   * name. Empty or left out where no domain is known, or DFS is off.
   */
  readonly domains?: readonly string[] | undefined;
}

/**
 * The one name that the agent connects by for whatever a path calls a server: FOLDER_AGENT_SMB_SERVER for each of its names,
 * the DNS name for the domain; undefined for a server that it does not serve.
 */
export function servedAs(name: string, { server, aliases, domains = [] }: ServedNames): string | undefined {
  if ([server, ...aliases].some((known) => isSameServer(known, name))) return server;
  return domains.some((domain) => nameKey(domain) === nameKey(name)) ? domains[0] : undefined;
}

/** Whether the agent serves targets on `server`. */
export function isServed(server: string, names: ServedNames): boolean {
  return servedAs(server, names) !== undefined;
}

/**
 * What the agent serves, for the `servers` of a claim: the file server, its aliases, and the domain under whose name its DFS
 * namespaces are. Short and full names are one to the service (`isSameServer`).
 */
export function servedNames({ server, aliases, domains = [] }: ServedNames): string[] {
  return [...new Set([server, ...aliases, ...domains])];
}

import { isSameServer } from '../lib/contract/server-names.ts';

/** Whether the agent serves targets on `server`: by FOLDER_AGENT_SMB_SERVER or one of its aliases. */
export function isServed(
  server: string,
  names: { readonly server: string; readonly aliases: readonly string[] },
): boolean {
  return [names.server, ...names.aliases].some((name) => isSameServer(name, server));
}

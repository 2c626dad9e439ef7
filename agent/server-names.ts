import { isIP } from 'node:net';
import { nameKey } from './smb/index.ts';

/**
 * Whether two names are of one server: the same, in whatever case, or one is the first label of the other (`fs01` and
 * `fs01.firma.example`). Two full names never are, and neither is the start of an address.
 */
function isSameServer(a: string, b: string): boolean {
  const [shorter, longer] = [nameKey(a), nameKey(b)].toSorted((x, y) => x.length - y.length) as [
    string,
    string,
  ];
  if (shorter === longer) return true;
  return !shorter.includes('.') && longer.startsWith(`${shorter}.`) && isIP(longer) === 0;
}

/** Whether the agent serves targets on `server`: by FOLDER_AGENT_SMB_SERVER or one of its aliases. */
export function isServed(
  server: string,
  names: { readonly server: string; readonly aliases: readonly string[] },
): boolean {
  return [names.server, ...names.aliases].some((name) => isSameServer(name, server));
}

/** In one claim. */
export const maxRoutingServers = 50;

/**
 * Names that a claim reads each, behind a backlog of others; of an agent with more, it reads some, and the next claim others
 * (lib/folder-requests/claims/claim-windows.ts).
 */
export const namesReadByAClaim = 12;

/** The same key for every spelling of a name, in any case and normal form. */
const nameKey = (name: string): string => name.normalize('NFC').toLowerCase();

// A server name in a path has no colon, so it cannot be an IPv6 address.
const isAddress = /^\d+(\.\d+){3}$/;

/** What all names of a server begin with: the first label, or the complete address. */
export function serverLabel(name: string): string {
  const key = nameKey(name);
  return isAddress.test(key) ? key : (key.split('.', 1)[0] ?? key);
}

/**
 * Whether two names denote the same server: they are equal, ignoring case, or one is the first label of the other
 * (`fs01` and `fs01.firma.example`). Two different full names never match, and neither does the start of an address.
 */
export function isSameServer(a: string, b: string): boolean {
  const [one, other] = [nameKey(a), nameKey(b)];
  if (one === other) return true;
  const label = serverLabel(a);
  return label === serverLabel(b) && (label === one || label === other);
}

/** Of two names of one server, in whatever case and normal form, the key is the same. */
const nameKey = (name: string): string => name.normalize('NFC').toLowerCase();

// The name of a server in a path has no colon, so an address of IPv6 cannot stand there.
const isAddress = /^\d+(\.\d+){3}$/;

/** What all names of a server begin with: the first label, or the whole of an address. */
export function serverLabel(name: string): string {
  const key = nameKey(name);
  return isAddress.test(key) ? key : (key.split('.', 1)[0] ?? key);
}

/**
 * Whether two names are of one server: the same, in whatever case, or one is the first label of the other (`fs01` and
 * `fs01.firma.example`). Two full names never are, and neither is the start of an address.
 */
export function isSameServer(a: string, b: string): boolean {
  const [one, other] = [nameKey(a), nameKey(b)];
  if (one === other) return true;
  const label = serverLabel(a);
  return label === serverLabel(b) && (label === one || label === other);
}

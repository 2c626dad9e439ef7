/** A referral as a server sends it (MS-DFSC 2.2.4 and 2.2.5), for servers that do not exist. */
export interface ReferralParts {
  readonly version?: number;
  /** Bytes; by default the length of `path`. */
  readonly consumed?: number;
  readonly lifetimeSeconds?: number;
  readonly isRoot?: boolean;
  /** The path that was found, with one `\`. */
  readonly path: string;
  readonly targets: readonly string[];
}

const text = (value: string) => Buffer.from(`${value}\0`, 'utf16le');

export function referral(parts: ReferralParts): Buffer {
  const { version = 4, path, targets, lifetimeSeconds = 600, isRoot = false } = parts;
  const fixedBytes = version === 1 ? 8 : version === 2 ? 22 : version === 3 ? 18 : 34;
  const entryBytes = (target: string) => (version === 1 ? fixedBytes + text(target).length : fixedBytes);
  const entriesBytes = targets.reduce((sum, target) => sum + entryBytes(target), 0);
  const header = Buffer.alloc(8);
  header.writeUInt16LE(parts.consumed ?? path.length * 2, 0);
  header.writeUInt16LE(targets.length, 2);
  header.writeUInt32LE(isRoot ? 3 : 2, 4);
  const strings: Buffer[] = [];
  let stringsAt = entriesBytes;
  let entryAt = 0;
  /** Offset from the entry's start; strings follow all entries. */
  const put = (value: string) => {
    strings.push(text(value));
    const offset = stringsAt - entryAt;
    stringsAt += text(value).length;
    return offset;
  };
  const entries = targets.map((target) => {
    const entry = Buffer.alloc(entryBytes(target));
    entry.writeUInt16LE(version, 0);
    entry.writeUInt16LE(entry.length, 2);
    entry.writeUInt16LE(isRoot ? 1 : 0, 4);
    if (version === 1) text(target).copy(entry, 8);
    else {
      const lifetimeAt = version === 2 ? 12 : 8;
      entry.writeUInt32LE(lifetimeSeconds, lifetimeAt);
      entry.writeUInt16LE(put(path), lifetimeAt + 4);
      entry.writeUInt16LE(put(path), lifetimeAt + 6);
      entry.writeUInt16LE(put(target), lifetimeAt + 8);
    }
    entryAt += entry.length;
    return entry;
  });
  return Buffer.concat([header, ...entries, ...strings]);
}

/** Entries of version 3 with the flag NameListReferral. */
export function nameLists(
  lists: readonly { readonly name: string; readonly expanded?: readonly string[] }[],
): Buffer {
  const entryBytes = 18;
  const header = Buffer.alloc(8);
  header.writeUInt16LE(lists.length, 2);
  const strings: Buffer[] = [];
  let stringsAt = entryBytes * lists.length;
  const entries = lists.map(({ name, expanded = [] }, index) => {
    const entry = Buffer.alloc(entryBytes);
    entry.writeUInt16LE(3, 0);
    entry.writeUInt16LE(entryBytes, 2);
    entry.writeUInt16LE(2, 6);
    entry.writeUInt32LE(600, 8);
    const put = (value: string) => {
      strings.push(text(value));
      stringsAt += text(value).length;
    };
    entry.writeUInt16LE(stringsAt - index * entryBytes, 12);
    put(name);
    entry.writeUInt16LE(expanded.length, 14);
    entry.writeUInt16LE(expanded.length === 0 ? 0 : stringsAt - index * entryBytes, 16);
    for (const value of expanded) put(value);
    return entry;
  });
  return Buffer.concat([header, ...entries, ...strings]);
}

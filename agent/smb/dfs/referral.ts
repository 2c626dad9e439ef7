import { protocolError } from '../base/smb-error.ts';

// RESP_GET_DFS_REFERRAL, MS-DFSC 2.2.4 and 2.2.5, versions 1 to 4.

/** What a server reports about a path. */
export interface Referral {
  /** How many characters of the requested path the targets replace. */
  readonly consumed: number;
  /** The targets belong to a namespace itself, not to a link in it. */
  readonly isRoot: boolean;
  readonly lifetimeMs: number;
  /** `\server\share…`, in the server's order; none when the server has no information about the path. */
  readonly targets: readonly string[];
}

// Offsets may all point to the same bytes, so a small response could expand to a large one. These limits bound it,
// far above what a server has reason to send.
const mostEntries = 1_000;
const mostNames = 1_000;
const longestText = 4_096;
const headerBytes = 8;
const EntryFlag = { nameList: 2 } as const;
const rootServer = 1;

/**
 * `request` is the requested path, with one leading `\`.
 * @throws {SmbError} `PROTOCOL`
 */
export function readReferral(data: Buffer, request: string): Referral {
  const entries = readEntries(data);
  const [first] = entries;
  if (first === undefined) return { consumed: 0, isRoot: false, lifetimeMs: 0, targets: [] };
  if (entries.some(({ names }) => names !== undefined)) throw protocolError('a list of names as a referral');
  return {
    consumed: consumedOf(data.readUInt16LE(0), request, first.path),
    isRoot: entries.some((entry) => entry.isRoot),
    lifetimeMs: first.lifetimeMs,
    targets: entries.map(({ target }) => target),
  };
}

/**
 * A list of domains, or of a domain's controllers (MS-DFSC 2.2.5.3.2); each entry has a name and may contain more.
 */
export function readNameLists(
  data: Buffer,
): { readonly name: string; readonly expanded: readonly string[] }[] {
  return readEntries(data).flatMap(({ names }) => names ?? []);
}

interface Entry {
  readonly isRoot: boolean;
  readonly lifetimeMs: number;
  /** The path that the target replaces; unknown in version 1. */
  readonly path: string | undefined;
  readonly target: string;
  /** Instead of path and target: names without the `\` that some servers put before them. */
  readonly names: { readonly name: string; readonly expanded: readonly string[] } | undefined;
}

function readEntries(data: Buffer): Entry[] {
  if (data.length < headerBytes) throw malformedReferral();
  const count = data.readUInt16LE(2);
  if (count > mostEntries) throw malformedReferral();
  const entries: Entry[] = [];
  for (let offset = headerBytes; entries.length < count;) {
    if (offset + headerBytes > data.length) throw malformedReferral();
    const bytes = data.readUInt16LE(offset + 2);
    if (bytes < headerBytes || offset + bytes > data.length) throw malformedReferral();
    entries.push(readEntry(data, offset, bytes));
    offset += bytes;
  }
  return entries;
}

function readEntry(data: Buffer, offset: number, bytes: number): Entry {
  const version = data.readUInt16LE(offset);
  const isRoot = data.readUInt16LE(offset + 4) === rootServer;
  const isList = version > 2 && (data.readUInt16LE(offset + 6) & EntryFlag.nameList) !== 0;
  if (version === 1) {
    const target = readText(data, offset + headerBytes);
    return { isRoot, lifetimeMs: 0, path: undefined, target, names: undefined };
  }
  if (version < 1 || version > 4) throw malformedReferral();
  // Version 2 has a proximity before the lifetime.
  const lifetimeAt = offset + (version === 2 ? 12 : 8);
  const offsetsAt = lifetimeAt + 4;
  if (offsetsAt + 6 > offset + bytes) throw malformedReferral();
  const lifetimeMs = data.readUInt32LE(lifetimeAt) * 1_000;
  const textAt = (at: number) => readText(data, offset + data.readUInt16LE(at));
  if (!isList) {
    const path = textAt(offsetsAt);
    return { isRoot, lifetimeMs, path, target: textAt(offsetsAt + 4), names: undefined };
  }
  const name = withoutSlash(textAt(offsetsAt));
  const expanded: string[] = [];
  let at = offset + data.readUInt16LE(offsetsAt + 4);
  const count = data.readUInt16LE(offsetsAt + 2);
  if (count > mostNames) throw malformedReferral();
  for (let left = count; left > 0; left -= 1) {
    const text = readText(data, at);
    expanded.push(withoutSlash(text));
    at += text.length * 2 + 2;
  }
  return { isRoot, lifetimeMs, path: undefined, target: '', names: { name, expanded } };
}

const withoutSlash = (name: string) => name.replace(/^\\/, '');

/** UTF-16 up to its terminating zero. */
function readText(data: Buffer, start: number): string {
  const last = Math.min(data.length, start + longestText * 2);
  for (let end = start; end + 2 <= last; end += 2) {
    if (data.readUInt16LE(end) === 0) return data.toString('utf16le', start, end);
  }
  throw malformedReferral();
}

/**
 * PathConsumed counts bytes, but servers count differently: some count one `\` too many, some use another spelling of
 * the name. It is accepted at the border of a component; otherwise the path of the entry is used, if the request
 * starts with it.
 */
function consumedOf(bytes: number, request: string, path: string | undefined): number {
  const units = bytes >> 1;
  const isBorder = (end: number) => end > 1 && (end === request.length || request[end] === '\\');
  if (isBorder(units)) return units;
  if (request[units - 1] === '\\' && isBorder(units - 1)) return units - 1;
  const names = path === undefined ? '' : `\\${withoutSlash(path)}`;
  if (request.toLowerCase().startsWith(names.toLowerCase()) && isBorder(names.length)) return names.length;
  throw malformedReferral();
}

function malformedReferral() {
  return protocolError('a malformed referral');
}

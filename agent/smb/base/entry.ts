/**
 * A file or directory as the server describes it. Times are FILETIME: 100 ns since 1601 in UTC, 0n = unknown. They
 * are not converted, so that a copy carries them exactly (`fileTimeToDate` converts).
 */
export interface Entry {
  /** Bytes; 0 for directories. */
  size: number;
  isDirectory: boolean;
  /** A link, junction or DFS link. `list` never follows it; a caller that walks a tree should not either. */
  isReparsePoint: boolean;
  /** FILE_ATTRIBUTE_* bits, see `FileAttribute`. */
  attributes: number;
  createdAt: bigint;
  accessedAt: bigint;
  writtenAt: bigint;
  changedAt: bigint;
}

/** An entry of a listing; `name` is exactly what the server sent. */
export interface DirectoryEntry extends Entry {
  name: string;
}

/** What to set; fields left out remain unchanged. Times are FILETIME. */
export interface BasicInfo {
  createdAt?: bigint | undefined;
  accessedAt?: bigint | undefined;
  writtenAt?: bigint | undefined;
  /** FILE_ATTRIBUTE_* bits; directory and reparse bits are ignored. */
  attributes?: number | undefined;
}

export const FileAttribute = {
  readOnly: 0x1,
  hidden: 0x2,
  system: 0x4,
  directory: 0x10,
  archive: 0x20,
  normal: 0x80,
  temporary: 0x100,
  reparsePoint: 0x400,
} as const;

const unixEpoch = 116_444_736_000_000_000n;

export function fileTimeToDate(fileTime: bigint): Date {
  return new Date(Number((fileTime - unixEpoch) / 10_000n));
}

export function dateToFileTime(date: Date): bigint {
  return BigInt(date.getTime()) * 10_000n + unixEpoch;
}

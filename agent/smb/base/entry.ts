import { SmbError } from './smb-error.ts';

export interface EntryFacts {
  /** Bytes; 0 for directories. */
  readonly size: number;
  /** FILE_ATTRIBUTE_* bits, see `FileAttribute`. */
  readonly attributes: number;
  /** Times are FILETIME: 100 ns since 1601 in UTC, 0n = unknown. */
  readonly createdAt: bigint;
  readonly accessedAt: bigint;
  readonly writtenAt: bigint;
  readonly changedAt: bigint;
}

/**
 * A file or directory as the server describes it. Times are there twice: exactly, as the server stores them
 * (`writtenAt`), so that a copy carries them without loss, and as the dates of `fs.Stats` (`mtime`).
 */
export class Entry implements EntryFacts {
  readonly size: number;
  readonly attributes: number;
  readonly createdAt: bigint;
  readonly accessedAt: bigint;
  readonly writtenAt: bigint;
  readonly changedAt: bigint;

  constructor({ size, attributes, createdAt, accessedAt, writtenAt, changedAt }: EntryFacts) {
    this.size = size;
    this.attributes = attributes;
    this.createdAt = createdAt;
    this.accessedAt = accessedAt;
    this.writtenAt = writtenAt;
    this.changedAt = changedAt;
  }

  get birthtime(): Date {
    return dateOf(this.createdAt);
  }

  get atime(): Date {
    return dateOf(this.accessedAt);
  }

  get mtime(): Date {
    return dateOf(this.writtenAt);
  }

  get ctime(): Date {
    return dateOf(this.changedAt);
  }

  isFile(): boolean {
    return !this.isDirectory();
  }

  isDirectory(): boolean {
    return (this.attributes & FileAttribute.directory) !== 0;
  }

  /** A link, junction or DFS link, or a file that the server stores elsewhere or deduplicated. It is never followed. */
  isReparsePoint(): boolean {
    return (this.attributes & FileAttribute.reparsePoint) !== 0;
  }
}

/** An entry of a listing; `name` is exactly what the server sent. */
export class DirectoryEntry extends Entry {
  readonly name: string;

  constructor(name: string, facts: EntryFacts) {
    super(facts);
    this.name = name;
  }
}

/** What to set; fields left out remain unchanged. Times are dates or FILETIME, which is exact. */
export interface BasicInfo {
  createdAt?: bigint | Date | undefined;
  accessedAt?: bigint | Date | undefined;
  writtenAt?: bigint | Date | undefined;
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
  sparse: 0x200,
  reparsePoint: 0x400,
} as const;

const unixEpoch = 116_444_736_000_000_000n;

export const dateOf = (fileTime: bigint) => new Date(Number((fileTime - unixEpoch) / 10_000n));

/** @throws {SmbError} `INVALID_ARGUMENT` for a date that FILETIME cannot express */
export function fileTimeOf(time: bigint | Date): bigint {
  if (typeof time === 'bigint') return time;
  const milliseconds = time.getTime();
  const fileTime = Number.isNaN(milliseconds) ? 0n : BigInt(milliseconds) * 10_000n + unixEpoch;
  if (fileTime > 0n) return fileTime;
  throw new SmbError('INVALID_ARGUMENT', `${String(time)} is not a date after 1601`, {
    operation: 'set time',
  });
}

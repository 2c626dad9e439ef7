import { type EntryFacts, FileAttribute } from '../base/entry.ts';
import { protocolError } from '../base/smb-error.ts';

/** Reads four times from `timesAt` on; the caller has checked the length. */
export function readEntry(
  source: Buffer,
  timesAt: number,
  at: { size: number; attributes: number },
): EntryFacts {
  const attributes = source.readUInt32LE(at.attributes);
  const size = source.readUInt32LE(at.size + 4) * 2 ** 32 + source.readUInt32LE(at.size);
  if (!Number.isSafeInteger(size)) throw protocolError('a file size beyond 2^53');
  return {
    size: (attributes & FileAttribute.directory) === 0 ? size : 0,
    attributes,
    createdAt: source.readBigUInt64LE(timesAt),
    accessedAt: source.readBigUInt64LE(timesAt + 8),
    writtenAt: source.readBigUInt64LE(timesAt + 16),
    changedAt: source.readBigUInt64LE(timesAt + 24),
  };
}

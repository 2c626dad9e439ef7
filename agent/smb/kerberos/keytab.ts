import type { Key } from './crypto/encryption-types.ts';
import { KerberosError } from './base/kerberos-error.ts';

export interface KeytabEntry {
  /** Components joined with `/`. */
  readonly principal: string;
  readonly realm: string;
  readonly version: number;
  readonly key: Key;
}

/**
 * A keytab as written by `ktpass`, `ktutil`, `msktutil` and `samba-tool domain exportkeytab`, format 0x0502: records
 * with a signed length, negative for deleted ones.
 * @throws {KerberosError} `INVALID_ARGUMENT`
 */
export function readKeytab(data: Buffer): KeytabEntry[] {
  if (data.length < 2 || data.readUInt16BE(0) !== 0x0502) throw invalid('is not of version 0x0502');
  const entries: KeytabEntry[] = [];
  let offset = 2;
  while (offset + 4 <= data.length) {
    const length = data.readInt32BE(offset);
    offset += 4;
    // MIT pads the file with zeros.
    if (length === 0) break;
    const end = offset + Math.abs(length);
    if (end > data.length) throw invalid('ends in the middle of a record');
    if (length > 0) entries.push(readRecord(data.subarray(offset, end)));
    offset = end;
  }
  return entries;
}

function readRecord(record: Buffer): KeytabEntry {
  let offset = 0;
  const take = (bytes: number) => {
    offset += bytes;
    if (offset > record.length) throw invalid('has a record that is too short');
    return record.subarray(offset - bytes, offset);
  };
  const counted = () => take(take(2).readUInt16BE());
  const components = take(2).readUInt16BE();
  const realm = counted().toString('utf8');
  const principal = Array.from({ length: components }, () => counted().toString('utf8')).join('/');
  // Name type and the time the key was created.
  take(8);
  const shortVersion = take(1)[0]!;
  const encryptionType = take(2).readUInt16BE();
  const value = Buffer.from(counted());
  // Versions beyond 255 follow in 32 bits; older writers omit them.
  const longVersion = record.length - offset >= 4 ? take(4).readUInt32BE() : 0;
  return { principal, realm, version: longVersion || shortVersion, key: { encryptionType, value } };
}

function invalid(how: string): KerberosError {
  return new KerberosError('INVALID_ARGUMENT', `The keytab ${how}; create it again`);
}

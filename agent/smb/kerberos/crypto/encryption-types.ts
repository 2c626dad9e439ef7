import { KerberosError } from '../base/kerberos-error.ts';

/** A key of one encryption type (RFC 3961: protocol key). */
export interface Key {
  readonly encryptionType: number;
  readonly value: Buffer;
}

export interface EncryptionType {
  readonly number: number;
  readonly name: string;
  readonly keyBytes: 16 | 32;
  /** Length of the truncated HMAC. */
  readonly checksumBytes: number;
  /** The checksum type that belongs to it. */
  readonly checksumType: number;
  /** PBKDF2 iterations if the KDC specifies no count. */
  readonly defaultIterations: number;
  readonly hash: 'sha1' | 'sha256' | 'sha384';
}

/**
 * RFC 3962 (17, 18) and RFC 8009 (19, 20). DES and RC4 are omitted: RFC 6649 and RFC 8429 retire them, and Active
 * Directory creates AES keys for every account whose password was set in a domain of 2008 or later.
 */
const encryptionTypes: readonly EncryptionType[] = [
  {
    number: 17,
    name: 'aes128-cts-hmac-sha1-96',
    keyBytes: 16,
    checksumBytes: 12,
    checksumType: 15,
    defaultIterations: 4_096,
    hash: 'sha1',
  },
  {
    number: 18,
    name: 'aes256-cts-hmac-sha1-96',
    keyBytes: 32,
    checksumBytes: 12,
    checksumType: 16,
    defaultIterations: 4_096,
    hash: 'sha1',
  },
  {
    number: 19,
    name: 'aes128-cts-hmac-sha256-128',
    keyBytes: 16,
    checksumBytes: 16,
    checksumType: 19,
    defaultIterations: 32_768,
    hash: 'sha256',
  },
  {
    number: 20,
    name: 'aes256-cts-hmac-sha384-192',
    keyBytes: 32,
    checksumBytes: 24,
    checksumType: 20,
    defaultIterations: 32_768,
    hash: 'sha384',
  },
];

/**
 * Offered in this order. Active Directory has no bits for 19 and 20 (MS-KILE 2.2.7), so the types that every KDC
 * supports are first: a KDC of MIT or Heimdal uses the first one it has a key for.
 */
export const offeredEncryptionTypes: readonly number[] = [18, 17, 20, 19];

/** @throws {KerberosError} `ENCRYPTION_UNSUPPORTED` */
export function encryptionType(number: number): EncryptionType {
  const type = encryptionTypes.find((known) => known.number === number);
  if (type === undefined)
    throw new KerberosError('ENCRYPTION_UNSUPPORTED', `${encryptionTypeName(number)} is not supported`);
  return type;
}

/** As in `krb5.conf`, for messages. */
export function encryptionTypeName(number: number): string {
  const retired = number === 23 ? 'rc4-hmac' : number <= 3 ? 'DES' : `encryption type ${number}`;
  return encryptionTypes.find((known) => known.number === number)?.name ?? retired;
}

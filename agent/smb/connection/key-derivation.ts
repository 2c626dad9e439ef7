import { createHash, createHmac, createSecretKey } from 'node:crypto';
import type { Cipher, Dialect } from '../base/algorithms.ts';

export interface SessionKeys {
  signing: Buffer;
  toServer: Buffer;
  toClient: Buffer;
}

/**
 * The keys of a session. MS-SMB2 3.2.5.3.1: 2.1 signs with the session key itself; 3.0 and 3.0.2 derive with fixed
 * labels and contexts; 3.1.1 derives with the hash over all previous messages, so that a change in transit is
 * detected. Only the cipher keys grow to 256 bits.
 */
export function deriveKeys(
  dialect: Dialect,
  gssKey: Buffer,
  preauthHash: Buffer,
  cipher: Cipher | undefined,
): SessionKeys {
  const sessionKey = Buffer.alloc(16);
  gssKey.copy(sessionKey);
  if (dialect === '2.1') return { signing: sessionKey, toServer: sessionKey, toClient: sessionKey };
  const bits = cipher?.startsWith('AES-256') ? 256 : 128;
  if (dialect === '3.1.1') {
    // AES-256 keys derive from the mechanism's whole key (32 bytes with Kerberos AES-256, 16 with NTLM).
    const source = bits === 256 ? gssKey : sessionKey;
    return {
      signing: derive(sessionKey, 'SMBSigningKey\0', preauthHash, 128),
      toServer: derive(source, 'SMBC2SCipherKey\0', preauthHash, bits),
      toClient: derive(source, 'SMBS2CCipherKey\0', preauthHash, bits),
    };
  }
  return {
    signing: derive(sessionKey, 'SMB2AESCMAC\0', Buffer.from('SmbSign\0'), 128),
    // The trailing blank of `ServerIn ` is in the specification.
    toServer: derive(sessionKey, 'SMB2AESCCM\0', Buffer.from('ServerIn \0'), 128),
    toClient: derive(sessionKey, 'SMB2AESCCM\0', Buffer.from('ServerOut\0'), 128),
  };
}

/** SP 800-108 in counter mode with HMAC-SHA256; one round provides all the bits SMB needs. */
export function derive(key: Buffer, label: string, context: Buffer, bits: 128 | 256): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bits);
  // A key object for the same reason as in sealing.ts.
  return createHmac('sha256', createSecretKey(key))
    .update(Buffer.from([0, 0, 0, 1]))
    .update(label)
    .update(Buffer.from([0]))
    .update(context)
    .update(length)
    .digest()
    .subarray(0, bits / 8);
}

export const emptyPreauthHash = Buffer.alloc(64);

/** The running hash of 3.1.1 over the messages of negotiate and logon, each from the protocol id to its end. */
export function extendPreauthHash(hash: Buffer, message: Buffer): Buffer {
  return createHash('sha512').update(hash).update(message).digest();
}

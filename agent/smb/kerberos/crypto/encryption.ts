import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import { ctsDecrypt, ctsEncrypt } from './ciphertext-stealing.ts';
import { encryptionType, type Key } from './encryption-types.ts';
import { usageKey } from './key-derivation.ts';
import type { Random } from '../base/random.ts';

const confounderBytes = 16;

/** The ciphertext does not match the key, or was changed. */
export class DecryptionError extends Error {
  override readonly name = 'DecryptionError';
}

/**
 * Key usage numbers (RFC 4120 section 7.5.1, RFC 4121 section 2, RFC 6806 section 11): they keep a key from
 * protecting two kinds of message in the same way.
 */
export const KeyUsage = {
  encryptedTimestamp: 1,
  asReply: 3,
  tgsRequestChecksum: 6,
  tgsRequestAuthenticator: 7,
  tgsReplySubkey: 9,
  apRequestAuthenticator: 11,
  apReply: 12,
  acceptorSign: 23,
  initiatorSign: 25,
  asRequestChecksum: 56,
} as const;

export function encrypt(key: Key, usage: number, plain: Buffer, random: Random): Buffer {
  const { hash, checksumBytes } = encryptionType(key.encryptionType);
  const message = Buffer.concat([random(confounderBytes), plain]);
  const text = ctsEncrypt(usageKey(key, usage, 'encryption'), message);
  return Buffer.concat([text, messageCode(key, usage, hash === 'sha1' ? message : text, checksumBytes)]);
}

/** @throws {DecryptionError} */
export function decrypt(key: Key, usage: number, data: Buffer): Buffer {
  const { hash, checksumBytes } = encryptionType(key.encryptionType);
  if (data.length < confounderBytes + checksumBytes) throw new DecryptionError('the ciphertext is too short');
  const text = data.subarray(0, -checksumBytes);
  const message = ctsDecrypt(usageKey(key, usage, 'encryption'), text);
  const expected = messageCode(key, usage, hash === 'sha1' ? message : text, checksumBytes);
  if (!timingSafeEqual(expected, data.subarray(-checksumBytes)))
    throw new DecryptionError('the ciphertext is not authentic');
  return message.subarray(confounderBytes);
}

/** RFC 3962 covers the plaintext, RFC 8009 the initialization vector and the ciphertext. */
function messageCode(key: Key, usage: number, covered: Buffer, bytes: number): Buffer {
  const { hash } = encryptionType(key.encryptionType);
  const hmac = createHmac(hash, createSecretKey(usageKey(key, usage, 'integrity')));
  if (hash !== 'sha1') hmac.update(Buffer.alloc(confounderBytes));
  return hmac.update(covered).digest().subarray(0, bytes);
}

/** The keyed checksum that belongs to the key's encryption type. */
export function checksum(key: Key, usage: number, data: Buffer): Buffer {
  const { hash, checksumBytes } = encryptionType(key.encryptionType);
  const hmac = createHmac(hash, createSecretKey(usageKey(key, usage, 'checksum')));
  return hmac.update(data).digest().subarray(0, checksumBytes);
}

/** In constant time. */
export function isChecksum(key: Key, usage: number, data: Buffer, given: Buffer): boolean {
  const expected = checksum(key, usage, data);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

export const randomKey = (number: number, random: Random): Key => ({
  encryptionType: number,
  value: random(encryptionType(number).keyBytes),
});

import { createCipheriv, createHmac, createSecretKey, pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';
import { encryptionType, type Key } from './encryption-types.ts';
import { KerberosError } from '../base/kerberos-error.ts';

const derive = promisify(pbkdf2);

/**
 * The count is received before the KDC has authenticated itself. A count below that of MIT and Active Directory would
 * only make the password cheaper to guess; 2^32 would occupy this process for an hour.
 */
const fewestIterations = 4_096;
const mostIterations = 1_000_000;

/**
 * The key of a password (RFC 3962 section 4, RFC 8009 section 4). `parameters` is the s2kparams of PA-ETYPE-INFO2, a
 * count of iterations. Type 20 takes about 40 ms, so it runs outside the event loop.
 * @throws {KerberosError} `PROTOCOL` for a count outside the bounds
 */
export async function stringToKey(
  number: number,
  password: string,
  salt: Buffer,
  parameters: Buffer | undefined,
  fewest = fewestIterations,
): Promise<Key> {
  const { name, keyBytes, hash, defaultIterations } = encryptionType(number);
  if (parameters !== undefined && parameters.length !== 4)
    throw new KerberosError('PROTOCOL', 'The KDC requires unknown string-to-key parameters');
  const iterations = parameters?.readUInt32BE(0) ?? defaultIterations;
  if (iterations < fewest || iterations > mostIterations) {
    throw new KerberosError('PROTOCOL', `The KDC requires ${iterations} iterations of PBKDF2`);
  }
  const namedSalt = hash === 'sha1' ? salt : Buffer.concat([Buffer.from(`${name}\0`), salt]);
  const seed = await derive(password, namedSalt, iterations, keyBytes, hash);
  const constant = Buffer.from('kerberos');
  const value = hash === 'sha1' ? deriveRandom(seed, constant) : hmacKdf(hash, seed, constant, keyBytes);
  return { encryptionType: number, value };
}

export type KeyPurpose = 'encryption' | 'integrity' | 'checksum';
const purposeBytes = { checksum: 0x99, encryption: 0xaa, integrity: 0x55 } as const;

/** Ke, Ki or Kc of a key for one usage number (RFC 3961 section 5.3, RFC 8009 section 5). */
export function usageKey({ encryptionType: number, value }: Key, usage: number, purpose: KeyPurpose): Buffer {
  const { hash, keyBytes, checksumBytes } = encryptionType(number);
  const constant = Buffer.alloc(5);
  constant.writeUInt32BE(usage);
  constant[4] = purposeBytes[purpose];
  if (hash === 'sha1') return deriveRandom(value, constant);
  return hmacKdf(hash, value, constant, purpose === 'encryption' ? keyBytes : checksumBytes);
}

/** DR of RFC 3961 section 5.1 with AES, whose random-to-key is the identity. */
function deriveRandom(key: Buffer, constant: Buffer): Buffer {
  const blocks: Buffer[] = [];
  // A key object, here and below, for the reason in sealing.ts.
  const secret = createSecretKey(key);
  let block = nFold(constant, 16);
  while (blocks.length * 16 < key.length) {
    const cipher = createCipheriv(`aes-${key.length * 8}-ecb`, secret, null).setAutoPadding(false);
    block = Buffer.concat([cipher.update(block), cipher.final()]);
    blocks.push(block);
  }
  return Buffer.concat(blocks, key.length);
}

/** KDF-HMAC-SHA2 of RFC 8009 section 3; one round provides all the bits that are needed. */
function hmacKdf(hash: string, key: Buffer, label: Buffer, bytes: number): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes * 8);
  const counter = Buffer.from([0, 0, 0, 1]);
  const hmac = createHmac(hash, createSecretKey(key));
  const output = hmac.update(counter).update(label).update(Buffer.alloc(1)).update(length);
  return output.digest().subarray(0, bytes);
}

/**
 * RFC 3961 section 5.1: copies of the input, each rotated right by 13 more bits, are cut into pieces of the output's
 * length and added with an end-around carry.
 */
export function nFold(input: Buffer, bytes: number): Buffer {
  const bits = input.length * 8;
  const copies = bytes / greatestCommonDivisor(input.length, bytes);
  const output = Buffer.alloc(bytes);
  let carry = 0;
  for (let index = copies * input.length - 1; index >= 0; index -= 1) {
    const rotation = 13 * Math.floor(index / input.length);
    const firstBit = ((((index % input.length) * 8 - rotation) % bits) + bits) % bits;
    const at = firstBit >> 3;
    const twoBytes = (input[at]! << 8) | input[(at + 1) % input.length]!;
    const byte = (twoBytes >> (8 - (firstBit & 7))) & 255;
    carry += byte + output[index % bytes]!;
    output[index % bytes] = carry & 255;
    carry >>= 8;
  }
  for (let index = bytes - 1; carry > 0; index = (index + bytes - 1) % bytes) {
    carry += output[index]!;
    output[index] = carry & 255;
    carry >>= 8;
  }
  return output;
}

const greatestCommonDivisor = (a: number, b: number): number =>
  b === 0 ? a : greatestCommonDivisor(b, a % b);

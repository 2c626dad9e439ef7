import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto';

// AES in CBC mode with ciphertext stealing, variant CS3: the last two blocks are always swapped (RFC 3962 section 5).
// The initialization vector is always zero. OpenSSL's own CTS modes are not in the builds that Node bundles.

const blockBytes = 16;
const zeroBlock = Buffer.alloc(blockBytes);

// Keys are key objects for the reason in sealing.ts.
const cbc = (key: KeyObject) => `aes-${key.symmetricKeySize! * 8}-cbc`;
const blocksOf = (text: Buffer) => Math.ceil(text.length / blockBytes);

/** `plain` is one block or more. */
export function ctsEncrypt(key: Buffer, plain: Buffer): Buffer {
  const padded = Buffer.alloc(blocksOf(plain) * blockBytes);
  plain.copy(padded);
  const secret = createSecretKey(key);
  const cipher = createCipheriv(cbc(secret), secret, zeroBlock).setAutoPadding(false);
  const blocks = Buffer.concat([cipher.update(padded), cipher.final()]);
  if (blocks.length === blockBytes) return blocks;
  const stolen = plain.length % blockBytes || blockBytes;
  return Buffer.concat([
    blocks.subarray(0, -2 * blockBytes),
    blocks.subarray(-blockBytes),
    blocks.subarray(-2 * blockBytes).subarray(0, stolen),
  ]);
}

/** `text` is one block or more. */
export function ctsDecrypt(key: Buffer, text: Buffer): Buffer {
  const secret = createSecretKey(key);
  const stolen = text.length % blockBytes || blockBytes;
  const lastAt = text.length - stolen - blockBytes;
  const last = text.subarray(lastAt, lastAt + blockBytes);
  // The last block, decrypted alone, ends with the bytes it took from the block before: zeros were encrypted there.
  const lent = decryptBlocks(secret, last).subarray(stolen);
  const blocks = Buffer.concat([text.subarray(0, lastAt), text.subarray(lastAt + blockBytes), lent, last]);
  return decryptBlocks(secret, blocks).subarray(0, text.length);
}

function decryptBlocks(key: KeyObject, blocks: Buffer): Buffer {
  const decipher = createDecipheriv(cbc(key), key, zeroBlock).setAutoPadding(false);
  return Buffer.concat([decipher.update(blocks), decipher.final()]);
}

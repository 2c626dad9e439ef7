import { createCipheriv, type CipherKey } from 'node:crypto';
import { free } from '../base/memory.ts';

const zeros = Buffer.alloc(16);
const pieceBytes = 65_536;

/** AES-128-CMAC of RFC 4493, which node:crypto does not offer; the subkeys are computed once per key. */
export function cmacWith(key: CipherKey): (message: Buffer) => Buffer {
  const whole = doubleBlock(createCipheriv('aes-128-ecb', key, null).update(zeros));
  const partial = doubleBlock(whole);
  return (message) => {
    const headLength = message.length === 0 ? 0 : (message.length - 1) & ~15;
    const last = Buffer.alloc(16);
    message.copy(last, 0, headLength);
    const isWhole = message.length - headLength === 16;
    if (!isWhole) last[message.length - headLength] = 0x80;
    const subKey = isWhole ? whole : partial;
    for (let index = 0; index < 16; index += 1) last[index]! ^= subKey[index]!;
    const cbc = createCipheriv('aes-128-cbc', key, zeros).setAutoPadding(false);
    // In pieces, of which each output takes the memory of the one before.
    for (let at = 0; at < headLength; at += pieceBytes)
      free(cbc.update(message.subarray(at, Math.min(at + pieceBytes, headLength))));
    return cbc.update(last);
  };
}

/** Multiplication by x in GF(2^128). */
function doubleBlock(block: Buffer): Buffer {
  const result = Buffer.alloc(16);
  for (let index = 0; index < 16; index += 1) {
    result[index] = (block[index]! << 1) | ((block[index + 1] ?? 0) >> 7);
  }
  if (block[0]! & 0x80) result[15]! ^= 0x87;
  return result;
}

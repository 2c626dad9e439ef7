import { expect, test } from 'vitest';
import { QuickXorHash } from '../../../local/stand-ins/drive/content/quick-xor-hash.ts';

// Expected values: `rclone hashsum quickxor --base64`.
const pattern = Uint8Array.from({ length: 1000 }, (_, index) => (index * 7 + 3) % 256);

const hashOf = (...chunks: Uint8Array[]) => {
  const hash = new QuickXorHash();
  for (const chunk of chunks) hash.update(chunk);
  return hash.base64();
};

test('equals the hash of another implementation', () => {
  expect(hashOf()).toBe('AAAAAAAAAAAAAAAAAAAAAAAAAAA=');
  expect(hashOf(Buffer.from('a'))).toBe('YQAAAAAAAAAAAAAAAQAAAAAAAAA=');
  expect(hashOf(pattern)).toBe('dgD8j0n8sM0aPE5CUJ8tqmilX_E='.replaceAll('_', '/'));
});

test('does not depend on how the bytes are split or aligned in memory', () => {
  const whole = hashOf(pattern);
  for (const size of [1, 3, 159, 160, 161, 321, 999]) {
    const chunks: Uint8Array[] = [];
    for (let start = 0; start < pattern.length; start += size)
      chunks.push(pattern.subarray(start, start + size));
    expect(hashOf(...chunks), `chunks of ${size}`).toBe(whole);
  }
});

test('a clone is independent', () => {
  const hash = new QuickXorHash();
  hash.update(pattern.subarray(0, 500));
  const copy = hash.clone();
  copy.update(Buffer.from('broken off'));
  hash.update(pattern.subarray(500));
  expect(hash.base64()).toBe(hashOf(pattern));
});

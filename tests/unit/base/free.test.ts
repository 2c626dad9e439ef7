import { expect, test } from 'vitest';
import { free } from '../../../lib/base/free.ts';

test('memory is freed immediately, unless it is shared with other buffers', () => {
  const own = Buffer.allocUnsafeSlow(100_000);
  free(own);
  expect(own.byteLength).toBe(0);
  const pooled = Buffer.from('x'.repeat(100));
  const view = Buffer.allocUnsafeSlow(100_000).subarray(1);
  for (const shared of [pooled, view]) {
    const before = shared.byteLength;
    free(shared);
    expect(shared.byteLength).toBe(before);
  }
});

import { getHeapStatistics } from 'node:v8';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { withBoundedBuffers } from '../../../agent/base/memory-bound.ts';

const mebibyte = 1024 * 1024;

// Only intervals: other files in this process may still set timeouts, which would be counted.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

// Without the bound, V8 lets them grow to 132 MiB.
test('buffers that nothing holds are collected when they have grown by 24 MiB', async () => {
  const before = getHeapStatistics().external_memory;
  let most = 0;
  await withBoundedBuffers(async () => {
    for (let count = 0; count < 64; count += 1) {
      Buffer.alloc(4 * mebibyte);
      most = Math.max(most, getHeapStatistics().external_memory - before);
      await vi.advanceTimersByTimeAsync(10);
    }
  });
  expect(most).toBeGreaterThan(24 * mebibyte);
  expect(most).toBeLessThanOrEqual(36 * mebibyte);
  expect(vi.getTimerCount()).toBe(0);
});

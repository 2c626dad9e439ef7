import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const mebibyte = 1024 * 1024;
const memoryBound = JSON.stringify(import.meta.resolve('../../agent/base/memory-bound.ts'));

// In a process of its own, as the agent has one: this one has a flag for buffers and garbage of other files, whose collection
// by V8 would keep the growth below the bound. The process ends only if the bound's timer has ended.
const growth = `
import { setTimeout } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { withBoundedBuffers } from ${memoryBound};

const before = getHeapStatistics().external_memory;
let most = 0;
await withBoundedBuffers(async () => {
  for (let count = 0; count < 64; count += 1) {
    Buffer.alloc(${4 * mebibyte});
    most = Math.max(most, getHeapStatistics().external_memory - before);
    await setTimeout(11);
  }
});
console.log(most);`;

// Without the bound, V8 lets them grow to 65 MiB.
test('buffers that nothing holds are collected when they have grown by 24 MiB', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', growth], {
    timeout: 30_000,
  });
  expect(Number(stdout)).toBeGreaterThan(24 * mebibyte);
  expect(Number(stdout)).toBeLessThanOrEqual(36 * mebibyte);
});

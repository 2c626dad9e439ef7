import { describe, expect, test } from 'vitest';
import { CopyWindow } from '../session/copy-window.ts';

const megabyte = 1_048_576;
const requestLimit = 16 * megabyte;
const targetMs = 5_000;
const timeoutMs = 30_000;

/** Copies files concurrently on storage of a fixed speed, with a virtual clock. */
async function copyAll(files: readonly number[], bytesPerSecond: number) {
  let nowMs = 0;
  let diskFreeAtMs = 0;
  const due: { readonly atMs: number; readonly complete: () => void }[] = [];
  const window = new CopyWindow(targetMs, () => nowMs);
  let longestMs = 0;
  let requests = 0;
  const copyPiece = async (bytes: number) => {
    const lease = await window.acquire(bytes);
    const sentAtMs = nowMs;
    requests += 1;
    diskFreeAtMs = Math.max(diskFreeAtMs, nowMs) + (bytes / bytesPerSecond) * 1000;
    await new Promise<void>((complete) => due.push({ atMs: diskFreeAtMs, complete }));
    longestMs = Math.max(longestMs, nowMs - sentAtMs);
    lease.copied();
  };
  const copyFile = async (size: number) => {
    let left = size;
    const copyPieces = async () => {
      while (left > 0) {
        const bytes = Math.min(left, window.pieceBytes(requestLimit));
        left -= bytes;
        await copyPiece(bytes);
      }
    };
    await Promise.all(Array.from({ length: 8 }, copyPieces));
  };
  let isDone = false;
  const copying = Promise.all(files.map(copyFile)).then(() => (isDone = true));
  for (;;) {
    await new Promise((resolve) => setImmediate(resolve));
    const next = due.shift();
    if (isDone || next === undefined) break;
    nowMs = next.atMs;
    next.complete();
  }
  await copying;
  const bytes = files.reduce((sum, size) => sum + size, 0);
  return { longestMs, requests, efficiency: bytes / bytesPerSecond / (nowMs / 1000) };
}

describe('copies by the server', () => {
  test.each([0.6, 1, 2.5, 5, 10, 20, 100, 1_000])(
    'at %d MB/s: every request completes before its timeout, and the storage is idle for less than 1 %',
    async (speed) => {
      for (const files of [[200 * megabyte], Array.from({ length: 4 }, () => 300 * megabyte)]) {
        const { longestMs, efficiency } = await copyAll(files, speed * 1e6);
        expect(longestMs).toBeLessThan(timeoutMs);
        expect(efficiency).toBeGreaterThan(0.99);
      }
    },
  );

  test('on fast storage, of 2 GiB, take fewer than 150 requests', async () => {
    const { requests } = await copyAll([2_048 * megabyte], 1e9);
    expect(requests).toBeLessThan(150);
  });

  test('of many small files do not wait for each other', async () => {
    const window = new CopyWindow(targetMs, () => 0);
    const leases = await Promise.all(Array.from({ length: 64 }, () => window.acquire(4_096)));
    expect(leases).toHaveLength(64);
  });
});

test('the timeouts of concurrent requests shrink the window to an eighth only once', async () => {
  let nowMs = 0;
  const window = new CopyWindow(targetMs, () => nowMs);
  expect(window.pieceBytes(requestLimit)).toBe(4 * megabyte);
  const leases = await Promise.all(Array.from({ length: 4 }, () => window.acquire(4 * megabyte)));
  nowMs += timeoutMs;
  for (const lease of leases) lease.failed(true);
  expect(window.pieceBytes(requestLimit)).toBe(megabyte);
  const first = await window.acquire(2 * megabyte);
  let isSecondAcquired = false;
  const second = window.acquire(megabyte).then(() => (isSecondAcquired = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(isSecondAcquired).toBe(false);
  first.copied();
  await second;
});

test('a request that took twice the target halves the window', async () => {
  let nowMs = 0;
  const window = new CopyWindow(targetMs, () => nowMs);
  const before = window.pieceBytes(Infinity);
  const lease = await window.acquire(before);
  nowMs = 2 * targetMs;
  lease.copied();
  expect(window.pieceBytes(Infinity)).toBe(before / 2);
});

test('a request larger than the window is sent alone', async () => {
  const window = new CopyWindow(targetMs, () => 0);
  const lease = await window.acquire(1_000 * megabyte);
  let isNextSent = false;
  const next = window.acquire(1).then(() => (isNextSent = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(isNextSent).toBe(false);
  lease.failed(false);
  await next;
});

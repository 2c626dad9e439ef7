import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { endlessBytes } from '../../support/endless-bytes.ts';
import { FragmentMemory, fragmentUnitBytes } from '../../../lib/document-library/fragment-memory.ts';
import { PendingBytes, SizeMismatch } from '../../../lib/document-library/pending-bytes.ts';

const unit = fragmentUnitBytes;
// Two units to each of two fragments.
const memory = () => {
  const shared = new FragmentMemory(4 * unit);
  shared.enter();
  return shared;
};
const file = (content: Uint8Array, isAcceptable = Promise.resolve()) => ({
  stream: Readable.from(
    Array.from({ length: Math.ceil(content.length / 50_000) }, (_, index) =>
      content.subarray(index * 50_000, (index + 1) * 50_000),
    ),
  ),
  isAcceptable,
});
const content = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, index) => index % 251));
const turn = () => new Promise((resolve) => setImmediate(resolve));
const bytesOf = ({ chunks }: { chunks: readonly Uint8Array[] }): Buffer => Buffer.concat(chunks);

test('fragments are multiples of 320 KiB, the last is the rest, and together they are the file', async () => {
  const whole = content(5 * unit + 123);
  const pending = new PendingBytes(file(whole), whole.length, memory());
  const seen: Buffer[] = [];
  for (let at = 0; at < whole.length;) {
    const fragment = await pending.next();
    expect(fragment.start).toBe(at);
    at += fragment.length;
    if (at < whole.length) expect(fragment.length % unit).toBe(0);
    seen.push(bytesOf(fragment));
    pending.advanceTo(at);
  }
  expect(seen.map(({ length }) => length)).toEqual([2 * unit, 2 * unit, unit + 123]);
  expect(Buffer.concat(seen).equals(whole)).toBe(true);
});

test('a fragment can be had again until it is passed, and from any byte within', async () => {
  const whole = content(6 * unit);
  const pending = new PendingBytes(file(whole), whole.length, memory());
  const first = bytesOf(await pending.next());
  expect(bytesOf(await pending.next()).equals(first)).toBe(true);
  expect(pending.isWhole).toBe(true);
  expect(pending.advanceTo(12_345)).toBe(true);
  const next = await pending.next();
  expect([next.start, next.length]).toEqual([12_345, 2 * unit]);
  expect(bytesOf(next).equals(whole.subarray(12_345, 12_345 + 2 * unit))).toBe(true);
  expect(pending.isWhole).toBe(false);
  expect(pending.advanceTo(0)).toBe(false);
  expect(pending.advanceTo(whole.length + 1)).toBe(false);
});

describe('while a fragment goes out', () => {
  const begun = async () => {
    const { stream, read } = endlessBytes(10_000);
    const pending = new PendingBytes({ stream, isAcceptable: Promise.resolve() }, 1e9, memory());
    const { length, sent } = await pending.next();
    return { stream, read, pending, length, sent };
  };
  const slack = 40_000;

  test('the next is not read; once it is out, the next is read, and no further', async () => {
    const { stream, read, pending, length, sent } = await begun();
    for (let out = 0; out < length; out += unit / 4) {
      expect(read()).toBeLessThanOrEqual(length + slack);
      sent(unit / 4);
      await turn();
    }
    expect(read()).toBeGreaterThanOrEqual(2 * length);
    expect(read()).toBeLessThanOrEqual(2 * length + slack);
    // Out a second time, after a broken connection: still two fragments.
    const again = await pending.next();
    again.sent(again.length);
    await turn();
    expect(read()).toBeLessThanOrEqual(2 * length + slack);
    pending.close();
    expect(stream.destroyed).toBe(true);
  });

  test('the next is read when the line takes no more', async () => {
    const { read, pending, length, sent } = await begun();
    sent(unit);
    await turn();
    expect(read()).toBeLessThanOrEqual(length + slack);
    for (let turns = 0; turns < 3; turns += 1) await turn();
    expect(read()).toBeGreaterThanOrEqual(2 * length);
    pending.close();
  });
});

test.each([
  ['longer', 1000, 999],
  ['shorter', 1000, 1001],
  ['longer than several fragments', 6 * unit, 5 * unit],
])('a file %s than announced is told before its last fragment', async (_what, length, announced) => {
  const pending = new PendingBytes(file(content(length)), announced, memory());
  const read = async () => {
    for (;;) {
      const fragment = await pending.next();
      const end = fragment.start + fragment.length;
      expect(end).toBeLessThan(announced);
      pending.advanceTo(end);
    }
  };
  await expect(read()).rejects.toThrow(SizeMismatch);
});

test('the last fragment waits for the word that the file is acceptable', async () => {
  const verdict = Promise.withResolvers<void>();
  const pending = new PendingBytes(file(content(100), verdict.promise), 100, memory());
  const next = pending.next();
  verdict.reject(new Error('not wanted'));
  await expect(next).rejects.toThrow('not wanted');
});

test('more uploads make smaller fragments, fewer larger ones, and nobody gets stuck in between', async () => {
  const shared = new FragmentMemory(16 * unit);
  const leave = shared.enter();
  expect(shared.fragmentBytes).toBe(8 * unit);
  const whole = content(20 * unit);
  const pending = new PendingBytes(file(whole), whole.length, shared);
  const others = Array.from({ length: 7 }, () => shared.enter());
  let at = 0;
  const lengths: number[] = [];
  while (at < whole.length) {
    const fragment = await pending.next();
    lengths.push(fragment.length / unit);
    at += fragment.length;
    pending.advanceTo(at);
    others.pop()?.();
  }
  expect(lengths.slice(0, 2)).toEqual([1, 1]);
  expect(Math.max(...lengths)).toBeGreaterThan(1);
  leave();
});

test('an upload that has read ahead alone leaves later ones their one fragment, until it is through', async () => {
  const shared = new FragmentMemory(4 * unit);
  shared.enter();
  const whole = content(12 * unit);
  const first = new PendingBytes(file(whole), whole.length, shared);
  const { length, sent } = await first.next();
  sent(length);
  await expect.poll(() => shared.isFull).toBe(true);
  shared.enter();
  const { stream: endless, read } = endlessBytes(10_000);
  const second = new PendingBytes({ stream: endless, isAcceptable: Promise.resolve() }, 1e9, shared);
  expect((await second.next()).length).toBe(unit);
  await turn();
  expect(read()).toBeLessThanOrEqual(unit + 40_000);
  first.close();
  expect(shared.isFull).toBe(false);
  second.advanceTo(unit);
  await expect.poll(read).toBeGreaterThanOrEqual(2 * unit);
  second.close();
});

test('a file that ends with a full fragment is read to its end however full the memory is', async () => {
  const shared = new FragmentMemory(2 * unit);
  shared.enter();
  shared.count(2 * unit);
  expect([shared.isFull, shared.fragmentBytes]).toEqual([true, unit]);
  const pending = new PendingBytes(file(content(unit)), unit, shared);
  expect((await pending.next()).length).toBe(unit);
});

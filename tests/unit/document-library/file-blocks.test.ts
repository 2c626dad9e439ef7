import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { FileBlocks } from '../../../lib/document-library/file-blocks.ts';
import { fragmentUnitBytes as unit } from '../../../lib/document-library/fragment-memory.ts';

const content = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, index) => index % 251));

async function read(blocks: FileBlocks): Promise<Buffer[]> {
  const read: Buffer[] = [];
  for await (const block of blocks) read.push(block as Buffer);
  return read;
}

test.each([
  ['known', 2 * unit + 7],
  ['not known', null],
])('pieces of any length become blocks of one unit and a rest (size %s)', async (_what, size) => {
  const whole = content(2 * unit + 7);
  const pieces = new PassThrough();
  const blocks = read(new FileBlocks(pieces, size));
  for (let at = 0, length = 1; at < whole.length; at += length, length = (length * 3) % 100_003) {
    pieces.write(whole.subarray(at, at + length));
  }
  pieces.end();
  expect((await blocks).map(({ length }) => length)).toEqual([unit, unit, 7]);
  expect(Buffer.concat(await blocks).equals(whole)).toBe(true);
});

test('a small file takes no whole block, an empty one none', async () => {
  for (const size of [0, 5]) {
    const pieces = new PassThrough();
    const blocks = read(new FileBlocks(pieces, size));
    pieces.end(content(size));
    expect((await blocks).map(({ buffer }) => buffer.byteLength)).toEqual(size === 0 ? [] : [size]);
  }
});

test('there is room again only when a block is taken', async () => {
  const pieces = new PassThrough({ highWaterMark: 10 * unit });
  const blocks = new FileBlocks(pieces, null);
  await blocks.room();
  pieces.write(content(unit));
  await expect.poll(() => blocks.readableLength).toBe(1);
  let hasRoom = false;
  const room = blocks.room().then(() => (hasRoom = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(hasRoom).toBe(false);
  blocks.read();
  await room;
});

test('whoever waits for room is let go when the reader leaves; a form that breaks off breaks the file', async () => {
  const full = new PassThrough({ highWaterMark: 10 * unit });
  const left = new FileBlocks(full, null);
  full.write(content(unit));
  await expect.poll(() => left.readableLength).toBe(1);
  const room = left.room();
  left.destroy();
  await room;

  const pieces = new PassThrough();
  const broken = new FileBlocks(pieces, 100);
  pieces.write('abc');
  pieces.destroy();
  const [error] = await once(broken, 'error');
  expect(String(error)).toContain('ended within the file');
});

import { PassThrough, Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { joinedBlocks } from '../../../lib/document-library/joined-blocks.ts';

/** A stream that never ends, and how many bytes have been read from it so far. */
function endlessBytes(pieceBytes: number): { stream: Readable; read: () => number } {
  let read = 0;
  const stream = new Readable({
    highWaterMark: 1,
    read() {
      read += pieceBytes;
      this.push(Buffer.alloc(pieceBytes));
    },
  });
  return { stream, read: () => read };
}

const content = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, index) => index % 251));

test('pieces that arrive together are joined, and none is lost or out of order', async () => {
  const whole = content(2_000_000);
  const body = new PassThrough({ highWaterMark: whole.length });
  for (let at = 0; at < whole.length; at += 16_384) body.write(Buffer.from(whole.subarray(at, at + 16_384)));
  body.end();
  const blocks = await Array.fromAsync(joinedBlocks(body));
  expect(Buffer.concat(blocks).equals(whole)).toBe(true);
  expect(blocks.length).toBeLessThanOrEqual(Math.ceil(whole.length / (256 * 1024)));
});

test('a piece is not delayed to wait for more', async () => {
  const body = new PassThrough();
  const blocks = joinedBlocks(body);
  for (const piece of ['first', 'second']) {
    body.write(piece);
    expect(String((await blocks.next()).value)).toBe(piece);
  }
  body.end();
  expect((await blocks.next()).done).toBe(true);
});

test('at most one block is read ahead of the reader', async () => {
  const { stream: body, read } = endlessBytes(16_384);
  const blocks = joinedBlocks(body);
  await blocks.next();
  for (let turns = 0; turns < 100; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(read()).toBeLessThanOrEqual(3 * 256 * 1024);
  await blocks.return(undefined);
  body.destroy();
});

test.each([
  ['with an error', new Error('cut off'), 'cut off'],
  ['without one', undefined, 'ended early'],
])('a body that ends early %s yields the preceding bytes and then fails', async (_how, error, message) => {
  const body = new PassThrough();
  const blocks = joinedBlocks(body);
  body.write('before');
  expect(String((await blocks.next()).value)).toBe('before');
  const next = blocks.next();
  body.destroy(error);
  await expect(next).rejects.toThrow(message);
});

test('an empty body has no blocks', async () => {
  expect(await Array.fromAsync(joinedBlocks(Readable.from([])))).toEqual([]);
});

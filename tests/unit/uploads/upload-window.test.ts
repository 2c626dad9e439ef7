import { describe, expect, test } from 'vitest';
import { blockBytes as block, BlockPool } from '../../../lib/uploads/block-pool.ts';
import { SizeMismatch, UploadWindow, type Fragment } from '../../../lib/uploads/upload-window.ts';

// One upload may have four of the eight blocks: two are sent as a fragment while two fill.
const smallPool = () => new BlockPool(8);
const longest = Buffer.from(Array.from({ length: 7 * block }, (_, index) => index % 251));
const content = (length: number): Buffer => Buffer.from(longest.subarray(0, length));
const bytesOf = ({ blocks }: Fragment): Buffer => Buffer.concat([...blocks]);
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Writes pieces that are overwritten afterwards, like the buffers of a socket. */
async function fill(window: UploadWindow, whole: Uint8Array, pieceBytes = 50_000): Promise<void> {
  for (let at = 0; at < whole.length; at += pieceBytes) {
    const piece = Buffer.from(whole.subarray(at, at + pieceBytes));
    await window.write(piece);
    piece.fill(0);
  }
  window.end();
}

/** Receives and acknowledges every fragment, like a library. */
async function drain(window: UploadWindow, size: number): Promise<{ lengths: number[]; received: Buffer }> {
  const lengths: number[] = [];
  const received: Buffer[] = [];
  for (let at = 0; at < size;) {
    const fragment = await window.next();
    expect(fragment.start).toBe(at);
    lengths.push(fragment.length);
    received.push(bytesOf(fragment));
    at += fragment.length;
    expect(window.acknowledge(at)).toBe(true);
  }
  return { lengths, received: Buffer.concat(received) };
}

test.each([
  ['known', (size: number) => size],
  ['not known', () => null],
])(
  'fragments are multiples of 320 KiB except for the last, and together they are the file (size %s)',
  async (_what, sizeOf) => {
    const whole = content(5 * block + 123);
    const window = new UploadWindow(smallPool(), sizeOf(whole.length));
    const written = fill(window, whole);
    const { lengths, received } = await drain(window, whole.length);
    await written;
    expect(lengths).toEqual([2 * block, 2 * block, block + 123]);
    expect(received.equals(whole)).toBe(true);
    expect(window.total).toBe(whole.length);
  },
);

test('a full fragment that may be the last is returned only after the end of the file', async () => {
  const window = new UploadWindow(smallPool(), 2 * block);
  let isReturned = false;
  const next = window.next().then((fragment) => {
    isReturned = true;
    return fragment;
  });
  await window.write(content(2 * block));
  await turn();
  expect(isReturned).toBe(false);
  window.end();
  expect((await next).length).toBe(2 * block);
});

test('an empty file is one empty fragment', async () => {
  const window = new UploadWindow(smallPool(), null);
  window.end();
  expect(await window.holdsAll()).toBe(true);
  expect(await window.next()).toMatchObject({ start: 0, length: 0 });
});

test('a fragment can be read again until it is acknowledged, and from any byte', async () => {
  const whole = content(6 * block + 5);
  const window = new UploadWindow(smallPool(), whole.length);
  const written = fill(window, whole);
  const first = bytesOf(await window.next());
  expect(bytesOf(await window.next()).equals(first)).toBe(true);
  expect(window.acknowledge(0)).toBe(true);
  expect(window.acknowledge(12_345)).toBe(true);
  const next = await window.next();
  expect([next.start, next.length]).toEqual([12_345, 2 * block]);
  expect(bytesOf(next).equals(whole.subarray(12_345, 12_345 + 2 * block))).toBe(true);
  expect(window.acknowledge(0)).toBe(false);
  expect(window.acknowledge(whole.length + 1)).toBe(false);
  expect(window.acknowledge(12_345 + block + 1)).toBe(true);
  const rest: Buffer[] = [];
  for (let fragment = await window.next(); fragment.length > 0; fragment = await window.next()) {
    rest.push(bytesOf(fragment));
    window.acknowledge(fragment.start + fragment.length);
  }
  await written;
  expect(Buffer.concat(rest).equals(whole.subarray(12_345 + block + 1))).toBe(true);
});

test('a fragment cannot be read after the window has advanced: its blocks may belong to another upload', async () => {
  const window = new UploadWindow(smallPool(), null);
  await window.write(content(3 * block));
  const fragment = await window.next();
  const blocks = fragment.blocks[Symbol.iterator]();
  blocks.next();
  window.acknowledge(fragment.length);
  expect(() => blocks.next()).toThrow('had advanced');
  await window.write(content(block));
  const next = await window.next();
  window.close();
  expect(() => [...next.blocks]).toThrow('had advanced');
});

test('a fragment can be read twice: for its checksum, and for sending', async () => {
  const window = new UploadWindow(smallPool(), null);
  await window.write(content(3 * block));
  const fragment = await window.next();
  const once = bytesOf(fragment);
  expect(once.length).toBe(2 * block);
  expect(bytesOf(fragment).equals(once)).toBe(true);
});

test('an announced size can be forgotten before it proves wrong', async () => {
  const window = new UploadWindow(smallPool(), 2 * block);
  expect(window.forgetSize()).toBe(true);
  const written = fill(window, content(2 * block - 7));
  const { received } = await drain(window, 2 * block - 7);
  await written;
  expect(received.equals(content(2 * block - 7))).toBe(true);
  expect(window.total).toBe(2 * block - 7);
});

describe('a window can be rewound', () => {
  test('while it still has everything from the start, including acknowledged bytes', async () => {
    const whole = content(3 * block + 7);
    const window = new UploadWindow(smallPool(), whole.length);
    await fill(window, whole);
    for (const _session of [1, 2]) {
      expect((await drain(window, whole.length)).received.equals(whole)).toBe(true);
      expect(window.rewind()).toBe(true);
    }
    window.close();
    expect(window.rewind()).toBe(false);
  });

  test('until the file needs the blocks itself', async () => {
    const window = new UploadWindow(smallPool(), null);
    await window.write(content(4 * block));
    window.acknowledge(2 * block);
    await window.write(content(1));
    expect(window.rewind()).toBe(false);
    expect((await window.next()).start).toBe(2 * block);
  });

  test('until others need the blocks, before or after they were acknowledged', async () => {
    for (const order of ['before', 'after']) {
      const pool = smallPool();
      const windows = [new UploadWindow(pool, null), new UploadWindow(pool, null)];
      for (const window of windows) await window.write(content(4 * block));
      const [first, second] = windows as [UploadWindow, UploadWindow];
      const third = new UploadWindow(pool, null);
      if (order === 'before') first.acknowledge(2 * block);
      const written = third.write(content(block));
      if (order === 'after') first.acknowledge(2 * block);
      await written;
      expect([first.rewind(), second.rewind()]).toEqual([false, true]);
    }
  });

  test('until the library continues in the middle of a block', async () => {
    const window = new UploadWindow(smallPool(), null);
    await window.write(content(3 * block));
    window.acknowledge(5);
    expect(window.rewind()).toBe(false);
  });
});

describe('backpressure', () => {
  test('a writer waits when the share is full, and continues when bytes are acknowledged', async () => {
    const window = new UploadWindow(smallPool(), null);
    expect(window.write(content(4 * block))).toBeUndefined();
    let isPlaced = false;
    const waiting = window.write(content(block + 1));
    expect(waiting).toBeInstanceOf(Promise);
    void waiting?.then(() => (isPlaced = true));
    await turn();
    expect(isPlaced).toBe(false);
    window.acknowledge(block);
    await turn();
    expect(isPlaced).toBe(false);
    window.acknowledge(2 * block);
    await waiting;
    expect(isPlaced).toBe(true);
  });

  test('a waiting writer is released when the window closes', async () => {
    const window = new UploadWindow(smallPool(), null);
    const waiting = window.write(content(5 * block));
    expect(window.isClosed).toBe(false);
    window.close();
    await waiting;
    expect(window.isClosed).toBe(true);
    expect(window.write(content(5 * block))).toBeUndefined();
  });
});

describe('whether the window has the whole file', () => {
  test('is known when it ends', async () => {
    const window = new UploadWindow(smallPool(), null);
    await window.write(content(4 * block));
    const holdsAll = window.holdsAll();
    window.end();
    expect(await holdsAll).toBe(true);
    expect(window.total).toBe(4 * block);
  });

  test('is known when the window is full', async () => {
    const window = new UploadWindow(smallPool(), null);
    const holdsAll = window.holdsAll();
    void window.write(content(4 * block + 1));
    expect(await holdsAll).toBe(false);
    // The whole file can still be read, fragment by fragment.
    window.end();
    expect((await drain(window, 4 * block + 1)).received.equals(content(4 * block + 1))).toBe(true);
  });

  test('is rejected when the file fails', async () => {
    const window = new UploadWindow(smallPool(), null);
    const holdsAll = window.holdsAll();
    window.fail(new Error('cut off'));
    await expect(holdsAll).rejects.toThrow('cut off');
  });
});

test.each([
  ['longer', 1000, 999],
  ['shorter', 1000, 1001],
  ['longer than several fragments', 6 * block, 5 * block],
])('a file %s than announced is reported before its last fragment', async (_what, length, announced) => {
  const window = new UploadWindow(smallPool(), announced);
  void fill(window, content(length));
  const read = async () => {
    for (;;) {
      const fragment = await window.next();
      const end = fragment.start + fragment.length;
      expect(end).toBeLessThan(announced);
      window.acknowledge(end);
    }
  };
  await expect(read()).rejects.toThrow(SizeMismatch);
});

test('the first failure is the one that is reported', async () => {
  const window = new UploadWindow(smallPool(), null);
  window.fail(new Error('not wanted'));
  window.fail(new Error('closed'));
  await expect(window.next()).rejects.toThrow('not wanted');
});

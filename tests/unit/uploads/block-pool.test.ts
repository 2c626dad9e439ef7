import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { blockBytes as block, BlockPool, type PoolMember } from '../../../lib/uploads/block-pool.ts';
import { UploadWindow } from '../../../lib/uploads/upload-window.ts';

function member(pool: BlockPool): PoolMember {
  const quiet = { onChange: () => undefined, spare: () => [] };
  pool.enter(quiet);
  return quiet;
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('the number of blocks never grows, and blocks are reused', () => {
  const pool = new BlockPool(8);
  const acquired: Buffer[] = [];
  const first = member(pool);
  for (let block = pool.acquire(acquired.length); block; block = pool.acquire(acquired.length))
    acquired.push(block);
  // A single upload leaves blocks for later ones.
  expect(acquired).toHaveLength(4);
  const others = Array.from({ length: 20 }, () => member(pool));
  const more: Buffer[] = [];
  for (let block = pool.acquire(0); block; block = pool.acquire(0)) more.push(block);
  expect(more).toHaveLength(4);
  expect(new Set([...acquired, ...more].map(({ buffer }) => buffer)).size).toBe(8);
  expect(pool.acquire(0)).toBeUndefined();
  pool.release([acquired[0]!]);
  expect(pool.acquire(0)).toBe(acquired[0]);
  for (const each of [first, ...others]) pool.leave(each);
});

test('more uploads result in smaller fragments and fewer uploads in larger ones, and no upload stalls in between', async () => {
  const pool = new BlockPool(20);
  const window = new UploadWindow(pool, null);
  const written = (async () => {
    for (let blocks = 0; blocks < 40; blocks += 1) await window.write(Buffer.alloc(block));
    window.end();
  })();
  const lengths: number[] = [];
  const others = Array.from({ length: 9 }, () => member(pool));
  for (;;) {
    const { start, length } = await window.next();
    if (length === 0) break;
    lengths.push(length / block);
    window.acknowledge(start + length);
    const other = others.pop();
    if (other) pool.leave(other);
  }
  await written;
  expect(lengths[0]).toBe(1);
  expect(Math.max(...lengths)).toBe(8);
});

test('an upload with many blocks yields: later uploads get their share as it proceeds', async () => {
  const pool = new BlockPool(8);
  const first = new UploadWindow(pool, null);
  void first.write(Buffer.alloc(20 * block));
  // The first upload waits for the library; four later uploads still get the reserved blocks.
  const later = Array.from({ length: 4 }, () => new UploadWindow(pool, null));
  for (const window of later) {
    expect(window.write(Buffer.alloc(block))).toBeUndefined();
    expect((await window.next()).length).toBe(block);
  }
  // The next upload gets no block until another upload proceeds.
  const last = new UploadWindow(pool, null);
  let isPlaced = false;
  void last.write(Buffer.alloc(block))!.then(() => (isPlaced = true));
  await turn();
  expect(isPlaced).toBe(false);
  first.acknowledge(block);
  await turn();
  expect(isPlaced).toBe(true);
  // While it is above its share, the first upload gets no more blocks, although it has bytes left to place.
  first.acknowledge(4 * block);
  expect(await first.next()).toMatchObject({ length: block });
  for (const window of [first, last, ...later]) window.close();
});

test('the blocks of a closed window are immediately available to others', async () => {
  const pool = new BlockPool(8);
  const windows = Array.from({ length: 8 }, () => new UploadWindow(pool, null));
  for (const window of windows) void window.write(Buffer.alloc(2 * block));
  const waiting = new UploadWindow(pool, null);
  const placed = waiting.write(Buffer.alloc(block));
  expect(placed).toBeInstanceOf(Promise);
  windows[3]!.close();
  await placed;
  for (const window of [waiting, ...windows]) window.close();
});

interface UploadPlan {
  readonly size: number;
  readonly announcesSize: boolean;
  /** Where the content starts in the pattern. */
  readonly offset: number;
  /** Sizes of the pieces that are written, and turns of the event loop after each; repeated until the end. */
  readonly writes: readonly { readonly bytes: number; readonly turns: number }[];
  /** One per fragment; the fragments after these have no mishaps. */
  readonly reads: readonly FragmentPlan[];
}

interface FragmentPlan {
  /** The part of the fragment that arrives, in thousandths; null: all of it. */
  readonly arrived: number | null;
  readonly rewinds: boolean;
  readonly yieldsAfterBlocks: number;
  readonly turns: number;
}

const turns = fc.nat({ max: 3 });
const uploadPlan: fc.Arbitrary<UploadPlan> = fc.record({
  size: fc.nat({ max: 6 * block }),
  announcesSize: fc.boolean(),
  offset: fc.nat({ max: block }),
  writes: fc.array(fc.record({ bytes: fc.integer({ min: 20_000, max: 2 * block }), turns }), {
    minLength: 1,
    maxLength: 12,
    size: 'max',
  }),
  reads: fc.array(
    fc.record({
      arrived: fc.option(fc.nat({ max: 999 }), { freq: 4, nil: null }),
      rewinds: fc.boolean(),
      yieldsAfterBlocks: fc.integer({ min: 1, max: 4 }),
      turns,
    }),
    { maxLength: 6, size: 'max' },
  ),
});
const pattern = Buffer.from(Array.from({ length: 7 * block }, (_, index) => (index * 31) % 251));
const pause = async (count: number): Promise<void> => {
  for (let turnsLeft = count; turnsLeft > 0; turnsLeft -= 1) await turn();
};

async function uploaded(pool: BlockPool, plan: UploadPlan): Promise<boolean> {
  const { size, announcesSize, offset, writes, reads } = plan;
  const whole = pattern.subarray(offset, offset + size);
  const window = new UploadWindow(pool, announcesSize ? size : null);
  const write = async () => {
    for (let at = 0, count = 0; at < size; count += 1) {
      const { bytes, turns: pauses } = writes[count % writes.length]!;
      await window.write(whole.subarray(at, at + bytes));
      at += bytes;
      await pause(pauses);
    }
    window.end();
  };
  const written = write();
  const received = Buffer.alloc(size);
  let count = 0;
  for (let fragment = await window.next(); fragment.length > 0; fragment = await window.next()) {
    const {
      arrived,
      rewinds,
      yieldsAfterBlocks,
      turns: pauses,
    } = reads[count++] ?? {
      arrived: null,
      rewinds: false,
      yieldsAfterBlocks: Infinity,
      turns: 0,
    };
    let at = fragment.start;
    let blocks = 0;
    for (const bytes of fragment.blocks) {
      received.set(bytes, at);
      at += bytes.byteLength;
      if (++blocks % yieldsAfterBlocks === 0) await turn();
    }
    const end = arrived === null ? at : fragment.start + Math.floor((fragment.length * arrived) / 1000);
    expect(window.acknowledge(end)).toBe(true);
    if (rewinds && window.rewind()) received.fill(0);
    await pause(pauses);
  }
  await written;
  window.close();
  return received.equals(whole);
}

test('up to a dozen concurrent uploads arrive complete, each at its own pace and with its own mishaps', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(uploadPlan, { minLength: 2, maxLength: 12, size: 'max' }), async (plans) => {
      const pool = new BlockPool(8);
      expect(await Promise.all(plans.map((plan) => uploaded(pool, plan)))).toEqual(plans.map(() => true));
    }),
    { numRuns: 20 },
  );
});

import { expect, test } from 'vitest';
import { StagingFile, type StagingDisk } from '../../../../lib/project-documents/form/staging-disk.ts';

const fragmentOf = (text: string, start = 0) => {
  const bytes = Buffer.from(text);
  return { start, length: bytes.length, blocks: [bytes] };
};

test('a file takes the disk to its last byte, no byte more, and gives all of it back', async () => {
  const disk: StagingDisk = { freeBytes: 8 };
  const file = new StagingFile(disk);
  const first = await file.append(fragmentOf('eight'));
  expect(disk.freeBytes).toBe(3);
  expect(await file.append(fragmentOf('four', 5))).toBeNull();
  expect(disk.freeBytes).toBe(3);
  const last = await file.append(fragmentOf('two', 5));
  expect(disk.freeBytes).toBe(0);
  expect(await file.append(fragmentOf('x', 8))).toBeNull();
  const read = await Promise.all([first!, last!].map((each) => Array.fromAsync(each())));
  expect(read.map((blocks) => Buffer.concat(blocks).toString())).toEqual(['eight', 'two']);
  await file.remove();
  expect(disk.freeBytes).toBe(8);
});

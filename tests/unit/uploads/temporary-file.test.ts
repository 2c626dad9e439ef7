import { once } from 'node:events';
import { expect, test } from 'vitest';
import { kindOfDisk, TemporaryFile, type UploadDisk } from '../../../lib/uploads/temporary-file.ts';

const written = async (file: TemporaryFile, text: string): Promise<void> => {
  const to = file.writable();
  to.end(text);
  await once(to, 'finish');
};

test('a file takes the disk to its last byte, no byte more, and gives all of it back', async () => {
  const disk: UploadDisk = { freeBytes: 8 };
  const file = await TemporaryFile.create(disk, 5);
  expect(disk.freeBytes).toBe(3);
  await written(file, 'eight');
  expect(disk.freeBytes).toBe(3);
  await expect(written(file, 'four')).rejects.toThrow('used up');
  await expect(TemporaryFile.create(disk, 4)).rejects.toThrow('used up');
  await written(file, 'two');
  expect(disk.freeBytes).toBe(0);
  const read = await Array.fromAsync(file.read(1, 7), (piece) => piece.toString());
  expect([read.join(''), file.size]).toEqual(['ighttw', 8]);
  await file.remove();
  expect(disk.freeBytes).toBe(8);
});

test('what is announced stays reserved, however little of it has come', async () => {
  const disk: UploadDisk = { freeBytes: 100 };
  const file = await TemporaryFile.create(disk, 80);
  await written(file, 'four');
  expect(disk.freeBytes).toBe(20);
  await expect(TemporaryFile.create(disk, 21)).rejects.toThrow('used up');
  await file.remove();
  expect(disk.freeBytes).toBe(100);
});

test.each([
  [
    'and is large enough',
    10,
    (asked: Promise<unknown>) => expect(asked).resolves.toMatch(/^(?:disk|memory)$/),
  ],
  ['and is too small', 2 ** 60, (asked: Promise<unknown>) => expect(asked).rejects.toThrow('less space')],
])('a disk that is asked %s keeps nothing of the question', async (_what, freeBytes, expectation) => {
  const disk: UploadDisk = { freeBytes };
  await expectation(kindOfDisk(disk));
  expect(disk).toEqual({ freeBytes });
});

test('a file that is shorter than what was written is an error, not an endless read', async () => {
  const file = await TemporaryFile.create({ freeBytes: 8 }, 4);
  await written(file, 'four');
  const pieces = file.read(0, 5);
  expect((await pieces.next()).value?.toString()).toBe('four');
  await expect(pieces.next()).rejects.toThrow('shorter');
  await file.remove();
});

import { expect, test } from 'vitest';
import type { DriveItem } from '../../../../lib/document-library/drive-item.ts';
import {
  nearestFolder,
  readTrees,
  type TreeFolder,
} from '../../../../lib/project-documents/folders/folder-tree.ts';

const folder = (id: string): DriveItem => ({ id, name: id, folder: { childCount: 0 } });
const byId = (items: readonly DriveItem[]): ReadonlyMap<string, DriveItem> =>
  new Map(items.map((item) => [item.id, item]));

test('2,000 folders are read, with those at the top; a tree with one more is incomplete', async () => {
  const nested = Array.from({ length: 1998 }, (_, index) => folder(`nested ${index}`));
  const readTree = async (below: readonly DriveItem[]) => {
    const asked: string[] = [];
    const library = {
      async *childPagesOf(id: string) {
        asked.push(id);
        // Over two levels.
        yield id === 'nested 0' ? below : [];
      },
    };
    const top = (id: string, items: readonly DriveItem[]): TreeFolder => {
      return { id, path: '', children: byId(items), storedCount: items.length };
    };
    const trees = await readTrees(library, [top('whole', []), top('large', nested)], async () => undefined);
    return { asked: asked.length, isRead: trees.map(({ isRead }) => isRead), size: trees[1]!.folders.size };
  };
  expect(await readTree([])).toEqual({ asked: 1998, isRead: [true, true], size: 1999 });
  expect(await readTree([folder('one more')])).toEqual({ asked: 1998, isRead: [true, false], size: 1999 });
});

test('all trees together have 8 reads at a time', async () => {
  let [running, most] = [0, 0];
  const library = {
    async *childPagesOf() {
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
      yield [];
    },
  };
  const tops = ['first', 'second', 'third'].map((id): TreeFolder => {
    const children = Array.from({ length: 20 }, (_, index) => folder(`${id} ${index}`));
    return { id, path: '', children: byId(children), storedCount: 20 };
  });
  await readTrees(library, tops, async () => undefined);
  expect(most).toBe(8);
});

test('the next level is read only after what is told of this one is written, and not if that fails', async () => {
  const asked: string[] = [];
  const library = {
    async *childPagesOf(id: string) {
      asked.push(id);
      yield [folder(`${id}/1`)];
    },
  };
  const top: TreeFolder = { id: 'top', path: '', children: byId([folder('a')]), storedCount: 1 };
  const told: number[] = [];
  const written = readTrees(library, [top], async (count) => {
    await new Promise(setImmediate);
    told.push(count);
    if (count === 2) throw new Error('the storage is down');
  });
  await expect(written).rejects.toThrow('the storage is down');
  expect([asked, told]).toEqual([
    ['a', 'a/1'],
    [1, 2],
  ]);
});

test.each([
  ['its own, wherever it is now', { parentId: 'renamed', folderPath: '2026/Q1' }, 'renamed'],
  ['the one at its path', { parentId: 'gone', folderPath: '2026/Q1' }, 'Q1'],
  ['the one above', { parentId: 'gone', folderPath: '2026/Q2/Mai' }, '2026'],
  ['the subfolder', { parentId: 'gone', folderPath: '2025/Q1' }, 'top'],
  ['the subfolder', { folderPath: '' }, 'top'],
])('the nearest folder of a file that was not found is %s: %j', (_, file, expected) => {
  const at = (id: string, path: string): TreeFolder => ({ id, path, children: byId([]), storedCount: 0 });
  const top = at('top', '');
  const folders = [top, at('2026', '2026'), at('Q1', '2026/Q1'), at('renamed', 'alt')];
  const tree = { top, folders: new Map(folders.map((each) => [each.id, each])), isRead: true };
  expect(nearestFolder(tree, file).id).toBe(expected);
});

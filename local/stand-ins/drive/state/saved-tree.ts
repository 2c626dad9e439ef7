import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { valueOfJson } from '../../../../lib/contract/json.ts';
import type { Drive } from './drives.ts';
import type { Item } from './item.ts';
import type { Emulator } from './emulator.ts';

const identity = z.object({ id: z.string(), displayName: z.string() });

/** An item in the file. `content` names the file with its bytes. */
const savedItem = z.object({
  id: z.string(),
  guid: z.string(),
  name: z.string(),
  parentId: z.string(),
  size: z.number(),
  file: z.object({ content: z.string(), mimeType: z.string(), quickXorHash: z.string() }).nullable(),
  createdAt: z.string(),
  createdBy: identity,
  modifiedAt: z.string(),
  modifiedBy: identity,
  fileSystemInfo: z.object({ createdDateTime: z.string(), lastModifiedDateTime: z.string() }),
  version: z.number(),
  contentVersion: z.number(),
  locked: z.boolean(),
  // Missing in files of older versions.
  special: z.enum(['package', 'shortcut']).nullable().default(null),
  hiddenFrom: z.array(z.string()).readonly().default([]),
  checkedOutTo: z.string().nullable().default(null),
  checkedOutBy: z.string().nullable().default(null),
});
type SavedItem = z.output<typeof savedItem>;

const savedDrive = z.object({
  ownerId: z.string().nullable(),
  owner: identity,
  rootId: z.string(),
  items: z.array(savedItem),
});
type SavedDrive = z.output<typeof savedDrive>;

export interface SavedTree {
  changed(): void;
  close(): Promise<void>;
}

/**
 * Stores folders and files in `<directory>/drives.json` and loads them at the start. Writes are coalesced: changes during a
 * write cause one more write. Upload sessions and their bytes are lost when the process ends.
 */
export async function savedTree(directory: string | undefined, emulator: Emulator): Promise<SavedTree> {
  if (directory === undefined) return { changed: () => undefined, close: () => Promise.resolve() };
  await mkdir(directory, { recursive: true });
  const path = join(directory, 'drives.json');
  await load(path, emulator);
  await removeOrphans(join(directory, 'content'), emulator);

  let isChanged = false;
  let writing: Promise<void> | null = null;
  const write = async () => {
    while (isChanged) {
      isChanged = false;
      const text = JSON.stringify([...emulator.drives.all()].map(driveToSave));
      // Atomic: after a crash during the write, the previous file remains.
      await writeFile(`${path}.new`, text);
      await rename(`${path}.new`, path);
    }
    writing = null;
  };
  return {
    changed: () => {
      isChanged = true;
      // setImmediate, so that one write contains the changes of this request and of pending ones.
      writing ??= new Promise<void>((resolve) => setImmediate(resolve)).then(write);
    },
    close: async () => {
      await writing;
    },
  };
}

const driveToSave = ({ ownerId, owner, tree }: Drive): SavedDrive => ({
  ownerId,
  owner,
  rootId: tree.root.id,
  items: [...tree.items()].filter(({ parent }) => parent !== null).map(itemToSave),
});

function itemToSave({ parent, file, earlier: _lost, createdAt, modifiedAt, ...rest }: Item): SavedItem {
  return {
    ...rest,
    parentId: parent?.id ?? '',
    createdAt: createdAt.toISOString(),
    modifiedAt: modifiedAt.toISOString(),
    file: file && { ...file, content: file.content.name ?? '' },
  };
}

async function load(path: string, emulator: Emulator): Promise<void> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  for (const { ownerId, owner, rootId, items } of z.array(savedDrive).parse(valueOfJson(text))) {
    const { drives } = emulator;
    const { tree } = ownerId === null ? drives.library : drives.oneDriveOf(owner, new Date(emulator.now()));
    const byId = new Map([[rootId, tree.root]]);
    // A move can have placed a parent after its children.
    const waiting = new Map(items.map((item) => [item.id, item]));
    const restore = (item: SavedItem): void => {
      if (!waiting.delete(item.id)) return;
      const above = waiting.get(item.parentId);
      if (above) restore(above);
      const { parentId, file, createdAt, modifiedAt, ...rest } = item;
      const content = file && emulator.contents.existing(file.content, item.size);
      const restored: Item = {
        ...rest,
        // The size of a folder is recomputed as its files are added.
        size: file ? item.size : 0,
        parent: byId.get(parentId) ?? tree.root,
        earlier: [],
        file: file && content && { ...file, content },
        createdAt: new Date(createdAt),
        modifiedAt: new Date(modifiedAt),
      };
      byId.set(restored.id, restored);
      tree.restore(restored);
    };
    for (const item of items) restore(item);
  }
}

/** Deletes the bytes of sessions and replaced files that a crash left behind. */
async function removeOrphans(directory: string, { drives }: Emulator): Promise<void> {
  const used = new Set(
    [...drives.all()].flatMap(({ tree }) => [...tree.items()].map((item) => item.file?.content.name)),
  );
  for (const name of await readdir(directory)) {
    if (!used.has(name)) await rm(join(directory, name), { force: true });
  }
}

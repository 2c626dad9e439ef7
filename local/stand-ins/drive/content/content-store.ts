import { randomUUID } from 'node:crypto';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { FileContent, FileWriter } from './file-content.ts';
import { MemoryWriter } from './memory-content.ts';
import type { ContentWriter, StoredContent } from './stored-content.ts';

export interface ContentStore {
  create(): Promise<ContentWriter>;
  existing(name: string, size: number): StoredContent;
}

export async function contentStore(directory: string | undefined): Promise<ContentStore> {
  if (directory === undefined) {
    return {
      create: () => Promise.resolve(new MemoryWriter()),
      existing: () => {
        throw new Error('Contents in memory do not outlive the emulator.');
      },
    };
  }
  await mkdir(directory, { recursive: true });
  return {
    create: async () => {
      const name = randomUUID();
      return new FileWriter(directory, name, await open(join(directory, name), 'wx'));
    },
    existing: (name, size) => new FileContent(directory, name, size),
  };
}

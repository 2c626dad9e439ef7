import { randomFillSync } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Template {
  readonly files: number;
  readonly directories: number;
  /** Including the root. */
  readonly levels: number;
  readonly bytes: number;
}

const smallBytes = 4 * 1024;

/**
 * 1,000 files of 4 KiB in 100 directories (10, each with 9 inside) and one of 256 MiB; `scale` reduces the files of each
 * directory and the large file.
 */
export async function makeTemplate(folder: string, scale: number): Promise<Template> {
  const directories = Array.from({ length: 10 }, (_, outer) => [
    `Bereich ${outer}`,
    ...Array.from({ length: 9 }, (__, inner) => `Bereich ${outer}/Ordner ${inner}`),
  ]).flat();
  const filesEach = Math.max(1, Math.round(10 * scale));
  for (const directory of directories) {
    await mkdir(join(folder, directory), { recursive: true });
    for (let number = 0; number < filesEach; number += 1) {
      await writeFile(
        join(folder, directory, `Vorlage ${number}.docx`),
        randomFillSync(Buffer.alloc(smallBytes)),
      );
    }
  }
  const largeBytes = Math.round(256 * scale) * 1024 * 1024;
  await writeFile(join(folder, 'Modell.ifc'), randomFillSync(Buffer.alloc(largeBytes)));
  const files = directories.length * filesEach;
  return {
    files: files + 1,
    directories: directories.length,
    levels: 3,
    bytes: files * smallBytes + largeBytes,
  };
}

export async function emptyFolder(folder: string): Promise<void> {
  const names = await readdir(folder);
  await Promise.all(names.map((name) => rm(join(folder, name), { recursive: true })));
}

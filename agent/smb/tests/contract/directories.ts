import { writeFileSync } from 'node:fs';
import { mkdir, readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Contract, ownName, rejection } from './context.ts';

export function directoryContract(contract: () => Contract): void {
  test('creates a directory and reports one that already exists', async () => {
    const { projects, projectFolder } = contract();
    const name = ownName();
    expect(await projects.ensureDirectory(name)).toBe('created');
    expect(await projects.ensureDirectory(name)).toBe('existed');
    expect((await stat(join(projectFolder, name))).isDirectory()).toBe(true);
    await rejection(projects.mkdir(name), 'EEXIST');
  });

  test('creates every missing ancestor', async () => {
    const { projects, projectFolder } = contract();
    const path = [ownName(), 'zweite Ebene', 'c', 'd'].join('\\');
    expect(await projects.mkdir(`/${path}\\`, { recursive: true })).toBe(path.split('\\')[0]);
    expect(await projects.mkdir(path, { recursive: true })).toBeUndefined();
    expect((await stat(join(projectFolder, ...path.split('\\')))).isDirectory()).toBe(true);
  });

  test('reports a missing parent', async () => {
    const { projects } = contract();
    const path = `${ownName()}\\child`;
    const error = await rejection(projects.mkdir(path), 'ENOENT');
    expect(error.path).toContain(path);
    expect(error.statusName).toBe('OBJECT_PATH_NOT_FOUND');
    expect(error.retryable).toBe(false);
    await rejection(projects.ensureDirectory(path), 'ENOENT');
  });

  test('does not treat a file as a directory or a directory as a file', async () => {
    const { projects, projectFolder } = contract();
    const name = ownName();
    await writeFile(join(projectFolder, name), 'a file');
    await rejection(projects.ensureDirectory(name), 'ENOTDIR');
    await rejection(projects.list(name), 'ENOTDIR');
    const directory = ownName();
    await mkdir(join(projectFolder, directory));
    await rejection(projects.open(directory), 'EISDIR');
    await rejection(projects.readFile(directory), 'EISDIR');
  });

  test('lists nothing in an empty directory and rejects a missing one', async () => {
    const { projects, projectFolder } = contract();
    const name = ownName();
    await mkdir(join(projectFolder, name));
    expect(await projects.list(name)).toEqual([]);
    const error = await rejection(projects.list(`${name}\\missing`), 'ENOENT');
    expect(error.path).toContain(`${name}\\missing`);
  });

  test('lists names, kinds, sizes, and times as on the disk', async () => {
    const { projects, projectFolder } = contract();
    const name = ownName();
    await mkdir(join(projectFolder, name, 'sub'), { recursive: true });
    await writeFile(join(projectFolder, name, 'a.txt'), Buffer.alloc(12_345));
    const written = new Date('2024-02-29T12:34:56.000Z');
    await utimes(join(projectFolder, name, 'a.txt'), written, written);
    const entries = await projects.list(name);
    expect(entries.map((entry) => `${entry.name} ${entry.isDirectory()} ${entry.size}`).toSorted()).toEqual([
      'a.txt false 12345',
      'sub true 0',
    ]);
    const file = entries.find((entry) => entry.name === 'a.txt');
    expect(file!.mtime).toEqual(written);
    const described = await projects.stat(`${name}/a.txt`);
    expect(described).toMatchObject({ size: 12_345, writtenAt: file!.writtenAt });
    expect([described.isFile(), described.isDirectory(), described.isReparsePoint()]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('describes the root of a share', async () => {
    const { projects } = contract();
    const root = await projects.stat();
    expect([root.isFile(), root.isDirectory(), root.isReparsePoint()]).toEqual([false, true, false]);
  });

  test('deletes only empty directories', async () => {
    const { projects, projectFolder } = contract();
    const name = ownName();
    await mkdir(join(projectFolder, name, 'full', 'inner'), { recursive: true });
    await rejection(projects.rmdir(`${name}\\full`), 'ENOTEMPTY');
    await projects.rmdir(`${name}\\full\\inner`);
    await projects.rmdir(`${name}\\full`);
    expect(await readdir(join(projectFolder, name))).toEqual([]);
    await rejection(projects.rmdir(`${name}\\full`), 'ENOENT');
  });

  test('rejects paths that could lead out of it', async () => {
    const { projects } = contract();
    for (const path of ['a\\..\\b', 'a/../b', 'a\\.\\b', '/..', '//../a', 'a//..', '.', 'a\0b'])
      await rejection(projects.ensureDirectory(path), 'NAME_INVALID');
  });
}

export function listingContract(contract: () => Contract): void {
  test('lists more entries than one response holds', async () => {
    const { projects, projectFolder } = contract();
    const name = ownName();
    await mkdir(join(projectFolder, name));
    // 64 KiB, the size of the first response, hold 132 of them.
    const names = Array.from(
      { length: 150 },
      (_, index) => `${'Datei mit langem Namen '.repeat(9)}${index}.docx`,
    );
    for (const each of names) writeFileSync(join(projectFolder, name, each), '');
    const listed = await projects.list(name);
    expect(listed.map((entry) => entry.name).toSorted()).toEqual(names.toSorted());
    const streamed: string[] = [];
    for await (const entry of projects.opendir(name)) streamed.push(entry.name);
    expect(streamed.toSorted()).toEqual(names.toSorted());
  });
}

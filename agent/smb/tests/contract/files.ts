import { mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { FileAttribute } from '../../index.ts';
import { type Contract, bytesOf, fileHas, ownName, rejection, severalPieces } from './context.ts';

export function fileContract(contract: () => Contract): void {
  test('reads any range of a file', async () => {
    const { projects, projectFolder } = contract();
    const name = ownName();
    const contents = bytesOf(1_200_001);
    await writeFile(join(projectFolder, name), contents);
    const file = await projects.open(name);
    expect(file.entry.size).toBe(contents.length);
    const target = Buffer.alloc(700_000);
    for (const [position, length] of [
      [0, 10],
      [434_567, target.length],
      [1_199_990, 1_000],
      [1_200_001, 1],
      [9_000_000, 1],
    ] as const) {
      const expected = contents.subarray(position, position + length);
      const result = await file.read(target, 0, length, position);
      expect(result.bytesRead).toBe(expected.length);
      // Not by `toEqual`, which compares each byte, also of the same object: 3 s for 1.5 MB.
      expect(result.buffer).toBe(target);
      expect(target.subarray(0, expected.length).equals(expected), `${position}`).toBe(true);
    }
    await file.close();
    await file.close();
    expect((await buffer(projects.createReadStream(name))).equals(contents)).toBe(true);
    const part = projects.createReadStream(name, { start: 7, end: 70_006 });
    expect((await buffer(part)).equals(contents.subarray(7, 70_007))).toBe(true);
  });

  test('reads whole files of every size around the limits of one request', async () => {
    const { projects, projectFolder } = contract();
    const name = ownName();
    await mkdir(join(projectFolder, name));
    for (const size of [0, 1, 65_535, 65_536, 65_537, 524_288, 524_289]) {
      const contents = bytesOf(size);
      await writeFile(join(projectFolder, name, String(size)), contents);
      expect((await projects.readFile(`${name}\\${size}`)).equals(contents), `${size} bytes`).toBe(true);
    }
    await rejection(projects.readFile(`${name}\\65537`, { limit: 65_536 }), 'INVALID_ARGUMENT');
    await rejection(projects.readFile(`${name}\\missing`), 'ENOENT');
  });

  test('writes at any position, streams, flushes and truncates', async () => {
    const { projects, projectFolder } = contract();
    const name = ownName();
    const contents = bytesOf(2 * severalPieces);
    const file = await projects.open(name, 'wx');
    await Promise.all([
      file.write(contents, severalPieces, undefined, severalPieces),
      file.write(contents, { length: severalPieces, position: 0 }),
    ]);
    await file.sync();
    expect(await fileHas(join(projectFolder, name), contents)).toBe(true);
    const chunks = Array.from({ length: 100 }, (_, index) =>
      contents.subarray(index * 12_000, (index + 1) * 12_000),
    );
    await file.truncate(5);
    await file.close();
    const stream = projects.createWriteStream(name, { flags: 'r+', start: 5 });
    await pipeline(Readable.from(chunks), stream);
    const written = Buffer.concat([contents.subarray(0, 5), contents]);
    expect(await fileHas(join(projectFolder, name), written)).toBe(true);
    await rejection(projects.open(name, 'wx'), 'EEXIST');
  });

  test('sets times and attributes', async () => {
    const { projects, projectFolder } = contract();
    const name = ownName();
    await writeFile(join(projectFolder, name), 'x');
    const writtenAt = new Date('2021-03-04T05:06:07.000Z');
    await projects.setInfo(name, { writtenAt });
    expect((await projects.stat(name)).mtime).toEqual(writtenAt);
    expect((await stat(join(projectFolder, name))).mtime).toEqual(new Date('2021-03-04T05:06:07.000Z'));
    await projects.setInfo(name, { attributes: FileAttribute.hidden | FileAttribute.archive });
    const hidden = await projects.stat(name);
    expect(hidden.attributes & FileAttribute.hidden).toBe(FileAttribute.hidden);
    expect(hidden.mtime).toEqual(writtenAt);
  });

  test('a rename that must not replace leaves every entry', async () => {
    const { projects, projectFolder } = contract();
    const name = ownName();
    await mkdir(join(projectFolder, name));
    await writeFile(join(projectFolder, name, 'a'), 'first');
    await writeFile(join(projectFolder, name, 'B'), 'second');
    await rejection(projects.rename(`${name}\\a`, `${name}\\B`, { replace: false }), 'EEXIST');
    await rejection(projects.rename(`${name}\\a`, `${name}\\b`, { replace: false }), 'EEXIST');
    await projects.rename(`${name}\\a`, `${name}\\c`);
    await rejection(projects.rename(`${name}\\a`, `${name}\\d`), 'ENOENT');
    expect((await readdir(join(projectFolder, name))).toSorted()).toEqual(['B', 'c']);
    expect(await readFile(join(projectFolder, name, 'B'), 'utf8')).toBe('second');
  });

  test('deletes files, including read-only ones', async () => {
    const { projects, projectFolder } = contract();
    const name = ownName();
    await mkdir(join(projectFolder, name));
    await writeFile(join(projectFolder, name, 'plain'), 'x');
    await writeFile(join(projectFolder, name, 'protected'), 'x');
    await projects.setInfo(`${name}\\protected`, { attributes: FileAttribute.readOnly });
    await projects.rm(`${name}\\plain`);
    await projects.rm(`${name}\\protected`);
    expect(await readdir(join(projectFolder, name))).toEqual([]);
    await rejection(projects.rm(`${name}\\plain`), 'ENOENT');
  });

  test('an aborted call ends immediately with ABORTED, and the connection remains usable', async () => {
    const { projects, client } = contract();
    await client.connect();
    const connections = client.traffic.connections;
    await rejection(projects.stat('', { signal: AbortSignal.abort() }), 'ABORTED');
    const controller = new AbortController();
    const call = projects.stat('', { signal: controller.signal });
    controller.abort();
    await rejection(call, 'ABORTED');
    expect((await projects.stat('')).isDirectory()).toBe(true);
    expect(client.traffic.connections).toBe(connections);
  });
}

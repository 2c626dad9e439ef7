import { constants } from 'node:fs';
import { mkdir, readdir, readFile, stat, statfs, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { expect, test } from 'vitest';
import { FileAttribute } from '../../index.ts';
import { type Contract, bytesOf, fileHas, ownName, rejection, severalPieces } from './context.ts';

/** The calls that `node:fs/promises` has too, where they do the same. */
export function nodeContract(contract: () => Contract): void {
  test('writeFile creates, overwrites, appends, and with wx does not overwrite', async () => {
    const { projects, projectFolder } = contract();
    const name = ownName();
    const onDisk = () => readFile(join(projectFolder, name), 'utf8');
    await projects.writeFile(name, 'a first, longer text');
    await projects.setInfo(name, { attributes: FileAttribute.hidden });
    await projects.writeFile(name, Buffer.from('second'));
    expect(await onDisk()).toBe('second');
    expect((await projects.stat(name)).attributes & FileAttribute.hidden).toBe(FileAttribute.hidden);
    await projects.writeFile(name, ' and Größe', { flag: 'a' });
    expect(await onDisk()).toBe('second and Größe');
    expect(await projects.readFile(name, 'utf8')).toBe('second and Größe');
    await rejection(projects.writeFile(name, 'third', { flag: 'wx' }), 'EEXIST');
    await projects.writeFile(name, bytesOf(severalPieces));
    expect(await fileHas(join(projectFolder, name), bytesOf(severalPieces))).toBe(true);
    await projects.writeFile(name, pieces('from ', 'a ', 'source'));
    expect(await onDisk()).toBe('from a source');
    await projects.writeFile(name, '');
    expect(await onDisk()).toBe('');
  });

  test('streams by path write, append and read', async () => {
    const { projects, projectFolder } = contract();
    const name = ownName();
    await pipeline(pieces('one,', 'two'), projects.createWriteStream(name));
    await pipeline(pieces(',three'), projects.createWriteStream(name, { flags: 'a' }));
    expect(await readFile(join(projectFolder, name), 'utf8')).toBe('one,two,three');
    expect(await text(projects.createReadStream(name, { start: 4 }))).toBe('two,three');
    const missing = projects.createReadStream(`${name}-missing`);
    await rejection(text(missing), 'ENOENT');
    const taken = projects.createWriteStream(name, { flags: 'wx' });
    await rejection(pipeline(pieces('x'), taken), 'EEXIST');
    // Closed by the streams: the server would reject a second writer.
    await using file = await projects.open(name, 'r+');
    await file.write('ONE', 0);
    expect(await readFile(join(projectFolder, name), 'utf8')).toBe('ONE,two,three');
  });

  test('an aborted stream fails with an AbortError and closes its file', async () => {
    const { projects } = contract();
    const name = ownName();
    const caller = new AbortController();
    async function* endless() {
      for (let count = 0; ; count += 1) {
        if (count === 20) caller.abort(new Error('enough'));
        yield bytesOf(50_000);
      }
    }
    const stream = projects.createWriteStream(name, { signal: caller.signal });
    await expect(pipeline(endless(), stream)).rejects.toThrow(
      expect.objectContaining({ name: 'AbortError' }),
    );
    const again = async (): Promise<void> => {
      const error = await projects.writeFile(name, 'again').catch((reason: unknown) => reason);
      // The server may still process the canceled requests.
      if ((error as { code?: string } | undefined)?.code === 'EBUSY') return again();
      expect(error).toBeUndefined();
    };
    await again();
  });

  test('an aborted call fails with an AbortError that has the reason', async () => {
    const { projects } = contract();
    const reason = new Error('the user closed the window');
    const error = await rejection(projects.stat('', { signal: AbortSignal.abort(reason) }), 'ABORTED');
    expect(error.name).toBe('AbortError');
    expect(error.cause).toBe(reason);
  });

  test('access asks for permissions, exists for a name', async () => {
    const { projects, projectFolder } = contract();
    const name = ownName();
    await writeFile(join(projectFolder, name), 'x');
    await projects.access(name);
    await projects.access(name, constants.R_OK | constants.W_OK);
    await projects.access('', constants.W_OK);
    await projects.setInfo(name, { attributes: FileAttribute.readOnly });
    await projects.access(name, constants.R_OK);
    await rejection(projects.access(name, constants.W_OK), 'EACCES');
    await rejection(projects.access(`${name}-missing`), 'ENOENT');
    expect(await projects.exists(name)).toBe(true);
    expect(await projects.exists(`${name}-missing`)).toBe(false);
    expect(await projects.exists(`${name}-missing/child`)).toBe(false);
  });

  test('utimes sets the times of access and of writing', async () => {
    const { projects, projectFolder } = contract();
    const name = ownName();
    await writeFile(join(projectFolder, name), 'x');
    await projects.utimes(name, new Date('2020-05-06T07:08:09.000Z'), 1_600_000_000);
    const { atime, mtime } = await projects.stat(name);
    expect([atime, mtime]).toEqual([new Date('2020-05-06T07:08:09.000Z'), new Date(1_600_000_000_000)]);
    expect((await stat(join(projectFolder, name))).mtime).toEqual(mtime);
  });

  test('opendir streams entries, and selects them by a pattern', async () => {
    const { projects, projectFolder } = contract();
    const name = ownName();
    await mkdir(join(projectFolder, name));
    const names = Array.from({ length: 12 }, (_, index) => `Datei mit längerem Namen ${index}.docx`);
    const others = ['a.txt', 'B.TXT', 'c.text', 'a+b.txt'];
    await Promise.all([...names, ...others].map((each) => writeFile(join(projectFolder, name, each), '')));
    const found = async (pattern?: string) => {
      const entries: string[] = [];
      for await (const entry of projects.opendir(name, { pattern })) entries.push(entry.name);
      return entries.toSorted();
    };
    expect(await found()).toEqual([...names, ...others].toSorted());
    expect(await found('*.txt')).toEqual(['B.TXT', 'a+b.txt', 'a.txt']);
    expect(await found('?.t*')).toEqual(['B.TXT', 'a.txt', 'c.text']);
    expect(await found('*ÄNGEREM* 1?.docx')).toHaveLength(2);
    expect(await found('nothing*')).toEqual([]);
    await rejection(found('*/*'), 'INVALID_ARGUMENT');
    // An iteration that stops early closes the directory.
    for await (const entry of projects.opendir(name)) if (entry.name !== '') break;
    await projects.rm(name, { recursive: true });
    expect(await projects.exists(name)).toBe(false);
  });

  test('rm removes a file, or recursively a directory with everything below', async () => {
    const { projects, projectFolder } = contract();
    const name = ownName();
    await mkdir(join(projectFolder, name, 'a', 'b', 'empty'), { recursive: true });
    await Promise.all(
      Array.from({ length: 70 }, (_, index) =>
        writeFile(join(projectFolder, name, 'a', `file ${index}`), 'x'),
      ),
    );
    await writeFile(join(projectFolder, name, 'a', 'b', 'protected'), 'x');
    await projects.setInfo(`${name}/a/b/protected`, { attributes: FileAttribute.readOnly });
    await rejection(projects.rm(`${name}/a`), 'EISDIR');
    expect(await readdir(join(projectFolder, name, 'a'))).toHaveLength(71);
    await projects.rm(`${name}/a`, { recursive: true });
    expect(await readdir(join(projectFolder, name))).toEqual([]);
    await projects.rm(name, { recursive: true });
    await rejection(projects.rm(name, { recursive: true }), 'ENOENT');
    await projects.rm(name, { recursive: true, force: true });
    await projects.rm(`${name}/gone/too`, { force: true });
  });

  test('rename replaces a file, publish only when told to', async () => {
    const { projects, projectFolder } = contract();
    const name = ownName();
    await mkdir(join(projectFolder, name));
    await writeFile(join(projectFolder, name, 'a'), 'old');
    expect(await projects.publish(`${name}/a`, 'new', { replace: true })).toBe('created');
    expect(await readFile(join(projectFolder, name, 'a'), 'utf8')).toBe('new');
    expect(await projects.publish(`${name}/b`, 'other', { replace: true })).toBe('created');
    await projects.rename(`${name}/b`, `${name}/a`);
    expect(await readFile(join(projectFolder, name, 'a'), 'utf8')).toBe('other');
    expect(await readdir(join(projectFolder, name))).toEqual(['a']);
  });

  test('ino is one for each file, by any of its names', async () => {
    const { projects, projectFolder } = contract();
    const name = ownName();
    await mkdir(join(projectFolder, name, 'sub'), { recursive: true });
    const [folder, sub, again] = await Promise.all(
      [name, `${name}\\sub`, name.toUpperCase()].map((path) => projects.ino(path)),
    );
    expect(folder).toBe((await stat(join(projectFolder, name), { bigint: true })).ino);
    expect([again, sub === folder]).toEqual([folder, false]);
    await rejection(projects.ino(`${name}\\missing`), 'ENOENT');
  });

  test('statfs reports the space of the disk', async () => {
    const { projects, projectFolder } = contract();
    const { bsize, blocks, bfree, bavail } = await projects.statfs();
    const disk = await statfs(projectFolder);
    expect(blocks * bsize).toBe(disk.blocks * disk.bsize);
    // Other tests write meanwhile.
    expect(Math.abs(bavail * bsize - disk.bavail * disk.bsize)).toBeLessThan(1e9);
    expect(bfree).toBeGreaterThanOrEqual(bavail);
  });
}

/** The same, for what may lie on two servers. */
export function nodeCopyContract(contract: () => Contract): void {
  test('copyFile replaces unless told otherwise, and needs no size', async () => {
    const { projects, template, projectFolder, templateFolder, copiesOnServer } = contract();
    const name = ownName();
    await mkdir(join(projectFolder, name));
    await writeFile(join(projectFolder, name, 'a'), bytesOf(70_000));
    await writeFile(join(projectFolder, name, 'b'), 'edited by hand');
    const kept = await projects.copyFile(`${name}/a`, `${name}/B`, { replace: false });
    expect(kept.outcome).toBe('existed');
    expect(await readFile(join(projectFolder, name, 'b'), 'utf8')).toBe('edited by hand');
    expect((await projects.copyFile(`${name}/a`, `${name}/b`)).outcome).toBe('created');
    expect(await fileHas(join(projectFolder, name, 'b'), bytesOf(70_000))).toBe(true);
    await writeFile(join(templateFolder, name), 'from the other share');
    const copied = await projects.copyFile({ share: template, path: name }, `${name}/b`);
    expect(copied.method).toBe(copiesOnServer ? 'server-side' : 'read-write');
    expect(await readFile(join(projectFolder, name, 'b'), 'utf8')).toBe('from the other share');
    await mkdir(join(projectFolder, name, 'directory'));
    await expect(projects.copyFile(`${name}/a`, `${name}/directory`)).rejects.toThrow();
    expect((await readdir(join(projectFolder, name))).toSorted()).toEqual(['a', 'b', 'directory']);
  });

  test('cp copies a tree, into what exists, with times and without what is filtered', async () => {
    const { projects, template, projectFolder, templateFolder } = contract();
    const name = ownName();
    await mkdir(join(templateFolder, name, 'plans', 'old'), { recursive: true });
    await mkdir(join(templateFolder, name, 'empty'));
    for (const path of ['note.txt', 'plans/site.dwg', 'plans/old/site.bak'])
      await writeFile(join(templateFolder, name, path), `contents of ${path}`);
    const written = new Date('2022-02-02T02:02:02.000Z');
    await utimes(join(templateFolder, name, 'plans', 'site.dwg'), written, written);
    await utimes(join(templateFolder, name, 'plans'), written, written);
    await mkdir(join(projectFolder, name));
    await writeFile(join(projectFolder, name, 'note.txt'), 'mine');
    const source = { share: template, path: name };
    await rejection(projects.cp(source, name), 'EISDIR');
    const filter = (path: string) => !path.endsWith('.bak');
    await projects.cp(source, name, { recursive: true, replace: false, preserveTimestamps: true, filter });
    const tree = async () => (await readdir(join(projectFolder, name), { recursive: true })).toSorted();
    expect(await tree()).toEqual(['empty', 'note.txt', 'plans', 'plans/old', 'plans/site.dwg']);
    expect(await readFile(join(projectFolder, name, 'note.txt'), 'utf8')).toBe('mine');
    for (const path of ['plans', 'plans/site.dwg'])
      expect((await stat(join(projectFolder, name, path))).mtime, path).toEqual(written);
    await projects.cp(source, name, { recursive: true });
    expect(await tree()).toContain('plans/old/site.bak');
    expect(await readFile(join(projectFolder, name, 'note.txt'), 'utf8')).toBe('contents of note.txt');
    for (const inside of [name, `${name.toUpperCase()}/plans/new`, `${name}\\new`])
      await rejection(projects.cp(name, inside, { recursive: true }), 'INVALID_ARGUMENT');
    await projects.cp(name, `${name}-2`, { recursive: true });
    expect(await readdir(join(projectFolder, `${name}-2`))).toContain('note.txt');
    await projects.cp(`${name}/note.txt`, `${name}/copy.txt`);
    expect(await readFile(join(projectFolder, name, 'copy.txt'), 'utf8')).toBe('contents of note.txt');
  });

  test('what was copied, read or listed can be removed and renamed right away', async () => {
    const { projects, projectFolder } = contract();
    const name = ownName();
    await mkdir(join(projectFolder, name, 'deep'), { recursive: true });
    const files = Array.from({ length: 8 }, (_, index) => `deep/file ${index}`);
    for (const file of files) await writeFile(join(projectFolder, name, file), bytesOf(100_000));
    await projects.cp(name, `${name}-copy`, { recursive: true });
    await projects.rename(name, `${name}-old`);
    await projects.cp(`${name}-old`, `${name}-copy`, { recursive: true });
    await projects.rm(`${name}-old`, { recursive: true });
    expect(await projects.exists(`${name}-old`)).toBe(false);
    // The other calls keep the connection busy, where a close waits for company.
    const busy = Array.from({ length: 4 }, () => projects.list(`${name}-copy`));
    await projects.readFile(`${name}-copy/deep/file 0`);
    await projects.rm(`${name}-copy/deep/file 0`);
    expect(await projects.exists(`${name}-copy/deep/file 0`)).toBe(false);
    await Promise.all(busy);
    for await (const entry of projects.opendir(`${name}-copy`)) if (entry.name !== '') break;
    await projects.rm(`${name}-copy`, { recursive: true });
    expect(await projects.exists(`${name}-copy`)).toBe(false);
  });

  test('a handle on a folder has the same calls, with paths below it', async () => {
    const { projects, template, projectFolder, templateFolder } = contract();
    const name = ownName();
    await mkdir(join(templateFolder, name, 'plans'), { recursive: true });
    await writeFile(join(templateFolder, name, 'plans/site.dwg'), 'site');
    const folder = projects.folder(`${name}/deep`);
    expect(folder.unc).toBe(`${projects.unc}\\${name}\\deep`);
    await rejection(folder.stat(), 'ENOENT');
    await projects.mkdir(name);
    await folder.mkdir('');
    await folder.publish('a', 'one');
    await folder.rename('a', 'b');
    await rejection(folder.folder('..').list(), 'NAME_INVALID');
    const plans = folder.folder('plans');
    await plans.cp({ share: template.folder(name), path: 'plans' }, '', { recursive: true });
    await folder.copyFile({ share: plans, path: 'site.dwg' }, 'c');
    await rejection(
      folder.cp({ share: projects, path: name }, 'inside', { recursive: true }),
      'INVALID_ARGUMENT',
    );
    const names = (await readdir(join(projectFolder, name), { recursive: true })).toSorted();
    expect(names).toEqual(['deep', 'deep/b', 'deep/c', 'deep/plans', 'deep/plans/site.dwg']);
    expect((await folder.list()).map((entry) => entry.name).toSorted()).toEqual(['b', 'c', 'plans']);
    expect((await rejection(folder.stat('x'), 'ENOENT')).path).toContain(`${name}\\deep\\x`);
  });
}

async function* pieces(...texts: string[]) {
  yield* texts;
}

import { mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FileAttribute } from '../../index.ts';
import { type Contract, bytesOf, fileHas, ownName, rejection, severalPieces } from './context.ts';

async function* inPieces(data: Buffer, pieceSize: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < data.length; at += pieceSize) yield data.subarray(at, at + pieceSize);
}

export function publishingContract(contract: () => Contract): void {
  test('publishes files of every size, complete and without leftovers', async () => {
    const { projects, projectFolder } = contract();
    const name = ownName();
    await mkdir(join(projectFolder, name));
    // Around a credit and what one frame publishes; the last is more than the client has in flight.
    const sizes = [0, 1, 65_536, 65_537, 262_144, 262_145, 4_500_003];
    for (const size of sizes) {
      const contents = bytesOf(size);
      expect(await projects.publish(`${name}\\${size}`, contents)).toBe('created');
      expect(await fileHas(join(projectFolder, name, String(size)), contents)).toBe(true);
    }
    const streamed = bytesOf(severalPieces);
    expect(await projects.publish(`${name}\\streamed`, inPieces(streamed, 77_777))).toBe('created');
    expect(await fileHas(join(projectFolder, name, 'streamed'), streamed)).toBe(true);
    expect(await readdir(join(projectFolder, name))).toHaveLength(sizes.length + 1);
  });

  test('never replaces an existing entry of any kind or case, and leaves nothing behind', async () => {
    const { projects, projectFolder } = contract();
    const name = ownName();
    await mkdir(join(projectFolder, name, 'Folder'), { recursive: true });
    await writeFile(join(projectFolder, name, 'Plan.txt'), 'edited by hand');
    for (const taken of ['Plan.txt', 'plan.TXT', 'folder']) {
      expect(await projects.publish(`${name}\\${taken}`, bytesOf(10))).toBe('existed');
      expect(await projects.publish(`${name}\\${taken}`, bytesOf(severalPieces))).toBe('existed');
    }
    expect(await readFile(join(projectFolder, name, 'Plan.txt'), 'utf8')).toBe('edited by hand');
    expect((await readdir(join(projectFolder, name))).toSorted()).toEqual(['Folder', 'Plan.txt']);
  });

  test('gives a published file its times and attributes', async () => {
    const { projects, projectFolder } = contract();
    const name = ownName();
    const writtenAt = new Date('2019-08-07T06:05:04.000Z');
    for (const [suffix, size] of [
      ['small', 100],
      ['large', severalPieces],
    ] as const) {
      await projects.publish(`${name}-${suffix}`, bytesOf(size), {
        info: { writtenAt, attributes: FileAttribute.readOnly },
      });
      expect((await stat(join(projectFolder, `${name}-${suffix}`))).mtime.toISOString()).toBe(
        '2019-08-07T06:05:04.000Z',
      );
      const { attributes } = await projects.stat(`${name}-${suffix}`);
      expect(attributes & FileAttribute.readOnly).toBe(FileAttribute.readOnly);
    }
  });

  test('reports a missing parent of a publication', async () => {
    const { projects } = contract();
    await rejection(projects.publish(`${ownName()}\\file`, bytesOf(10)), 'ENOENT');
    await rejection(projects.publish(`${ownName()}\\file`, bytesOf(severalPieces)), 'ENOENT');
  });

  test('a publication whose source fails leaves nothing behind', async () => {
    const { projects, projectFolder } = contract();
    const name = ownName();
    await mkdir(join(projectFolder, name));
    async function* failing(): AsyncGenerator<Buffer> {
      yield bytesOf(severalPieces);
      throw new Error('the source broke');
    }
    await expect(projects.publish(`${name}\\file`, failing())).rejects.toThrow('the source broke');
    expect(await readdir(join(projectFolder, name))).toEqual([]);
  });
}

/** Copies between two shares, by the server or by reading and writing. */
export function copyContract(contract: () => Contract): void {
  test('copies files of every size from another share', async () => {
    const { projects, template, projectFolder, templateFolder, copiesOnServer, client } = contract();
    const name = ownName();
    await mkdir(join(projectFolder, name));
    await mkdir(join(templateFolder, name));
    // The last is more than a server is told to copy at the same time.
    const sizes = [0, 1, 4_096, 1_048_576, 1_048_577, 17_000_003];
    for (const size of sizes) {
      await writeFile(join(templateFolder, name, String(size)), bytesOf(size));
    }
    const bytesBefore = client.traffic.bytesSent + client.traffic.bytesReceived;
    for (const size of sizes) {
      const path = `${name}\\${size}`;
      const result = await projects.copyFile({ share: template, path, size }, path, { replace: false });
      expect(result.outcome).toBe('created');
      if (size > 0) expect(result.method).toBe(copiesOnServer ? 'server-side' : 'read-write');
      expect(await fileHas(join(projectFolder, name, String(size)), bytesOf(size))).toBe(true);
    }
    const transferred = client.traffic.bytesSent + client.traffic.bytesReceived - bytesBefore;
    if (copiesOnServer) expect(transferred).toBeLessThan(40_000);
    else expect(transferred).toBeGreaterThan(17_000_003);
    expect(await readdir(join(projectFolder, name))).toHaveLength(sizes.length);
  });

  test('a copy never replaces an entry, and its error names the side that failed', async () => {
    const { projects, template, projectFolder, templateFolder } = contract();
    const name = ownName();
    await mkdir(join(projectFolder, name));
    await mkdir(join(templateFolder, name));
    await writeFile(join(templateFolder, name, 'plan'), 'from the template');
    await writeFile(join(projectFolder, name, 'PLAN'), 'edited by hand');
    const source = { share: template, path: `${name}\\plan`, size: 17 };
    expect((await projects.copyFile(source, `${name}\\plan`, { replace: false })).outcome).toBe('existed');
    expect(await readFile(join(projectFolder, name, 'PLAN'), 'utf8')).toBe('edited by hand');
    const missing = { ...source, path: `${name}\\missing` };
    const noSource = await rejection(
      projects.copyFile(missing, `${name}\\new`, { replace: false }),
      'ENOENT',
    );
    expect(noSource.path).toContain('missing');
    const noParent = await rejection(
      projects.copyFile(source, `${name}\\gone\\new`, { replace: false }),
      'ENOENT',
    );
    expect(noParent.path).toContain('gone\\new');
    expect(await readdir(join(projectFolder, name))).toEqual(['PLAN']);
  });

  test('copies the current contents of a source that changed since the listing', async () => {
    const { projects, template, projectFolder, templateFolder } = contract();
    const name = ownName();
    for (const [suffix, listed, actual] of [
      ['grown', 100, 200_000],
      ['shrunk', 200_000, 100],
      ['emptied', 10, 0],
      ['filled', 0, 10],
    ] as const) {
      const path = `${name}-${suffix}`;
      await writeFile(join(templateFolder, path), bytesOf(actual));
      await projects.copyFile({ share: template, path, size: listed }, path, { replace: false });
      expect(await fileHas(join(projectFolder, path), bytesOf(actual)), suffix).toBe(true);
    }
  });

  test('a copy gets the requested times and attributes', async () => {
    const { projects, template, projectFolder, templateFolder } = contract();
    const name = ownName();
    await writeFile(join(templateFolder, name), bytesOf(5_000));
    const writtenAt = new Date('2018-01-02T03:04:05.000Z');
    await projects.copyFile({ share: template, path: name, size: 5_000 }, name, {
      replace: false,
      info: { writtenAt, attributes: FileAttribute.readOnly },
    });
    expect((await stat(join(projectFolder, name))).mtime.toISOString()).toBe('2018-01-02T03:04:05.000Z');
    expect((await projects.stat(name)).attributes & FileAttribute.readOnly).toBe(FileAttribute.readOnly);
  });
}

/** `count`: a multiple of the ten kinds. */
export function concurrentContract(contract: () => Contract, count: number): void {
  test(`${count} concurrent operations of all kinds`, async () => {
    const { projects, template, projectFolder, templateFolder } = contract();
    const name = ownName();
    await mkdir(join(projectFolder, name));
    await mkdir(join(templateFolder, name));
    await writeFile(join(templateFolder, name, 'source'), bytesOf(300_000));
    await projects.publish(`${name}\\shared`, bytesOf(200_000));
    const kinds: ((index: number) => Promise<unknown>)[] = [
      (index) => projects.publish(`${name}\\small-${index}`, bytesOf(4_000)),
      (index) => projects.publish(`${name}\\large-${index}`, bytesOf(severalPieces)),
      (index) =>
        projects.copyFile(
          {
            share: template,
            path: `${name}\\source`,
            size: 300_000,
          },
          `${name}\\copy-${index}`,
          { replace: false },
        ),
      (index) => projects.mkdir(`${name}\\deep\\${index}\\inner`, { recursive: true }),
      async () => expect((await projects.readFile(`${name}\\shared`)).equals(bytesOf(200_000))).toBe(true),
      () => projects.list(name),
      () => template.stat(`${name}\\source`),
      () => rejection(projects.stat(`${name}\\missing`), 'ENOENT'),
      () => rejection(projects.list(`${name}\\missing\\more`), 'ENOENT'),
      (index) => projects.ensureDirectory(`${name}\\same-${index % 2}`),
    ];
    await Promise.all(Array.from({ length: count }, (_, index) => kinds[index % kinds.length]!(index)));
    const names = await readdir(join(projectFolder, name));
    expect(names.filter((each) => each.startsWith('small-'))).toHaveLength(count / kinds.length);
    for (const copied of names.filter((each) => each.startsWith('copy-'))) {
      expect(await fileHas(join(projectFolder, name, copied), bytesOf(300_000))).toBe(true);
    }
    expect(names.filter((each) => each.endsWith('.tmp'))).toEqual([]);
  });
}

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SmbClient } from '../index.ts';
import type { TestFileServer } from './support/file-server.ts';
import { startFileServer } from './support/start-file-server.ts';
import { requires } from './support/requires.ts';
import { bytesOf, ownName, rejection } from './contract/index.ts';
import { clientOptions } from './samba-client.ts';

let fileServer: TestFileServer;
let client: SmbClient;

beforeAll(async () => {
  fileServer = await startFileServer({ moreShares: { full: 'plain' } });
  client = new SmbClient(clientOptions(fileServer));
});
afterAll(async () => {
  await client?.close();
  await fileServer?.stop();
});

requires('mount').describe('a full disk', () => {
  let mounted = '';

  beforeAll(async () => {
    mounted = join(fileServer.projectFolder, '../full');
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', mounted], { stdio: 'pipe' });
  });
  afterAll(() => {
    execFileSync('umount', ['--lazy', mounted]);
  });

  test('is reported and leaves no partial file, and a file that fits can still be written', async () => {
    const share = client.share('full');
    await writeFile(join(fileServer.templateFolder, 'large'), bytesOf(8_000_000));
    const source = { share: client.share(fileServer.templateShare), path: 'large', size: 8_000_000 };
    for (const call of [
      () => share.publish('written', bytesOf(8_000_000)),
      () => share.copyFile(source, 'copied', { replace: false }),
    ]) {
      const error = await rejection(call(), 'ENOSPC');
      expect(error.retryable).toBe(false);
      expect(error.statusName).toBe('DISK_FULL');
      expect(await readdir(mounted)).toEqual([]);
    }
    expect(await share.publish('fits', bytesOf(1_000_000))).toBe('created');
  });
});

test('a listing of several large responses is complete, in few round trips', async () => {
  const name = ownName();
  await mkdir(join(fileServer.projectFolder, name));
  // Long names: 544 bytes in each entry, 816 KB in all.
  const names = Array.from({ length: 1_500 }, (_, index) => `${'Zeichnung '.repeat(23)}${1_000 + index}.dwg`);
  for (const each of names) writeFileSync(join(fileServer.projectFolder, name, each), '');
  // Another client than that of the copies, whose source tree is disconnected 100 ms after the last of them.
  await using lister = new SmbClient(clientOptions(fileServer));
  const projects = lister.share(fileServer.projectShare);
  await projects.connect();
  const before = lister.traffic.framesSent;
  const listed = await projects.list(name);
  expect(listed.map((entry) => entry.name).toSorted()).toEqual(names.toSorted());
  // One that shows that there is more, opening, two responses of 512 KiB, the end, closing.
  expect(lister.traffic.framesSent - before).toBe(6);
});

test('a path of 60 levels is created and used', async () => {
  const projects = client.share(fileServer.projectShare);
  const path = [ownName(), ...Array.from({ length: 59 }, (_, index) => `Ebene ${index} mit Namen`)].join(
    '\\',
  );
  expect(await projects.mkdir(path, { recursive: true })).toBe(path.split('\\')[0]);
  expect(await projects.publish(`${path}\\unten.txt`, bytesOf(10))).toBe('created');
  expect((await projects.readFile(`${path}\\unten.txt`)).equals(bytesOf(10))).toBe(true);
});

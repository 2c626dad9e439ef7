import { execFileSync } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SmbClient } from '../index.ts';
import type { Samba } from './samba/samba.ts';
import { startSamba } from './support/samba.ts';
import { bytesOf, ownName, rejection } from './contract/index.ts';
import { clientOptions } from './samba-client.ts';

let samba: Samba;
let client: SmbClient;

beforeAll(async () => {
  samba = await startSamba({ moreShares: { full: [] } });
  client = new SmbClient(clientOptions(samba));
});
afterAll(async () => {
  await client?.close();
  await samba?.stop();
});

describe('a full disk', () => {
  let mounted = '';
  let reason = '';

  beforeAll(async () => {
    const folder = join(samba.projectFolder, '../full');
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder], { stdio: 'pipe' });
      mounted = folder;
    } catch (error) {
      reason = `no tmpfs can be mounted here: ${String(error).split('\n')[1] ?? ''}`;
    }
  });
  afterAll(() => {
    if (mounted !== '') execFileSync('umount', ['--lazy', mounted]);
  });

  test('is reported and leaves no partial file, and a file that fits can still be written', async ({
    skip,
  }) => {
    if (mounted === '') skip(reason);
    const share = client.share('full');
    await writeFile(join(samba.templateFolder, 'large'), bytesOf(8_000_000));
    const source = { share: client.share(samba.templateShare), path: 'large', size: 8_000_000 };
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

test('10,000 entries are listed completely, in few round trips', async () => {
  const name = ownName();
  await mkdir(join(samba.projectFolder, name));
  const names = Array.from({ length: 10_000 }, (_, index) => `Zeichnung ${index} Geschoß ${index % 7}.dwg`);
  for (let at = 0; at < names.length; at += 500) {
    const batch = names.slice(at, at + 500);
    await Promise.all(batch.map((each) => writeFile(join(samba.projectFolder, name, each), '')));
  }
  const projects = client.share(samba.projectShare);
  await projects.connect();
  const before = client.traffic.framesSent;
  const listed = await projects.list(name);
  expect(listed.map((entry) => entry.name).toSorted()).toEqual(names.toSorted());
  // 10,000 entries of about 170 bytes need 27 responses of 64 KiB.
  expect(client.traffic.framesSent - before).toBeLessThan(35);
});

test('a path of 60 levels is created and used', async () => {
  const projects = client.share(samba.projectShare);
  const path = [ownName(), ...Array.from({ length: 59 }, (_, index) => `Ebene ${index} mit Namen`)].join(
    '\\',
  );
  expect(await projects.mkdir(path, { recursive: true })).toBe(path.split('\\')[0]);
  expect(await projects.publish(`${path}\\unten.txt`, bytesOf(10))).toBe('created');
  expect((await projects.readFile(`${path}\\unten.txt`)).equals(bytesOf(10))).toBe(true);
});

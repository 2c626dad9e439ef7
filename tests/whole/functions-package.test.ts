import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { functionsZip, packagedApp } from '../support/built-console.ts';
import { requires } from '../../agent/smb/tests/support/requires.ts';

const filesOf = async (folder: string): Promise<string[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
};

test('the package for Azure contains the files that the host reads and no sources', async () => {
  const app = await packagedApp();
  const names = (await filesOf(app)).map((path) => path.slice(app.length + 1));
  const isBundle = (name: string) => /^dist\/(functions|lazy-\w+)\.js(\.map)?$/.test(name);
  const isAsset = (name: string) => /^dist\/console\/assets\/[\w-]+\.(js|css)(\.br|\.gz)?$/.test(name);
  expect(names.filter((name) => !isBundle(name) && !isAsset(name)).toSorted()).toEqual([
    'THIRD-PARTY-NOTICES.txt',
    'dist/console/assets.json',
    'dist/console/icon.svg',
    'dist/console/page.html',
    'host.json',
    'package.json',
  ]);
  expect(names).toContain('dist/functions.js');
  // Modules that routes load on demand.
  expect(names.filter((name) => /lazy-\w+\.js$/.test(name)).length).toBeGreaterThan(3);
  for (const name of names.filter((name) => name.endsWith('.map'))) {
    const map = JSON.parse(await readFile(join(app, name), 'utf8')) as object;
    expect(map).toHaveProperty('sources');
    expect(map).not.toHaveProperty('sourcesContent');
  }
});

requires('python3', 'sha256sum').test('another zip implementation reads the same bytes from it', async () => {
  const script = `import sys, zipfile, hashlib
zip = zipfile.ZipFile(sys.argv[1])
assert zip.testzip() is None
for name in zip.namelist():
    print(hashlib.file_digest(zip.open(name), "sha256").hexdigest(), "", name)`;
  const { stdout } = await promisify(execFile)('python3', ['-c', script, await functionsZip()]);
  const sums = await promisify(execFile)('sha256sum', stdout.match(/(?<= {2}).+/g) ?? [], {
    cwd: await packagedApp(),
  });
  expect(sums.stdout).toBe(stdout);
  expect(stdout.trimEnd().split('\n')).toHaveLength((await filesOf(await packagedApp())).length);
});

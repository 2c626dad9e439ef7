import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import PizZip from 'pizzip';
import { expect, onTestFinished, test } from 'vitest';
import { startAzurite } from '../../local/stand-ins/azurite.ts';
import { FunctionsHost } from '../../local/stand-ins/functions-host/functions-host.ts';
import { packageFunctions } from '../../local/release/package-functions.ts';

test('the package for Azure holds what the host reads and no source, and the host runs it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'package-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const zip = new PizZip(await readFile(await packageFunctions(join(folder, 'functions.zip'))));
  const files = Object.values(zip.files).filter(({ dir }) => !dir);
  const names = files.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['dist/functions.js', 'host.json', 'package.json']));
  const others = names.filter((name) => !/^dist\/(functions|lazy-\w+)\.js(\.map)?$/.test(name));
  expect(others.toSorted()).toEqual(['host.json', 'package.json']);
  for (const file of files) {
    const path = join(folder, 'app', file.name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, file.asNodeBuffer());
  }
  for (const file of files.filter(({ name }) => name.endsWith('.map'))) {
    const map = JSON.parse(file.asText()) as object;
    expect(map).toHaveProperty('sources');
    expect(map).not.toHaveProperty('sourcesContent');
  }

  // What routes load when they need it is complete too, with no packages beside it.
  const lazy = names.filter((name) => /lazy-\w+\.js$/.test(name));
  expect(lazy.length).toBeGreaterThan(3);
  for (const name of lazy) await import(pathToFileURL(join(folder, 'app', name)).href);

  const azurite = await startAzurite();
  onTestFinished(() => azurite.stop());
  const host = await FunctionsHost.start({
    appDirectory: join(folder, 'app'),
    env: { STORAGE_CONNECTION_STRING: azurite.connectionString },
  });
  onTestFinished(() => host.stop());
  expect((await fetch(`${host.origin}/api/v1/health`)).status).toBe(200);
});

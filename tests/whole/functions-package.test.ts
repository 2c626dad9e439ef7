import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import PizZip from 'pizzip';
import { expect, onTestFinished, test } from 'vitest';
import { startAzurite } from '../../local/azurite.ts';
import { FunctionsHost } from '../../local/functions-host.ts';
import { packageFunctions } from '../../local/package-functions.ts';
import { appDirectory } from '../support/bundles.ts';

test('the package for Azure holds what the host reads and no source, and the host runs it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'package-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const zip = new PizZip(
    await readFile(await packageFunctions(join(appDirectory(), 'dist'), join(folder, 'functions.zip'))),
  );
  const files = Object.values(zip.files).filter(({ dir }) => !dir);
  expect(files.map(({ name }) => name).toSorted()).toEqual([
    'dist/functions.js',
    'dist/functions.js.map',
    'host.json',
    'package.json',
  ]);
  for (const file of files) {
    const path = join(folder, 'app', file.name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, file.asNodeBuffer());
  }
  const map = JSON.parse(await readFile(join(folder, 'app/dist/functions.js.map'), 'utf8')) as object;
  expect(map).toHaveProperty('sources');
  expect(map).not.toHaveProperty('sourcesContent');

  const azurite = await startAzurite();
  onTestFinished(() => azurite.stop());
  const host = await FunctionsHost.start({
    appDirectory: join(folder, 'app'),
    env: { STORAGE_CONNECTION_STRING: azurite.connectionString },
  });
  onTestFinished(() => host.stop());
  expect((await fetch(`${host.origin}/api/v1/health`)).status).toBe(200);
});

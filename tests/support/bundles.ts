import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { build } from '../../local/release/build.ts';
import { buildConsole } from '../../local/release/build-console.ts';
import { packageFunctions, unpackFunctions } from '../../local/release/package-functions.ts';
import { repositoryRoot } from '../../local/repository-root.ts';
import { shareApp } from './shared-app.ts';

/** vitest globalSetup: builds everything that ships, once for all test files. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'bundles-'));
  const zip = join(directory, 'functions.zip');
  const console = buildConsole();
  const [{ functions, agent }] = await Promise.all([
    build(join(directory, 'one-file/dist'), console),
    packageFunctions(zip, console),
  ]);
  await copyFile(join(repositoryRoot, 'host.json'), join(directory, 'one-file/host.json'));
  await writeFile(
    join(directory, 'one-file/package.json'),
    '{ "type": "module", "main": "dist/functions.js" }',
  );
  for (const [name, { metafile }] of Object.entries({ functions, agent })) {
    await writeFile(join(directory, `${name}.meta.json`), JSON.stringify(metafile));
  }
  await unpackFunctions(zip, join(directory, 'unpacked'));
  await shareApp(join(directory, 'unpacked'));
  provide('built', {
    'functions/index.ts': directory,
    'console/main.tsx': directory,
    'agent/main.ts': join(directory, 'one-file/dist'),
  });
  return () => rm(directory, { recursive: true, force: true });
}

import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';
import { build } from '../../local/release/build.ts';
import { buildConsole } from '../../local/release/build-console.ts';
import type { Metafile } from '../../local/release/esbuild.ts';
import { packageFunctions, unpackFunctions } from '../../local/release/package-functions.ts';
import { repositoryRoot } from '../../local/repository-root.ts';
import { shareApp } from './shared-app.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    builtDirectory: string;
  }
}

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
  provide('builtDirectory', directory);
  return () => rm(directory, { recursive: true, force: true });
}

const built = (name: string): string => join(inject('builtDirectory'), name);

/** The package for Azure. */
export const functionsZip = (): string => built('functions.zip');
/** Its unpacked contents. */
export const appDirectory = (): string => built('unpacked');
/** The app as `npm run build` makes it: the service in one file, for the Core Tools. */
export const oneFileDirectory = (): string => built('one-file');
export const agentProgram = (): string => built('one-file/dist/agent.cjs');
/** esbuild's description of the service in one file and its console, or of the agent. */
export const metafileOf = async (name: 'functions' | 'agent'): Promise<Metafile> =>
  JSON.parse(await readFile(built(`${name}.meta.json`), 'utf8')) as Metafile;

import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';
import { build } from '../../local/release/build.ts';
import { repositoryRoot } from '../../local/repository-root.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    appDirectory: string;
  }
}

/** vitest globalSetup: a folder as it is deployed, with the two bundles, host.json, package.json and nothing else. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'bundles-'));
  await build(join(directory, 'dist'));
  await copyFile(join(repositoryRoot, 'host.json'), join(directory, 'host.json'));
  await writeFile(join(directory, 'package.json'), '{ "type": "module", "main": "dist/functions.js" }');
  provide('appDirectory', directory);
  return () => rm(directory, { recursive: true, force: true });
}

/** The folder as it is deployed. */
export const appDirectory = (): string => inject('appDirectory');
export const agentProgram = (): string => join(appDirectory(), 'dist/agent.js');

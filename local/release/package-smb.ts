// `npm run package:smb` writes dist/folder-agent-smb-<version>.tgz, the SMB client as a separate npm package: ES modules with
// type declarations, without dependencies.
import { execFile } from 'node:child_process';
import { copyFile, cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '../repository-root.ts';
import { npmPack } from './npm-pack.ts';

const run = promisify(execFile);

/**
 * Copies agent/smb, compiles the copy by its own tsconfig.json, and packages it with `npm pack`: what builds here also builds
 * in a repository that has only this folder.
 *
 * Emits one JavaScript file per source file instead of a bundle, so stack traces name the source, and a program that
 * imports only `…/kerberos` does not load SMB.
 *
 * @returns the path of the tarball
 */
export async function packageSmb(directory: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'package-smb-'));
  try {
    await cp(join(repositoryRoot, 'agent/smb'), folder, { recursive: true });
    await copyFile(join(repositoryRoot, 'LICENSE'), join(folder, 'LICENSE'));
    await writeFile(
      join(folder, 'THIRD-PARTY-NOTICES.txt'),
      'This package contains no third-party code and has no dependencies.\n',
    );
    await compile(folder);
    return await npmPack(folder, directory);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function compile(folder: string): Promise<void> {
  const modules = join(repositoryRoot, 'node_modules');
  const tsc = join(modules, 'typescript/bin/tsc');
  try {
    await run(process.execPath, [tsc, '--project', folder, '--typeRoots', join(modules, '@types')]);
  } catch (error) {
    throw new Error(`tsc: ${(error as { stdout: string }).stdout}`, { cause: error });
  }
}

if (import.meta.main) console.log(await packageSmb(join(repositoryRoot, 'dist')));

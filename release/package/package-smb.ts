// `npm run package:smb` writes dist/folder-agent-smb-<version>.tgz: the workspace agent/smb, as `npm pack` in it does, but
// with the same bytes whatever the umask is.
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '../repository-root.ts';
import { npmPack } from './npm-pack.ts';

/** @returns the path of the tarball */
export async function packageSmb(directory: string): Promise<string> {
  const source = join(repositoryRoot, 'agent/smb');
  const folder = await mkdtemp(join(tmpdir(), 'package-smb-'));
  try {
    await promisify(execFile)(process.execPath, [
      join(repositoryRoot, 'node_modules/typescript/bin/tsc'),
      '-p',
      source,
    ]);
    await cp(source, folder, { recursive: true, filter: (path) => path !== join(source, 'tests') });
    return await npmPack(folder, directory);
  } finally {
    await rm(folder, { recursive: true });
  }
}

if (import.meta.main) console.log(await packageSmb(join(repositoryRoot, 'dist')));

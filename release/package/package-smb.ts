// `npm run package:smb` writes dist/folder-agent-smb-<version>.tgz: the workspace agent/smb, as `npm pack` in it does, but
// with the same bytes whatever the umask is.
import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '../repository-root.ts';
import { inTemporaryFolder } from '../temporary-folder.ts';
import { npmPack } from './npm-pack.ts';

/** @returns the path of the tarball */
export function packageSmb(directory: string): Promise<string> {
  const source = join(repositoryRoot, 'agent/smb');
  return inTemporaryFolder('package-smb', async (folder) => {
    await promisify(execFile)(process.execPath, [
      join(repositoryRoot, 'node_modules/typescript/bin/tsc'),
      '-p',
      source,
    ]);
    await cp(source, folder, { recursive: true, filter: (path) => path !== join(source, 'tests') });
    return npmPack(folder, directory);
  });
}

if (import.meta.main) console.log(await packageSmb(join(repositoryRoot, 'dist')));

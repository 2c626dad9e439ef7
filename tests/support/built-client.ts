import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { packageClient } from '../../release/package/package-client.ts';
import { builtOnce } from './built-once.ts';

/** The client for pages as an npm package. */
export async function clientPackage(): Promise<string> {
  const directory = await builtOnce('console/client/index.ts', async (folder) => {
    await packageClient(folder);
  });
  const [name = ''] = await readdir(directory);
  return join(directory, name);
}

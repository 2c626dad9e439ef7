import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Node for another platform, or of another version, from its npm package, which npm installs on its own platform only.
 *
 * @param integrity that of the lockfile, or `npm view <name>@<version> dist.integrity`
 * @param directory receives the package's files below `package/`
 * @throws Error if the registry has another package under this name
 */
export async function unpackNode(
  { name, version, integrity }: { name: string; version: string; integrity: string },
  directory: string,
): Promise<void> {
  await mkdir(directory, { recursive: true });
  await run('npm', ['pack', `${name}@${version}`, '--pack-destination', directory]);
  const archive = join(directory, `${name}-${version}.tgz`);
  const found = `sha512-${createHash('sha512')
    .update(await readFile(archive))
    .digest('base64')}`;
  if (found !== integrity) {
    throw new Error(`${name}@${version} has the integrity ${found}, expected ${integrity}`);
  }
  await run('tar', ['-xzf', archive, '-C', directory, 'package/bin']);
  await rm(archive);
}

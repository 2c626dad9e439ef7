import { execFile } from 'node:child_process';
import { chmod, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { filesBelow } from '../repository-files.ts';

/** Writes the tarball of a package. @returns its path */
export async function npmPack(folder: string, directory: string): Promise<string> {
  // npm sets owners and times, but keeps the modes, which depend on the umask.
  for (const name of await filesBelow(folder)) {
    const file = join(folder, name);
    const { mode } = await stat(file);
    await chmod(file, mode & 0o100 ? 0o755 : 0o644);
  }
  await mkdir(directory, { recursive: true });
  const options = ['--json', '--ignore-scripts', '--pack-destination', directory];
  const { stdout } = await promisify(execFile)('npm', ['pack', ...options], { cwd: folder });
  // npm 11 prints an array, npm 12 an object keyed by package name.
  const [packed] = Object.values(JSON.parse(stdout) as Record<string, { filename: string }>);
  return join(directory, packed!.filename);
}

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { repositoryRoot } from '../../release/repository-root.ts';

/** Copies the working tree of this checkout, committed or not, into a folder. */
export async function copyRepository(folder: string): Promise<void> {
  const files = 'git ls-files -z --cached --others --exclude-standard';
  const copy = `${files} | tar -c --null --ignore-failed-read --files-from=- | tar -x -C "$1"`;
  await promisify(execFile)('bash', ['-c', copy, 'copy', folder], { cwd: repositoryRoot });
}

import { globSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { repositoryRoot } from './repository-root.ts';

// The only place that asks the file system for names of several folders: Windows separates them with a backslash, and such
// a path compares unequal to one that is written in the code. The linter rejects globSync, relative, and sep elsewhere.

/** The path with `/`, as it is written in code, documentation, and archives. */
export const withSlashes = (path: string): string => path.replaceAll('\\', '/');

/** Folders of a work tree that are not of the repository. */
const foreign = ['**/node_modules', '**/dist', '.git', '.local'];

/** Sorted paths of the files that match one of the patterns, relative to `folder` of the repository, with `/`. */
export function repositoryFiles(pattern: string | string[], folder = ''): string[] {
  return globSync(pattern, { cwd: join(repositoryRoot, folder), exclude: foreign })
    .map(withSlashes)
    .toSorted();
}

/** Sorted paths of all files below a directory, relative to it, with `/`. */
export async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => withSlashes(relative(directory, join(entry.parentPath, entry.name))))
    .toSorted();
}

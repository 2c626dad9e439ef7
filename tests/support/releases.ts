import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../../release/repository-root.ts';

const changelog = readFileSync(join(repositoryRoot, 'docs/CHANGELOG.md'), 'utf8');

/** Versions of all releases, the newest first. */
export const releases = [...changelog.matchAll(/^## \[(\d+\.\d+\.\d+)\]/gm)].map(
  ([, version = '']) => version,
);

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { repositoryRoot } from '../repository-root.ts';

/**
 * The date of this version in the changelog, or of no version. Files in packages have it, so that two builds of a tag are
 * byte-equal, and the package is the same before and after the commit of the release.
 */
export const releaseDate = (): string => {
  const changelog = readFileSync(join(repositoryRoot, 'docs/CHANGELOG.md'), 'utf8');
  const heading = changelog.split('\n').find((line) => line.startsWith(`## [${packageJson.version}] - `));
  return heading?.split(' - ')[1] ?? '1985-10-26';
};

// The `version` script, which `npm version` calls. Moves the unreleased entries of docs/CHANGELOG.md
// under the new version. With a tag and the address of the repository, it prints the notes of that release.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repositoryRoot } from '../repository-root.ts';

const unreleased = '## [Unreleased]\n';

/**
 * @param date in the form `2026-11-22`
 * @throws Error for a changelog without an "Unreleased" section, with an empty one, or that already has this version
 */
export function cutRelease(changelog: string, version: string, date: string): string {
  const start = changelog.indexOf(unreleased);
  if (start === -1) throw new Error('The changelog has no section "## [Unreleased]".');
  if (changelog.includes(`\n## [${version}]`)) {
    throw new Error(`The changelog already has a section "## [${version}]".`);
  }
  const head = changelog.slice(0, start);
  const [changes = '', ...older] = changelog.slice(start + unreleased.length).split(/^(?=## \[)/m);
  if (!/^- /m.test(changes)) throw new Error('The changelog has nothing under "Unreleased".');
  return `${head}${unreleased}\n## [${version}] - ${date}\n\n${changes.trim()}\n${older.length > 0 ? `\n${older.join('')}` : ''}`;
}

/**
 * What a release publishes beside its files: the section of its version, whose links lead to the pages of its tag.
 *
 * @param repository as in `https://github.com/owner/name`
 * @throws Error for a tag that has no section
 */
export function releaseNotes(changelog: string, tag: string, repository: string): string {
  const start = changelog.indexOf(`\n## [${tag.replace(/^v/, '')}] `);
  if (start === -1) throw new Error(`The changelog has no section for ${tag}.`);
  const [, notes = ''] = changelog.slice(start).split(/^## .*$/m);
  const page = (path: string): string => new URL(path, `${repository}/blob/${tag}/docs/`).href;
  return `${notes
    .trim()
    .replaceAll(/(?<=\]\()(?!https?:)[^)]+(?=\))/g, (path) =>
      page(path.startsWith('#') ? `CHANGELOG.md${path}` : path),
    )}\n`;
}

const [tag, repository] = process.argv.slice(2);
if (import.meta.main && tag !== undefined && repository !== undefined) {
  const changelog = await readFile(join(repositoryRoot, 'docs/CHANGELOG.md'), 'utf8');
  process.stdout.write(releaseNotes(changelog, tag, repository));
} else if (import.meta.main) {
  const version = process.env.npm_package_version;
  if (version === undefined) throw new Error('Run it as `npm version minor`.');
  const path = join(repositoryRoot, 'docs/CHANGELOG.md');
  const today = new Date().toISOString().slice(0, 10);
  await writeFile(path, cutRelease(await readFile(path, 'utf8'), version, today));
}

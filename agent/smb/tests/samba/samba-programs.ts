import { access } from 'node:fs/promises';
import { constants } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';

/**
 * The folders of PATH, each `bin` followed by the `sbin` beside it: Debian keeps smbd in /usr/sbin, which is not on
 * the PATH of ordinary users.
 */
const folders = (): string[] =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter(Boolean)
    .flatMap((folder) => (basename(folder) === 'bin' ? [folder, join(dirname(folder), 'sbin')] : [folder]));

/** The full path of a program, or undefined if it is not installed. */
async function findProgram(name: string): Promise<string | undefined> {
  for (const folder of folders()) {
    const path = join(folder, name);
    const executable = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (executable) return path;
  }
  return undefined;
}

/**
 * The full paths of programs that one Debian package provides, itself or through its dependencies: which package
 * contains a program differs between releases.
 *
 * @throws Error that names the missing programs, the package and the command that installs it
 */
export async function requirePrograms<Name extends string>(
  names: readonly Name[],
  debianPackage: string,
): Promise<Record<Name, string>> {
  const missing = await missingOf(names);
  if (missing.length > 0) {
    const lack = `${missing.join(' and ')} of the Debian package ${debianPackage}`;
    throw new Error(
      `This machine lacks ${lack}: sudo apt-get install --no-install-recommends ${debianPackage}`,
    );
  }
  const paths = await Promise.all(names.map(async (name) => [name, await findProgram(name)]));
  return Object.fromEntries(paths) as Record<Name, string>;
}

export async function requireProgram(name: string, debianPackage: string): Promise<string> {
  return (await requirePrograms([name], debianPackage))[name]!;
}

/** Whether all of them are installed. */
export const hasPrograms = async (names: readonly string[]): Promise<boolean> =>
  (await missingOf(names)).length === 0;

async function missingOf(names: readonly string[]): Promise<string[]> {
  const paths = await Promise.all(names.map(findProgram));
  return names.filter((_, index) => paths[index] === undefined);
}

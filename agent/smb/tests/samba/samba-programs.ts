import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { constants } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

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
 * contains a program differs between releases. Missing programs are installed with one run of apt-get, on Debian and
 * Ubuntu when this process is root.
 *
 * @throws Error that names the missing programs, the package and the command that installs it
 */
export async function requirePrograms<Name extends string>(
  names: readonly Name[],
  debianPackage: string,
): Promise<Record<Name, string>> {
  const missing = await missingOf(names);
  if (missing.length > 0) {
    await install(debianPackage, missing);
    const left = await missingOf(names);
    if (left.length > 0) {
      throw new Error(
        `The Debian package ${debianPackage} is installed, but it has no ${left.join(', no ')}`,
      );
    }
  }
  const paths = await Promise.all(names.map(async (name) => [name, await findProgram(name)]));
  return Object.fromEntries(paths) as Record<Name, string>;
}

export async function requireProgram(name: string, debianPackage: string): Promise<string> {
  return (await requirePrograms([name], debianPackage))[name]!;
}

async function missingOf(names: readonly string[]): Promise<string[]> {
  const paths = await Promise.all(names.map(findProgram));
  return names.filter((_, index) => paths[index] === undefined);
}

async function install(debianPackage: string, missing: readonly string[]): Promise<void> {
  const lack = `${missing.join(' and ')} of the Debian package ${debianPackage}`;
  const aptGet = await findProgram('apt-get');
  if (aptGet === undefined || process.getuid?.() !== 0) {
    // RUNLEVEL=1 keeps the package from starting its own system-wide smbd on port 445.
    const command = `apt-get update && RUNLEVEL=1 apt-get install -y --no-install-recommends ${debianPackage}`;
    throw new Error(`This machine lacks ${lack}. Run as root: ${command} (Debian, Ubuntu)`);
  }
  console.log(`Installing ${lack} …`);
  // Several test processes may run apt-get at the same time; each waits for the lock.
  const waiting = ['-o', 'DPkg::Lock::Timeout=300'];
  const env = { ...process.env, RUNLEVEL: '1', DEBIAN_FRONTEND: 'noninteractive' };
  try {
    await run(aptGet, [...waiting, 'update'], { env });
    await run(aptGet, [...waiting, 'install', '-y', '--no-install-recommends', debianPackage], { env });
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string };
    const reason = stderr.trim().split('\n').slice(-3).join(' ') || (error as Error).message;
    throw new Error(`This machine lacks ${lack}, and apt-get could not install it: ${reason}`, {
      cause: error,
    });
  }
}

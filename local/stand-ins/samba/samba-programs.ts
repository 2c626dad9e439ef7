import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

// Debian keeps smbd in sbin, which is not on the PATH of ordinary users.
const folders = () => [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];

/** The full path of a program, or undefined where it is not installed. */
async function findProgram(name: string): Promise<string | undefined> {
  for (const folder of folders().filter(Boolean)) {
    const path = join(folder, name);
    const executable = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (executable) return path;
  }
  return undefined;
}

/** RUNLEVEL=1 keeps the package from starting its own system-wide smbd on port 445. */
const aptInstall = 'apt-get update && RUNLEVEL=1 apt-get install -y --no-install-recommends';

/**
 * The full path of a program of a Debian package. Missing programs are installed on Debian and Ubuntu when this
 * process is root; elsewhere the error names the command to run.
 */
export async function requireProgram(name: string, debianPackage: string): Promise<string> {
  const found = await findProgram(name);
  if (found !== undefined) return found;
  const command = `${aptInstall} ${debianPackage}`;
  const aptGet = await findProgram('apt-get');
  if (aptGet === undefined || process.getuid?.() !== 0) {
    throw new Error(`${name} is not installed. Run as root: ${command} (Debian, Ubuntu)`);
  }
  console.log(`${name} is not installed; installing the Debian package ${debianPackage} …`);
  // Several test processes may come here at once: they wait for each other's lock.
  await run(aptGet, ['-o', 'DPkg::Lock::Timeout=300', 'update']);
  await run(
    aptGet,
    ['-o', 'DPkg::Lock::Timeout=300', 'install', '-y', '--no-install-recommends', debianPackage],
    {
      env: { ...process.env, RUNLEVEL: '1', DEBIAN_FRONTEND: 'noninteractive' },
    },
  );
  const installed = await findProgram(name);
  if (installed === undefined) throw new Error(`${command} ran, but ${name} is still not there`);
  return installed;
}

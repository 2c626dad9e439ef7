import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Short: the path of a Unix socket has at most 107 bytes, and Samba's are several folders further down.
const prefix = 'pf-tests-';
const variable = 'TESTS_RUN_FOLDER';

/** Lists the failures in the folder of a test file, which is then kept. */
export const failuresName = 'failures.txt';

/** The folder of this run, in any of its processes; the system's temporary folder if no setup created one. */
export const runFolder = (): string => process.env[variable] ?? tmpdir();

/**
 * vitest globalSetup: the run has one temporary folder, with the folders of the test files below it (`test-folder.ts`).
 * The first project to be set up creates it, the last one to be torn down removes it unless it holds a kept folder.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const name = `${prefix}${process.pid}`;
  if (!runFolder().endsWith(name)) {
    await sweep(tmpdir());
    const folder = join(tmpdir(), name);
    // It exists if an earlier process with the same id has kept the data of a failed test.
    await mkdir(folder, { recursive: true });
    process.env[variable] = folder;
    setTemporaryFolder(folder);
  }
  return () => rmdir(runFolder()).catch(() => undefined);
}

/** Of this process and those that it starts: `tmpdir()` reads TMPDIR on POSIX, TEMP and TMP on Windows. */
export function setTemporaryFolder(folder: string): void {
  for (const name of process.platform === 'win32' ? ['TEMP', 'TMP'] : ['TMPDIR']) process.env[name] = folder;
}

/** Removes what interrupted runs left behind, except the folders of failed tests. */
async function sweep(parent: string): Promise<void> {
  const runs = (await readdir(parent)).filter((name) => name.startsWith(prefix));
  for (const run of runs.filter((name) => !isRunning(Number(name.slice(prefix.length))))) {
    for (const folder of await readdir(join(parent, run)).catch(() => [])) {
      const path = join(parent, run, folder);
      const isKept = existsSync(join(path, failuresName));
      // What another user left behind belongs to that user.
      if (!isKept) await rm(path, { recursive: true, force: true }).catch(() => undefined);
    }
    await rmdir(join(parent, run)).catch(() => undefined);
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

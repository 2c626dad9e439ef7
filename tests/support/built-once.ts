import { existsSync, mkdtempSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../agent/smb/tests/support/until.ts';

const variable = 'BUILT_PROGRAMS';

/** Four files that build at once on a busy machine took more than a minute; the hook that waits has four. */
const longestBuildMs = 220_000;

/** vitest globalSetup: a directory for the programs of the run. The first file that needs one builds it. */
export default async function setup(): Promise<() => Promise<void>> {
  // Another project of the run may have created it.
  const directory = (process.env[variable] ??= await mkdtemp(join(tmpdir(), 'programs-')));
  return () => rm(directory, { recursive: true, force: true });
}

/**
 * What `build` wrote into the directory that it was given, which callers must not change. `changed-tests.ts` reads the
 * entry point from the call. A benchmark, which has no setup, builds for itself.
 */
export async function builtOnce(
  entryPoint: string,
  build: (directory: string) => Promise<void>,
): Promise<string> {
  process.env[variable] ??= mkdtempSync(join(tmpdir(), 'programs-'));
  const built = join(process.env[variable], entryPoint.replaceAll('/', '-'));
  const building = `${built}.building`;
  while (!existsSync(built)) {
    const isFirst = await mkdir(building).then(() => true, isTaken);
    if (!isFirst) {
      const isOver = () => existsSync(built) || !existsSync(building);
      await until(`the build of ${entryPoint}`, isOver, Boolean, longestBuildMs);
      continue;
    }
    try {
      // Another file may have finished it between the two looks.
      if (existsSync(built)) break;
      await build(building);
      await rename(building, built);
    } finally {
      // After a failure, the next file tries to build it and fails with its own error.
      await rm(building, { recursive: true, force: true });
    }
  }
  return built;
}

function isTaken(error: NodeJS.ErrnoException): false {
  if (error.code === 'EEXIST') return false;
  throw error;
}

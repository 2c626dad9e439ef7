import { access, mkdir, mkdtemp, realpath, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { layOutFunctions } from '../../local/release/package-functions.ts';
import { until } from '../../agent/smb/tests/support/until.ts';

const variable = 'SHARED_APP_DIRECTORY';
const entryPoint = 'functions/index.ts';

/** vitest globalSetup: a directory for the app that many files start. The first file that needs the app builds it. */
export default async function setup(): Promise<() => Promise<void>> {
  // Another project of the run may have created it.
  const directory = (process.env[variable] ??= await mkdtemp(join(tmpdir(), 'shared-app-')));
  return () => rm(directory, { recursive: true, force: true });
}

/** Called by a project of the run that has already built the app. */
export async function shareApp(app: string): Promise<void> {
  const directory = process.env[variable];
  if (directory !== undefined) await symlink(app, join(directory, 'app'));
}

/** The app as it is deployed, which callers must not change; undefined if the project does not have this setup. */
export async function sharedApp(): Promise<string | undefined> {
  const directory = process.env[variable];
  if (directory === undefined) return undefined;
  const [app, building] = [join(directory, 'app'), join(directory, 'building')];
  const isThere = (path: string) =>
    access(path).then(
      () => true,
      () => false,
    );
  for (;;) {
    if (await isThere(app)) return realpath(app);
    try {
      await mkdir(building);
      break;
    } catch {
      await until(
        `the app of ${entryPoint}`,
        async () => (await isThere(app)) || !(await isThere(building)),
        Boolean,
      );
    }
  }
  try {
    await layOutFunctions(join(building, 'app'));
    await rename(join(building, 'app'), app);
    return app;
  } finally {
    // After a failure, the next file tries to build the app and fails with its own error.
    await rm(building, { recursive: true });
  }
}

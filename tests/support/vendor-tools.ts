import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { TestContext } from 'vitest';
import { repositoryRoot } from '../../release/repository-root.ts';
import { skipWithout } from '../../agent/smb/tests/support/requires.ts';

/** Where `npm run vendor-tools -w folder-tests` puts what tests/support/vendor-tools restores and builds from NuGet. */
const restored = join(repositoryRoot, 'node_modules/.cache/vendor-tools');

const sources = join(import.meta.dirname, 'vendor-tools');

export const rebuild = 'run npm run vendor-tools -w folder-tests, which needs the .NET SDK 10 and NuGet';

const suffix = process.platform === 'win32' ? '.exe' : '';

/**
 * The path of the Bicep compiler: the pinned one if it was restored, because another version can print other warnings,
 * otherwise the one on the PATH. Without either, skips the test, or fails it on CI.
 */
export function bicepCompiler(context: TestContext): string {
  const folders = [restored, ...(process.env['PATH'] ?? '').split(delimiter)];
  const found = folders.map((folder) => join(folder, `bicep${suffix}`)).find((path) => existsSync(path));
  return found ?? skipWithout('npm run vendor-tools -w folder-tests (.NET SDK)', context);
}

/**
 * The path of the host for PowerShell scripts and of the validator of Office files (tests/support/vendor-tools/Program.cs); see
 * `bicepCompiler`.
 *
 * @throws Error if it was built from other sources
 */
export function vendorHost(context: TestContext): string {
  const path = join(restored, `run-script${suffix}`);
  if (!existsSync(path)) return skipWithout('npm run vendor-tools -w folder-tests (.NET SDK)', context);
  const changed = ['Program.cs', 'vendor-tools.csproj'].filter((name) => {
    const copy = join(restored, name);
    return !existsSync(copy) || !readFileSync(copy).equals(readFileSync(join(sources, name)));
  });
  if (changed.length > 0)
    throw new Error(`${path} was built from another ${changed.join(' and ')}: ${rebuild}`);
  return path;
}

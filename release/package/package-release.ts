// `npm run package:release` writes dist/release/: everything that a release ships, with bills of materials and SHA256SUMS.
//
// With `--verify`, it builds a second time from a clone of the commit in another folder, with its own `npm ci`, and fails if a
// byte differs.
import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import packageJson from '../../package.json' with { type: 'json' };
import { filesBelow } from '../repository-files.ts';
import { repositoryRoot } from '../repository-root.ts';
import { inTemporaryFolder } from '../temporary-folder.ts';
import { openApiPath } from '../generate/api-types.ts';
import { buildAgent } from '../build/build.ts';
import { checksumLine, packageAgent, packageAgentExecutable, writeAgentSboms } from './package-agent.ts';
import { packageClient } from './package-client.ts';
import { packageFunctions } from './package-functions.ts';
import { packageSmb } from './package-smb.ts';
import { writeSbom } from './sbom.ts';

const run = promisify(execFile);
const { version } = packageJson;
const checksums = 'SHA256SUMS';

/** @param executables also the archives with Node inside, which take most of the time */
export async function packageRelease(directory: string, { executables = true } = {}): Promise<void> {
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  const file = (name: string): string => join(directory, name);
  await inTemporaryFolder('package-release', async (work) => {
    const packages = await packageFunctions(file(`functions-${version}.zip`));
    await writeSbom('functions', packages, file(`functions-${version}.cdx.json`));
    const agent = await buildAgent(work);
    await writeAgentSboms(agent.packages, directory, { executables });
    const archives = [await packageAgent(agent.file, directory)];
    for (const platform of executables ? (['linux-x64', 'win-x64'] as const) : [])
      archives.push(await packageAgentExecutable(agent.file, platform, directory));
    // SHA256SUMS has them.
    for (const archive of archives) await rm(`${archive}.sha256`);
    await packageClient(directory);
    await packageSmb(directory);
    await copyFile(openApiPath, file(`openapi-${version}.json`));
    const names = await filesBelow(directory);
    const lines = await Promise.all(
      names.map(async (name) => checksumLine(name, await readFile(file(name)))),
    );
    await writeFile(file(checksums), lines.join(''));
  });
}

/** @throws Error if the commit, packaged in a clone of its own, has other checksums than `directory` */
export function verifyRelease(directory: string): Promise<void> {
  return inTemporaryFolder('release', async (clone) => {
    await run('git', ['clone', '--quiet', repositoryRoot, clone]);
    const { stdout: commit } = await run('git', ['rev-parse', 'HEAD'], { cwd: repositoryRoot });
    await run('git', ['checkout', '--quiet', '--detach', commit.trim()], { cwd: clone });
    await run('npm', ['ci'], { cwd: clone });
    await run('npm', ['run', 'package:release'], { cwd: clone });
    const [own, others] = await Promise.all(
      [directory, join(clone, 'dist/release')].map((each) => readFile(join(each, checksums), 'utf8')),
    );
    if (own !== others) throw new Error(`Two builds differ:\n${own}\n${others}`);
  });
}

if (import.meta.main) {
  const { stdout: changes } = await run('git', ['status', '--porcelain'], { cwd: repositoryRoot });
  if (changes !== '') throw new Error(`A release is built from a commit; not committed are:\n${changes}`);
  const directory = join(repositoryRoot, 'dist/release');
  await packageRelease(directory);
  if (process.argv.includes('--verify')) await verifyRelease(directory);
  console.log(await readFile(join(directory, checksums), 'utf8'));
}

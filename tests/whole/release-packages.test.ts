import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { openApiPath } from '../../local/release/api-types.ts';
import { bundledPackages } from '../../local/release/bundled-packages.ts';
import { packageAgent } from '../../local/release/package-agent.ts';
import { packageSmb } from '../../local/release/package-smb.ts';
import { writeSbom } from '../../local/release/sbom.ts';
import { repositoryRoot } from '../../local/repository-root.ts';
import packageFile from '../../package.json' with { type: 'json' };
import { agentMetafile, agentProgram } from '../support/built-agent.ts';
import { clientPackage } from '../support/built-client.ts';
import { functionsMetafile, functionsZip } from '../support/built-console.ts';
import { copyRepository } from '../support/copy-repository.ts';

const run = promisify(execFile);
const { version } = packageFile;

// Without the executables: `npm run package:release -- --verify` also compares those.
const script = `import { packageRelease } from './local/release/package-release.ts';
await packageRelease(process.argv[1], { executables: false });`;

/** Packages the release from a copy of this folder, as another machine does, into `directory`. */
async function packageElsewhere(directory: string): Promise<void> {
  const copy = await mkdtemp(join(tmpdir(), 'repository-'));
  await copyRepository(copy);
  // Links are followed by esbuild, so the packages have to be in the folder. Without the caches, which change meanwhile.
  const copied = ['-c', 'cd "$1" && mkdir "$2" && { cp -al * "$2" 2>/dev/null || cp -a * "$2"; }', 'copy'];
  await run('bash', [...copied, join(repositoryRoot, 'node_modules'), join(copy, 'node_modules')]);
  try {
    const command = 'umask 077; exec node --input-type=module --eval "$1" "$2"';
    const path = `${join(process.execPath, '..')}:${process.env['PATH']}`;
    const env = { ...process.env, TZ: 'Pacific/Kiritimati', PATH: path };
    await run('bash', ['-c', command, 'package', script, directory], { cwd: copy, env });
  } finally {
    await rm(join(copy, 'node_modules'), { recursive: true });
  }
}

/** What the tests of this run use of a release, made in this folder and time zone. */
async function packageHere(directory: string): Promise<void> {
  const file = (name: string): string => join(directory, name);
  await copyFile(await functionsZip(), file(`functions-${version}.zip`));
  await packageAgent(agentProgram(), directory);
  const client = await clientPackage();
  await copyFile(client, file(basename(client)));
  await packageSmb(directory);
  await copyFile(openApiPath, file(`openapi-${version}.json`));
  for (const [artifact, metafile] of [
    ['functions', await functionsMetafile()],
    ['folder-agent', await agentMetafile()],
  ] as const)
    await writeSbom(artifact, await bundledPackages(metafile), file(`${artifact}-${version}.cdx.json`));
}

test('two builds in different folders, times, time zones, and umasks are byte-equal', async () => {
  const [here, elsewhere] = await Promise.all(
    ['here', 'elsewhere'].map((name) => mkdtemp(join(tmpdir(), `${name}-`))),
  );
  await packageElsewhere(elsewhere!);
  await packageHere(here!);
  const sums = await readFile(join(elsewhere!, 'SHA256SUMS'), 'utf8');
  expect(sums.match(/(?<= {2}).*/gm)).toEqual([
    `folder-agent-${version}.cdx.json`,
    `folder-agent-${version}.tar.gz`,
    expect.stringMatching(/^folder-agent-smb-[\d.]+\.tgz$/),
    `functions-${version}.cdx.json`,
    `functions-${version}.zip`,
    `openapi-${version}.json`,
    `project-folders-client-${version}.tgz`,
  ]);
  for (const cwd of [elsewhere, here]) {
    const check = run('sha256sum', ['--check', '--strict', join(elsewhere!, 'SHA256SUMS')], { cwd });
    await check.catch(({ stdout }: { stdout: string }) => expect.unreachable(stdout));
  }
});

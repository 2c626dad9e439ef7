import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect } from 'vitest';
import { openApiPath } from '../../release/generate/api-types.ts';
import { bundledPackages } from '../../release/build/bundled-packages.ts';
import { packageAgent } from '../../release/package/package-agent.ts';
import { packageSmb } from '../../release/package/package-smb.ts';
import { writeSbom } from '../../release/package/sbom.ts';
import { repositoryRoot } from '../../release/repository-root.ts';
import packageFile from '../../package.json' with { type: 'json' };
import { agentMetafile, agentProgram } from '../support/built-agent.ts';
import { clientPackage } from '../support/built-client.ts';
import { functionsMetafile, functionsZip } from '../support/built-console.ts';
import { copyRepository } from '../support/copy-repository.ts';
import { requires } from '../../agent/smb/tests/support/requires.ts';

const { test } = requires('bash', 'git', 'sha256sum', 'a work tree of git');

const run = promisify(execFile);
const { version } = packageFile;

// Without the executables: `npm run package:release -- --verify` also compares those.
const script = `import { packageRelease } from './release/package/package-release.ts';
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
    // In half of the processor time of Node's rm.
    await run('rm', ['-r', join(copy, 'node_modules')]);
  }
}

let here: string;
/** Has SHA256SUMS too. */
let elsewhere: string;
beforeAll(async () => {
  [here = '', elsewhere = ''] = await Promise.all(
    ['here', 'elsewhere'].map((name) => mkdtemp(join(tmpdir(), `${name}-`))),
  );
  await packageElsewhere(elsewhere);
  await packageHere(here);
}, 600_000);

const bundles = [
  ['functions', functionsMetafile],
  ['folder-agent', agentMetafile],
] as const;

/** What the tests of this run use of a release, made in this folder and time zone. */
async function packageHere(directory: string): Promise<void> {
  const file = (name: string): string => join(directory, name);
  await copyFile(await functionsZip(), file(`functions-${version}.zip`));
  await packageAgent(agentProgram(), directory);
  const client = await clientPackage();
  await copyFile(client, file(basename(client)));
  await packageSmb(directory);
  await copyFile(openApiPath, file(`openapi-${version}.json`));
  for (const [artifact, metafile] of bundles)
    await writeSbom(
      artifact,
      await bundledPackages(await metafile()),
      file(`${artifact}-${version}.cdx.json`),
    );
}

test('two builds in different folders, times, time zones, and umasks are byte-equal', async () => {
  const sums = await readFile(join(elsewhere, 'SHA256SUMS'), 'utf8');
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
    const check = run('sha256sum', ['--check', '--strict', join(elsewhere, 'SHA256SUMS')], { cwd });
    await check.catch(({ stdout }: { stdout: string }) => expect.unreachable(stdout));
  }
});

test.each(bundles)(
  'the bill of materials of %s lists what its bundle contains, with hashes, licenses, and dependencies',
  async (name, metafile) => {
    const packages = await bundledPackages(await metafile());
    const bom = JSON.parse(await readFile(join(here, `${name}-${version}.cdx.json`), 'utf8')) as {
      bomFormat: string;
      specVersion: string;
      metadata: { component: { name: string; 'bom-ref': string } };
      components: { name: string; version: string; purl: string; 'bom-ref': string; hashes: object[] }[];
      dependencies: { ref: string; dependsOn: string[] }[];
    };
    expect(bom).toMatchObject({
      bomFormat: 'CycloneDX',
      specVersion: '1.5',
      metadata: { component: { name } },
    });
    expect(bom.components.map((component) => `${component.name} ${component.version}`).toSorted()).toEqual(
      packages.map((each) => `${each.name} ${each.version}`).toSorted(),
    );
    for (const component of bom.components) {
      expect(component).toMatchObject({
        purl: expect.stringMatching(/^pkg:npm\//) as string,
        hashes: [{ alg: 'SHA-512' }],
        licenses: expect.any(Array) as object[],
      });
    }
    const refs = new Set(bom.components.map((component) => component['bom-ref']));
    expect(bom.dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !refs.has(ref))).toEqual(
      [],
    );
    const root = bom.dependencies.find(({ ref }) => ref === bom.metadata.component['bom-ref']);
    expect(root?.dependsOn.some((ref) => ref.startsWith('zod@'))).toBe(true);
  },
);

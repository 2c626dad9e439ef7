// With esbuild's `splitting`, a lazily imported CommonJS package has only a default export; in a single file, it has all
// named exports. The first test shows this; the others show that the build rejects such imports.
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type BuildOptions } from 'esbuild';
import { beforeAll, expect, test } from 'vitest';
import { bundleOptions } from '../../release/build/build.ts';

const files = {
  'package.json': '{ "type": "module" }',
  'node_modules/common/package.json': '{ "name": "common", "main": "index.js" }',
  'node_modules/common/index.js': 'exports.answer = () => 42;',
  'node_modules/modern/package.json': '{ "name": "modern", "type": "module", "exports": "./index.js" }',
  'node_modules/modern/index.js': "export const answer = async () => (await import('common')).answer();",
  'by-name.ts': "export const load = async () => (await import('common')).answer;",
  'by-file.ts': "export const load = async () => (await import('./common.ts')).answer;",
  'common.ts': "export { answer } from 'common';",
  'modern-by-name.ts': "export const load = async () => (await import('modern')).answer;",
  'within-a-package.ts': "export { answer as load } from 'modern';",
};
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lazy-imports-'));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
});

const built = (name: string, outdir: string, options: BuildOptions = {}) =>
  build({
    ...bundleOptions,
    absWorkingDir: folder,
    entryPoints: [`${name}.ts`],
    outdir: join(folder, outdir),
    logLevel: 'silent',
    ...options,
  });

async function loaded(name: string, outdir: string): Promise<unknown> {
  const { load } = (await import(pathToFileURL(join(folder, outdir, `${name}.js`)).href)) as {
    load: () => Promise<(() => unknown) | undefined>;
  };
  return (await load())?.();
}

test.each([
  ['by-name', 'single', false, 42],
  ['by-name', 'split', true, undefined],
  ['by-file', 'single', false, 42],
  ['by-file', 'split', true, 42],
])('a CommonJS package imported %s, %s: its named export', async (name, outdir, splitting, result) => {
  await built(name, outdir, { splitting, plugins: [] });
  expect(await loaded(name, outdir)).toBe(result);
});

test.each([
  ['by-name', /by-name\.ts lazily imports the package common/],
  // Not a fault today, but a fault if the package becomes CommonJS.
  ['modern-by-name', /modern-by-name\.ts lazily imports the package modern/],
  ['within-a-package', /node_modules\/modern\/index\.js lazily imports common, which is CommonJS/],
])('%s does not build, as one file or split', async (name, message) => {
  for (const splitting of [false, true]) {
    await expect(built(name, 'rejected', { splitting, write: false })).rejects.toThrow(message);
  }
});

test('the build accepts a lazy import of a repository file that imports the package statically', async () => {
  await built('by-file', 'accepted', { splitting: true, write: false });
});

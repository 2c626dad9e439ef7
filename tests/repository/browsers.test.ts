import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { build } from '../../release/build/esbuild.ts';
import { oldestBrowsers } from '../../release/build/build-console.ts';
import { repositoryRoot } from '../../release/repository-root.ts';

test('the page of the console names the browsers for which it is built', async () => {
  const page = await readFile(join(repositoryRoot, 'console/README.md'), 'utf8');
  const named = [...page.matchAll(/\b(Chrome|Edge|Firefox|Safari) (\d+(?:\.\d+)?)(?=,| and| on)/g)]
    .map(([, name = '', version = '']) => name.toLowerCase() + version)
    .slice(0, oldestBrowsers.length);
  expect(named).toEqual([...oldestBrowsers]);
});

test('syntax that one of these browsers lacks is translated', async () => {
  const contents = 'export const end = () => { using file = open(); return file; };';
  const { outputFiles } = await build({ stdin: { contents }, target: [...oldestBrowsers], write: false });
  expect(outputFiles[0]?.text).not.toMatch(/\busing file\b/);
});

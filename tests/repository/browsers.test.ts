import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { pageName } from '../../functions/console/built-console.ts';
import { build } from '../../release/build/esbuild.ts';
import { buildConsole, oldestBrowsers } from '../../release/build/build-console.ts';
import { repositoryRoot } from '../../release/repository-root.ts';

test('the page of the console names the browsers for which it is built', async () => {
  const page = await readFile(join(repositoryRoot, 'console/README.md'), 'utf8');
  const named = [...page.matchAll(/\b(Chrome|Edge|Firefox|Safari) (\d+(?:\.\d+)?)(?=,| and| on)/g)]
    .map(([, name = '', version = '']) => name.toLowerCase() + version)
    .slice(0, oldestBrowsers.length);
  expect(named).toEqual([...oldestBrowsers]);
});

test('the page loads at once what its entry imports, each file once, and nothing that a view imports later', async () => {
  const { metafile, files } = await buildConsole();
  const page = String(files.get(pageName));
  const loaded = [...page.matchAll(/rel="modulepreload" href="[^"]*\/([^"/]+)"/g)].map(
    ([, name = '']) => name,
  );
  const all = Object.entries(metafile.outputs).map(([path, { entryPoint, imports }]) => ({
    name: basename(path),
    entryPoint,
    imports,
  }));
  // esbuild names the source of what is imported on demand.
  const later = all.filter(({ name, entryPoint }) => entryPoint !== undefined && name.endsWith('.js'));
  expect(later.length).toBeGreaterThan(3);
  expect(loaded.filter((name) => later.some((each) => each.name === name))).toEqual([]);
  expect(loaded).toEqual([...new Set(loaded)]);
  const entry = all.find(({ entryPoint }) => entryPoint === 'console/main.tsx')!;
  const imported = entry.imports.filter(({ kind }) => kind === 'import-statement');
  expect(loaded).toEqual(expect.arrayContaining(imported.map(({ path }) => basename(path))));
});

test('syntax that one of these browsers lacks is translated', async () => {
  const contents = 'export const end = () => { using file = open(); return file; };';
  const { outputFiles } = await build({ stdin: { contents }, target: [...oldestBrowsers], write: false });
  expect(outputFiles[0]?.text).not.toMatch(/\busing file\b/);
});

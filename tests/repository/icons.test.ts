import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { importedIcons, importers } from '../../local/packages/make-icons.ts';
import icons from '../../local/packages/fluentui-react-icons/package.json' with { type: 'json' };
import { repositoryFiles } from '../../local/repository-files.ts';
import { repositoryRoot } from '../../local/repository-root.ts';

const exported = async (file: string, pattern: RegExp): Promise<string[]> => {
  const text = await readFile(join(repositoryRoot, 'node_modules', icons.name, file), 'utf8');
  return [...text.matchAll(pattern)].map(([, name = '']) => name);
};

test('the package of icons has exactly those that the console and Fluent UI import', async () => {
  const [own, fluent] = await Promise.all([
    importedIcons(importers.console),
    importedIcons(importers.fluent),
  ]);
  expect(fluent.length).toBeGreaterThan(50);
  const names = await exported('index.js', /^ {2}([A-Za-z]\w+),?$/gm);
  expect(new Set(names)).toEqual(new Set([...own, ...fluent]));
  expect(new Set(await exported('index.d.ts', /declare const (\w+)/g))).toEqual(new Set(own));
});

test('it is as new as Fluent UI requires', async () => {
  const ranges = await Promise.all(
    repositoryFiles('node_modules/@fluentui/*/package.json').map(async (file) => {
      const { dependencies = {} } = JSON.parse(await readFile(join(repositoryRoot, file), 'utf8')) as {
        dependencies?: Record<string, string>;
      };
      return dependencies[icons.name] ?? [];
    }),
  );
  const required = new Set(ranges.flat());
  expect(required.size).toBeGreaterThan(0);
  const patch = Number(/^2\.0\.(\d+)$/.exec(icons.version)?.[1]);
  for (const range of required) expect(Number(/^\^2\.0\.(\d+)$/.exec(range)?.[1])).toBeLessThanOrEqual(patch);
});

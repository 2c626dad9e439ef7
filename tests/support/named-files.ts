import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Plugin } from 'vitest/config';
import { build } from '../../local/release/esbuild.ts';
import { withSlashes } from '../../local/repository-files.ts';
import { repositoryRoot } from '../../local/repository-root.ts';

/**
 * A relative path with an extension, as the code of the tests writes it. Vitest follows imports itself: with them, esbuild
 * would bundle 527 modules instead of 33.
 */
const paths = /(?<!from |import |import\()'([\w./-]+\.\w+)'/g;

/** As in the ids of modules. */
const inRepository = (path: string): string => `${withSlashes(repositoryRoot)}/${path}`;
const readers = ['tests/', 'local/', 'agent/smb/tests/'].map(inRepository);
// These build every program, and a test uses one of them. The module that starts a program names its entry point.
const builders = inRepository('local/release/');

const inputsOf = new Map<string, Promise<readonly string[]>>();

/**
 * `npm run test:changed` selects test files by their imports. A file that a module of the tests names in a string counts as
 * imported too: an entry point of a program that ships or that a test starts, with everything that esbuild bundles into it,
 * or a file that a test reads.
 */
export function namedFiles(): Plugin {
  let selects = false;
  return {
    name: 'named-files',
    enforce: 'pre',
    configureVitest({ vitest: { config }, defineCacheKeyGenerator }) {
      selects = Boolean(config.changed) || config.related !== undefined;
      // Vitest's cache of modules has the files that were named when a module was cached: none in a run that selects nothing.
      if (selects)
        defineCacheKeyGenerator(({ id, sourceCode }) =>
          namedIn(id, sourceCode).length > 0 ? false : undefined,
        );
    },
    // Not for global setups: a setup that builds a program would make every test file depend on it.
    applyToEnvironment: ({ name }) => name !== '__vitest__',
    async transform(code, id) {
      if (!selects) return;
      for (const file of namedIn(id, code)) {
        if (!inputsOf.has(file)) inputsOf.set(file, isProgram(file) ? inputs(file) : Promise.resolve([file]));
        for (const input of await inputsOf.get(file)!) this.addWatchFile(input);
      }
    },
  };
}

function namedIn(id: string, code: string): string[] {
  if (id.startsWith(builders) || !readers.some((folder) => id.startsWith(folder))) return [];
  return [...code.matchAll(paths)].flatMap(
    ([, path = '']) => [resolve(dirname(id), path), join(repositoryRoot, path)].find(isFile) ?? [],
  );
}

/** A test is read, never started by another. */
const isProgram = (path: string): boolean => /(?<!\.test)\.tsx?$/.test(path);

const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile();

async function inputs(entryPoint: string): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: repositoryRoot,
    entryPoints: [entryPoint],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    jsx: 'automatic',
    write: false,
    outdir: '.',
    metafile: true,
    logLevel: 'error',
  });
  return Object.keys(metafile.inputs).map((input) => join(repositoryRoot, input));
}

import type { Metafile, Plugin } from 'esbuild';

/**
 * Fails a build in which an `import()` would return something different in the package than in the source.
 *
 * With `splitting`, esbuild turns a lazily imported CommonJS module into a file whose only export is `default`:
 * `const { Client } = await import('some-commonjs-package')` works in the source and in a single file, but in the package
 * `Client` is undefined. A static import of the same names works in all three. Therefore an `import()` must name a file of
 * this repository that imports the package statically, whether or not the package is CommonJS today.
 */
export const checkedLazyImports: Plugin = {
  name: 'checked-lazy-imports',
  setup(build) {
    build.initialOptions.metafile = true;
    build.onEnd(({ metafile }) => ({
      errors: metafile ? lazyImportFaults(metafile).map((text) => ({ text })) : [],
    }));
  },
};

/** A sentence for each `import()` of a package in this repository's files, and of CommonJS in a package's files. */
function lazyImportFaults({ inputs }: Metafile): string[] {
  return Object.entries(inputs).flatMap(([file, { imports }]) =>
    imports
      .filter(({ kind, external }) => kind === 'dynamic-import' && external !== true)
      .flatMap(({ path, original = path }) => {
        if (isPackageFile(file)) {
          return inputs[path]?.format === 'esm'
            ? []
            : [
                `${file} lazily imports ${original}, which is CommonJS: in the package it has only a default export`,
              ];
        }
        return isPackageFile(path)
          ? [
              `${file} lazily imports the package ${original}: import a file of ours that imports it statically`,
            ]
          : [];
      }),
  );
}

const isPackageFile = (path: string): boolean => path.includes('node_modules/');

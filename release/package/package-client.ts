// `npm run package:client` writes dist/project-folders-client-<version>.tgz: the client for pages as an npm package, ES modules
// with type declarations.
import { execFile } from 'node:child_process';
import { cp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import consolePackage from '../../console/package.json' with { type: 'json' };
import packageJson from '../../package.json' with { type: 'json' };
import { repositoryRoot } from '../repository-root.ts';
import { inTemporaryFolder } from '../temporary-folder.ts';
import { npmPack } from './npm-pack.ts';

const run = promisify(execFile);
const name = 'project-folders-client';

const manifest = {
  name,
  version: packageJson.version,
  description: 'Client of the project folders service: API, direct uploads, texts in German and English',
  license: 'SEE LICENSE IN LICENSE',
  type: 'module',
  exports: './dist/client/index.js',
  types: './dist/client/index.d.ts',
  files: ['dist'],
  sideEffects: false,
  dependencies: { 'openapi-fetch': consolePackage.dependencies['openapi-fetch'] },
};

const compilerOptions = {
  target: 'es2022',
  module: 'nodenext',
  lib: ['es2024', 'dom', 'dom.iterable'],
  types: [],
  rootDir: '.',
  outDir: 'dist',
  declaration: true,
  strict: true,
  verbatimModuleSyntax: true,
  rewriteRelativeImportExtensions: true,
  skipLibCheck: true,
};

/** One JavaScript file per source file, so stack traces name the source. @returns the path of the tarball */
export function packageClient(directory: string): Promise<string> {
  return inTemporaryFolder('package-client', async (folder) => {
    for (const part of ['client', 'uploads', 'texts/problem-texts.ts', 'texts/text-of-code.ts', 'openapi'])
      await cp(join(repositoryRoot, 'console', part), join(folder, part), { recursive: true });
    await cp(join(repositoryRoot, 'console/client/README.md'), join(folder, 'README.md'));
    await cp(join(repositoryRoot, 'LICENSE'), join(folder, 'LICENSE'));
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest, null, 2));
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['client/index.ts'] }),
    );
    // A junction, because Windows reserves links of folders to administrators; the other systems ignore the word.
    await symlink(join(repositoryRoot, 'node_modules'), join(folder, 'node_modules'), 'junction');
    await run(process.execPath, [join(repositoryRoot, 'node_modules/typescript/bin/tsc'), '-p', folder]);
    await withoutTsImports(join(folder, 'dist'));
    return npmPack(folder, directory);
  });
}

/** The compiler rewrites the imports of code only; `.ts` in a declaration leads to a file that is not in the package. */
async function withoutTsImports(directory: string): Promise<void> {
  for (const file of await readdir(directory, { recursive: true })) {
    if (!file.endsWith('.d.ts')) continue;
    const path = join(directory, file);
    const declarations = await readFile(path, 'utf8');
    await writeFile(path, declarations.replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'"));
  }
}

if (import.meta.main) console.log(await packageClient(join(repositoryRoot, 'dist')));

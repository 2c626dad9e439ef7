// `npm run package:smb` writes dist/folder-agent-smb-<version>.tgz, the SMB client with Kerberos and DFS as a separate npm
// package: ES modules with type declarations, without dependencies.
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import packageFile from '../../package.json' with { type: 'json' };
import { repositoryRoot } from '../repository-root.ts';
import { noticesName } from './third-party-notices.ts';

const run = promisify(execFile);

const manifest = {
  name: 'folder-agent-smb',
  version: packageFile.version,
  description:
    'SMB 2.1 to 3.1.1 client with Kerberos, NTLMv2, signing, encryption, DFS and server-side copy; no native code',
  keywords: ['smb', 'smb3', 'cifs', 'kerberos', 'dfs', 'samba'],
  type: 'module',
  license: 'SEE LICENSE IN LICENSE',
  engines: packageFile.engines,
  sideEffects: false,
  exports: { '.': './smb/index.js', './kerberos': './kerberos/index.js' },
  files: ['smb', 'kerberos', noticesName],
};

/** Erases types and makes imports end in .js; the output is otherwise identical to the source, including comments. */
const compilerOptions = {
  rootDir: join(repositoryRoot, 'agent'),
  noEmit: false,
  // The repository's cache of the compiler would skip the emit.
  incremental: false,
  tsBuildInfoFile: null,
  rewriteRelativeImportExtensions: true,
  declaration: true,
  target: 'es2024',
  typeRoots: [join(repositoryRoot, 'node_modules/@types')],
};

/**
 * Compiles agent/smb and agent/kerberos and packages them with `npm pack`.
 *
 * Emits one JavaScript file per source file instead of a bundle, so stack traces name the source, and a program that
 * imports only `…/kerberos` does not load SMB.
 *
 * @returns the path of the tarball
 */
export async function packageSmb(directory: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'package-smb-'));
  try {
    await compileTo(folder);
    await copyFile(join(repositoryRoot, 'agent/smb/package/README.md'), join(folder, 'README.md'));
    await copyFile(join(repositoryRoot, 'LICENSE'), join(folder, 'LICENSE'));
    await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    await writeFile(
      join(folder, noticesName),
      'This package contains no third-party code and has no dependencies.\n',
    );
    await mkdir(directory, { recursive: true });
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', directory], { cwd: folder });
    return join(directory, packedFileName(stdout));
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function compileTo(outDir: string): Promise<void> {
  const project = join(outDir, 'tsconfig.json');
  await writeFile(
    project,
    JSON.stringify({
      extends: join(repositoryRoot, 'tsconfig.json'),
      compilerOptions: { ...compilerOptions, outDir },
      include: [],
      files: ['smb', 'kerberos'].map((part) => join(repositoryRoot, 'agent', part, 'index.ts')),
    }),
  );
  try {
    await run(process.execPath, [
      join(repositoryRoot, 'node_modules/typescript/bin/tsc'),
      '--project',
      project,
    ]);
  } catch (error) {
    throw new Error(`tsc: ${(error as { stdout: string }).stdout}`, { cause: error });
  }
  await rm(project);
}

/** npm 11 prints an array, npm 12 an object keyed by package name. */
function packedFileName(json: string): string {
  const [packed] = Object.values(JSON.parse(json) as Record<string, { filename: string }>);
  return packed!.filename;
}

if (import.meta.main) console.log(await packageSmb(join(repositoryRoot, 'dist')));

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import {
  assetsName,
  consolePath,
  nonceInPage,
  pageName,
  settingsInPage,
  suffixOf,
  type Asset,
  type Assets,
} from '../../functions/console/built-console.ts';
import { repositoryRoot } from '../repository-root.ts';
import { build, type BuildOptions, type Metafile } from './esbuild.ts';

const entryPoint = 'console/main.tsx';

/** The oldest browsers that the console supports (console/README.md): two years old, and not the oldest that would do. */
export const oldestBrowsers = ['chrome130', 'edge130', 'firefox132', 'safari18.1'] as const;

/** Below this size, compression saves less than a packet. */
const smallestCompressedBytes = 1024;
const contentTypes: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
};

const consoleOptions = {
  absWorkingDir: repositoryRoot,
  entryPoints: { app: entryPoint },
  bundle: true,
  platform: 'browser',
  target: [...oldestBrowsers],
  format: 'esm',
  jsx: 'automatic',
  minify: true,
  splitting: true,
  define: { 'process.env.NODE_ENV': '"production"' },
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  // Absolute, because views below /api/console have paths of any depth.
  publicPath: `${consolePath}/assets`,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
} satisfies BuildOptions;

export interface BuiltConsole {
  readonly metafile: Metafile;
  /** The contents of its directory, by relative path. */
  readonly files: ReadonlyMap<string, Uint8Array | string>;
}

/**
 * Builds the console's files: each with its hash in the name, with the page and the list of files from which functions/console
 * serves them.
 */
export async function buildConsole(): Promise<BuiltConsole> {
  const { metafile, outputFiles } = await build({ ...consoleOptions, outdir: 'assets', write: false });
  const files = new Map<string, Uint8Array | string>(
    outputFiles.map(({ path, contents }) => [`assets/${basename(path)}`, contents]),
  );
  files.set('icon.svg', await readFile(join(repositoryRoot, 'console/icon.svg')));
  const assets = [...files.keys()].map((name): [string, Asset] => [
    name,
    { contentType: contentTypes[name.split('.').at(-1)!]!, encodings: [] },
  ]);
  files.set(pageName, page(metafile));
  files.set(assetsName, listOf(assets));
  return { metafile, files };
}

export async function writeConsole(directory: string, { files }: BuiltConsole): Promise<void> {
  // Files with hashed names from earlier builds would accumulate.
  await rm(directory, { recursive: true, force: true });
  await mkdir(join(directory, 'assets'), { recursive: true });
  await Promise.all([...files].map(([name, content]) => writeFile(join(directory, name), content)));
}

/**
 * Adds compressed copies to a written console, because the host does not compress. They take 2 s of processor time, which a
 * browser on the same machine does not repay.
 */
export async function compressConsole(directory: string): Promise<void> {
  const list = join(directory, assetsName);
  const assets = JSON.parse(await readFile(list, 'utf8')) as Assets;
  const compressed = Object.entries(assets).map(async ([name, asset]): Promise<[string, Asset]> => {
    const file = join(directory, name);
    const copies = await compressedCopies(await readFile(file));
    await Promise.all(copies.map(([encoding, copy]) => writeFile(file + suffixOf[encoding], copy)));
    return [name, { ...asset, encodings: copies.map(([encoding]) => encoding) }];
  });
  await writeFile(list, listOf(await Promise.all(compressed)));
}

const listOf = (assets: readonly (readonly [name: string, asset: Asset])[]): string =>
  JSON.stringify(Object.fromEntries(assets) satisfies Assets);

type Encoding = keyof typeof suffixOf;

async function compressedCopies(content: Uint8Array): Promise<[Encoding, Uint8Array][]> {
  if (content.byteLength < smallestCompressedBytes) return [];
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
    promisify(gzip)(content, { level: 9 }),
  ]);
  return [
    ['br', br],
    ['gzip', gz],
  ];
}

/**
 * The page. It names the files that it loads before it shows anything: the entry, its styles, and all static imports, which
 * are thus loaded in the same round trip.
 */
function page({ outputs }: Metafile): string {
  const urlOf = (path: string) => `${consolePath}/assets/${basename(path)}`;
  const [script, entry] = Object.entries(outputs).find(([, output]) => output.entryPoint === entryPoint)!;
  const preloads = new Set<string>();
  const follow = (path: string): void => {
    for (const { path: imported, kind } of outputs[path]?.imports ?? []) {
      if (kind !== 'import-statement' || preloads.has(imported)) continue;
      preloads.add(imported);
      follow(imported);
    }
  };
  follow(script);
  const styles = entry.cssBundle === undefined ? [] : [entry.cssBundle];
  return `<!doctype html>
<html lang="de">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Projektordner</title>
<link rel="icon" href="${consolePath}/icon.svg" type="image/svg+xml">
${styles.map((path) => `<link rel="stylesheet" href="${urlOf(path)}">`).join('\n')}
${[...preloads].map((path) => `<link rel="modulepreload" href="${urlOf(path)}">`).join('\n')}
<script type="application/json" id="settings">${settingsInPage}</script>
<script type="module" src="${urlOf(script)}" nonce="${nonceInPage}"></script>
</head>
<body><div id="root"></div></body>
</html>
`;
}

// `npm run package:functions`: dist/functions.zip, what is deployed to Azure. It holds the bundle and what the host
// reads, and nothing else: no source, no tests, no emulators, no node_modules.
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import PizZip from 'pizzip';
import { buildForDeployment } from './build.ts';
import { repositoryRoot } from '../repository-root.ts';

const target = join(repositoryRoot, 'dist', 'functions.zip');

/** Builds and packs. */
export async function packageFunctions(outfile = target): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'functions-'));
  try {
    await layOutFunctions(directory);
    const zip = new PizZip();
    for (const name of await filesBelow(directory)) {
      zip.file(name, await readFile(join(directory, name)));
    }
    await mkdir(dirname(outfile), { recursive: true });
    await writeFile(outfile, zip.generate({ type: 'nodebuffer', compression: 'DEFLATE' }));
    return outfile;
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** The folder that is packed. The worker needs `type` and `main` of package.json, nobody the rest. */
export async function layOutFunctions(directory: string): Promise<void> {
  await buildForDeployment(join(directory, 'dist'));
  await copyFile(join(repositoryRoot, 'host.json'), join(directory, 'host.json'));
  await writeFile(join(directory, 'package.json'), await reducedPackageJson());
}

/** Unpacks the package as Azure does. */
export async function unpackFunctions(zipFile: string, directory: string): Promise<void> {
  const { files } = new PizZip(await readFile(zipFile));
  for (const file of Object.values(files).filter(({ dir }) => !dir)) {
    const path = join(directory, file.name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, file.asNodeBuffer());
  }
}

/** Relative paths with `/`, in order, so that the same code makes the same list. */
async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .toSorted();
}

async function reducedPackageJson(): Promise<string> {
  const { name, version, type, main } = JSON.parse(
    await readFile(join(repositoryRoot, 'package.json'), 'utf8'),
  ) as Record<string, string>;
  return JSON.stringify({ name, version, type, main }, null, 2);
}

if (import.meta.main) console.log(await packageFunctions());

// `npm run package:functions`: dist/functions.zip, what is deployed to Azure. It holds the bundle and what the host
// reads, and nothing else: no source, no tests, no emulators, no node_modules.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import PizZip from 'pizzip';
import { buildForDeployment } from './build.ts';
import { repositoryRoot } from '../repository-root.ts';

const target = join(repositoryRoot, 'dist', 'functions.zip');

/** Builds and packs. The worker needs `type` and `main` of package.json, nobody the rest. */
export async function packageFunctions(outfile = target): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'functions-'));
  try {
    await buildForDeployment(directory);
    const zip = new PizZip();
    zip.file('package.json', await reducedPackageJson());
    zip.file('host.json', await readFile(join(repositoryRoot, 'host.json')));
    for (const file of (await readdir(directory)).toSorted()) {
      zip.file(`dist/${file}`, await readFile(join(directory, file)));
    }
    await mkdir(dirname(outfile), { recursive: true });
    await writeFile(outfile, zip.generate({ type: 'nodebuffer', compression: 'DEFLATE' }));
    return outfile;
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function reducedPackageJson(): Promise<string> {
  const { name, version, type, main } = JSON.parse(
    await readFile(join(repositoryRoot, 'package.json'), 'utf8'),
  ) as Record<string, string>;
  return JSON.stringify({ name, version, type, main }, null, 2);
}

if (import.meta.main) console.log(await packageFunctions());

// `npm run package:functions` writes dist/functions.zip, the package for Azure, and dist/functions.cdx.json, its bill of
// materials. The zip contains the bundle, the third-party notices, and the files that the host reads, and nothing else: no
// source, no tests, no emulators, no node_modules.
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import PizZip from 'pizzip';
import { buildForDeployment } from './build.ts';
import type { BuiltConsole } from './build-console.ts';
import type { BundledPackage } from './bundled-packages.ts';
import { releaseDate } from './release-date.ts';
import { writeSbom } from './sbom.ts';
import { noticesName, thirdPartyNotices } from './third-party-notices.ts';
import { filesBelow } from '../repository-files.ts';
import { repositoryRoot } from '../repository-root.ts';

/** Builds the package and writes it to the file `zip`. */
export async function packageFunctions(
  zip: string,
  console?: Promise<BuiltConsole>,
): Promise<readonly BundledPackage[]> {
  const directory = await mkdtemp(join(tmpdir(), 'functions-'));
  try {
    const packages = await layOutFunctions(directory, console);
    const content = new PizZip();
    // A zip file has local times without their zone.
    const date = new Date(`${releaseDate()}T12:00:00`);
    for (const name of await filesBelow(directory)) {
      content.file(name, await readFile(join(directory, name)), { date });
    }
    await mkdir(dirname(zip), { recursive: true });
    await writeFile(zip, content.generate({ type: 'nodebuffer', compression: 'DEFLATE' }));
    return packages;
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** The contents of the package. Of package.json, only `type` and `main` are needed, by the worker. */
export async function layOutFunctions(
  directory: string,
  console?: Promise<BuiltConsole>,
): Promise<readonly BundledPackage[]> {
  const { packages } = await buildForDeployment(join(directory, 'dist'), console);
  await writeFile(join(directory, noticesName), await thirdPartyNotices(packages));
  await copyFile(join(repositoryRoot, 'host.json'), join(directory, 'host.json'));
  await writeFile(join(directory, 'package.json'), await reducedPackageJson());
  return packages;
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

async function reducedPackageJson(): Promise<string> {
  const { name, version, type, main } = JSON.parse(
    await readFile(join(repositoryRoot, 'package.json'), 'utf8'),
  ) as Record<string, string>;
  return JSON.stringify({ name, version, type, main }, null, 2);
}

if (import.meta.main) {
  const zip = join(repositoryRoot, 'dist/functions.zip');
  const sbom = join(repositoryRoot, 'dist/functions.cdx.json');
  await writeSbom('functions', await packageFunctions(zip), sbom);
  console.log(`${zip}\n${sbom}`);
}

// `npm run package:functions` writes dist/functions.zip, the package for Azure, and dist/functions.cdx.json, its bill of
// materials. The zip contains the bundle, the third-party notices, and the files that the host reads, and nothing else: no
// source, no tests, no emulators, no node_modules.
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import PizZip from 'pizzip';
import { buildForDeployment, consoleDirectory, type Bundle } from '../build/build.ts';
import { compressConsole } from '../build/build-console.ts';
import type { BundledPackage } from '../build/bundled-packages.ts';
import { releaseDate } from './release-date.ts';
import { writeSbom } from './sbom.ts';
import { noticesName, thirdPartyNotices } from '../build/third-party-notices.ts';
import { filesBelow } from '../repository-files.ts';
import { repositoryRoot } from '../repository-root.ts';
import { inTemporaryFolder } from '../temporary-folder.ts';

/** Builds the package and writes it to the file `zip`. */
export function packageFunctions(zip: string): Promise<readonly BundledPackage[]> {
  return inTemporaryFolder('functions', async (directory) => {
    const { packages } = await layOutFunctions(directory);
    await zipFunctions(directory, zip);
    return packages;
  });
}

/** The contents of the package, without compressed copies. Of package.json, only `type` and `main` are needed, by the worker. */
export async function layOutFunctions(
  directory: string,
  options?: { readonly hasConsole: boolean },
): Promise<Bundle> {
  const bundle = await buildForDeployment(join(directory, 'dist'), options);
  await writeFile(join(directory, noticesName), await thirdPartyNotices(bundle.packages));
  await copyFile(join(repositoryRoot, 'host.json'), join(directory, 'host.json'));
  await writeFile(join(directory, 'package.json'), await reducedPackageJson());
  return bundle;
}

/** Adds the compressed copies to the contents, and packs them. */
export async function zipFunctions(directory: string, zip: string): Promise<void> {
  await compressConsole(join(directory, 'dist', consoleDirectory));
  const content = new PizZip();
  // A zip file has local times without their zone.
  const date = new Date(`${releaseDate()}T12:00:00`);
  for (const name of await filesBelow(directory)) {
    content.file(name, await readFile(join(directory, name)), { date });
  }
  await mkdir(dirname(zip), { recursive: true });
  await writeFile(zip, content.generate({ type: 'nodebuffer', compression: 'DEFLATE' }));
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

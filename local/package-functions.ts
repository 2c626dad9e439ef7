// `npm run package:functions`: dist/functions.zip, what is deployed to Azure. It holds the bundle and what the host
// reads, and nothing else: no source, no tests, no emulators, no node_modules.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import PizZip from 'pizzip';
import { build, repositoryRoot } from './build.ts';

const target = join(repositoryRoot, 'dist', 'functions.zip');

/** Packs the bundle of `directory`; the worker needs `type` and `main` of package.json, nobody the rest. */
export async function packageFunctions(
  directory = join(repositoryRoot, 'dist'),
  outfile = target,
): Promise<string> {
  const { name, version, type, main } = JSON.parse(
    await readFile(join(repositoryRoot, 'package.json'), 'utf8'),
  ) as Record<string, string>;
  const zip = new PizZip();
  zip.file('package.json', JSON.stringify({ name, version, type, main }, null, 2));
  zip.file('host.json', await readFile(join(repositoryRoot, 'host.json')));
  for (const file of ['functions.js', 'functions.js.map']) {
    zip.file(`dist/${file}`, await readFile(join(directory, file)));
  }
  await writeFile(outfile, zip.generate({ type: 'nodebuffer', compression: 'DEFLATE' }));
  return outfile;
}

if (import.meta.main) {
  await build();
  console.log(await packageFunctions());
}

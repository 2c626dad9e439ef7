import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Metafile } from 'esbuild';
import { repositoryRoot } from '../repository-root.ts';

/** A package with at least one byte in a bundle. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** SPDX expression from its package.json, otherwise from the first line of its license text. */
  readonly license: string;
  readonly author: string;
  /** Absolute path of the installed package. */
  readonly directory: string;
}

interface PackageJson {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  /** The form before SPDX, which some packages still use. */
  readonly licenses?: readonly { readonly type: string }[];
  readonly author?: string | { readonly name: string };
}

/** Sorted by name, then version; a package can be present in two versions. */
export async function bundledPackages({ outputs }: Metafile): Promise<BundledPackage[]> {
  const directories = new Set<string>();
  for (const { inputs } of Object.values(outputs)) {
    for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
      const directory = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0];
      if (directory !== undefined && bytesInOutput > 0) directories.add(directory);
    }
  }
  const packages = await Promise.all(
    [...directories].map((path) => bundledPackage(resolve(repositoryRoot, path))),
  );
  return packages.toSorted(inOrder);
}

async function bundledPackage(directory: string): Promise<BundledPackage> {
  const { name, version, license, licenses, author } = JSON.parse(
    await readFile(join(directory, 'package.json'), 'utf8'),
  ) as PackageJson;
  return {
    name,
    version,
    license: license ?? licenses?.map(({ type }) => type).join(' OR ') ?? (await licenseInText(directory)),
    author: typeof author === 'string' ? author : (author?.name ?? ''),
    directory,
  };
}

// lande and toygrad have a license text and no `license` field.
async function licenseInText(directory: string): Promise<string> {
  const file = (await readdir(directory)).find((name) => /^licen[cs]e(?:\.(?:md|txt))?$/i.test(name));
  if (file === undefined) return '';
  const [title = ''] = (await readFile(join(directory, file), 'utf8')).trimStart().split('\n', 1);
  return /^(?:The )?MIT License(?: \(MIT\))?$/.test(title.trim()) ? 'MIT' : '';
}

const inOrder = (a: BundledPackage, b: BundledPackage): number =>
  compare(a.name, b.name) || compare(a.version, b.version);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

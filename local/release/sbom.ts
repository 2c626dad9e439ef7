import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { repositoryRoot } from '../repository-root.ts';
import type { BundledPackage } from './bundled-packages.ts';

/** The parts of CycloneDX 1.5 that are read or changed here. */
interface Bom {
  metadata: { component: { 'bom-ref': string; name: string; type: string } };
  components: { 'bom-ref': string; name: string; version: string; licenses?: object[] }[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

/**
 * Writes the software bill of materials of one artifact: what `npm sbom` says of the packages that are in its bundle.
 *
 * Not `npm sbom --omit dev`: npm 11 leaves out packages that a development tool needs as well, @azure/functions and zod
 * among them (measured: 49 components, without 4 of 17 dependencies), and lists some of which no byte is in the bundle.
 *
 * @throws Error when npm knows nothing of a bundled package
 */
export async function writeSbom(
  artifact: string,
  packages: readonly BundledPackage[],
  outfile: string,
): Promise<void> {
  const { stdout } = await promisify(execFile)('npm', ['sbom', '--sbom-format', 'cyclonedx'], {
    cwd: repositoryRoot,
    maxBuffer: 64 << 20,
  });
  const bom = JSON.parse(stdout) as Bom;
  const bundled = new Set(packages.map(({ name, version }) => `${name}@${version}`));
  const idOf = ({ name, version }: { name: string; version: string }) => `${name}@${version}`;
  // npm takes the license from package.json alone, where a few packages have none.
  const licenses = new Map(packages.map((each) => [idOf(each), each.license]));
  const components = bom.components
    .filter((component) => bundled.has(idOf(component)))
    .map((component) => ({
      licenses: [{ license: { id: licenses.get(idOf(component)) } }],
      ...component,
    }));
  const missing = bundled.difference(new Set(components.map(idOf)));
  if (missing.size > 0) throw new Error(`npm sbom does not list ${[...missing].join(', ')}`);

  const root = bom.metadata.component['bom-ref'];
  const refs = new Set([root, ...components.map((component) => component['bom-ref'])]);
  const dependencies = bom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => refs.has(other)) }));
  const component = { ...bom.metadata.component, name: artifact, type: 'application' };
  const ownBom = { ...bom, metadata: { ...bom.metadata, component }, components, dependencies };
  await writeFile(outfile, `${JSON.stringify(ownBom, null, 2)}\n`);
}

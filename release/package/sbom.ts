import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { repositoryRoot } from '../repository-root.ts';
import type { BundledPackage } from '../build/bundled-packages.ts';
import { releaseDate } from './release-date.ts';

/** The parts of CycloneDX 1.5 that this module reads or changes. */
interface Bom {
  serialNumber?: string;
  metadata: { timestamp: string; component: { 'bom-ref': string; name: string; type: string } };
  components: BomComponent[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

interface BomComponent {
  'bom-ref': string;
  type?: string;
  name: string;
  version: string;
  purl?: string;
  cpe?: string;
  licenses?: object[];
  hashes?: object[];
}

let listing: Promise<Bom> | undefined;

/**
 * What npm lists for this repository, with the same text wherever it is. Once per process: it takes a second of processor
 * time.
 */
const listInstalled = (): Promise<Bom> =>
  (listing ??= promisify(execFile)('npm', ['sbom', '--sbom-format', 'cyclonedx'], {
    cwd: repositoryRoot,
    maxBuffer: 64 << 20,
  }).then(({ stdout }) => JSON.parse(stdout.replaceAll(`file:${repositoryRoot}/`, 'file:')) as Bom));

/**
 * Writes the software bill of materials of one artifact: the output of `npm sbom` for the packages in its bundle.
 *
 * `npm sbom --omit dev` is not sufficient: npm 11 omits packages that a development tool also needs, including
 * @azure/functions and zod (measured: 49 components, without 4 of 17 dependencies), and lists packages that are not in the
 * bundle.
 *
 * @param node what an executable has besides the packages (`nodeComponents`)
 * @throws Error if npm does not list a bundled package
 */
export async function writeSbom(
  artifact: string,
  packages: readonly BundledPackage[],
  outfile: string,
  node: readonly BomComponent[] = [],
): Promise<void> {
  const bom = await listInstalled();
  const bundled = new Set(packages.map(({ name, version }) => `${name}@${version}`));
  const idOf = ({ name, version }: { name: string; version: string }) => `${name}@${version}`;
  // npm reads the license only from package.json, where a few packages have none.
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
  const timestamp = `${releaseDate()}T00:00:00Z`;
  // npm's serial number, which CycloneDX does not require, is random.
  const { serialNumber: _, ...own } = {
    ...bom,
    metadata: { ...bom.metadata, timestamp, component },
    components: [...components, ...node],
  };
  await writeFile(outfile, `${JSON.stringify({ ...own, dependencies }, null, 2)}\n`);
}

/**
 * Names of NVD's dictionary, by which scanners find vulnerabilities of what is not from a package registry, of the parts that
 * `process.versions` names otherwise, as vendor:product (https://nvd.nist.gov/products/cpe).
 */
const productNames = new Map([
  ['node', 'nodejs:node.js'],
  ['ares', 'c-ares:c-ares'],
  ['brotli', 'google:brotli'],
  ['icu', 'icu-project:international_components_for_unicode'],
  ['llhttp', 'llhttp:llhttp'],
  ['nghttp2', 'nghttp2:nghttp2'],
  ['openssl', 'openssl:openssl'],
  ['sqlite', 'sqlite:sqlite'],
  ['uv', 'libuv:libuv'],
  ['v8', 'google:v8'],
  ['zlib', 'zlib:zlib'],
  ['zstd', 'facebook:zstandard'],
]);
/** Parts that are packages of npm as well, under the same name. */
const packagesOfNode = new Set(['acorn', 'amaro', 'undici']);
/** Numbers of an interface and versions of data, not of code. */
const noCode = new Set(['modules', 'napi', 'cldr', 'tz', 'unicode']);

/**
 * Node and what it bundles, for the bill of materials of an executable.
 *
 * @param versions `process.versions` of the Node inside
 */
export function nodeComponents(versions: Readonly<Record<string, string>>): BomComponent[] {
  return Object.entries(versions)
    .filter(([name, version]) => version !== '' && !noCode.has(name))
    .map(([name, full]) => {
      // 13.6.233.17-node.53, 1.3.2.1-motley-8002e91: the part before the hyphen is upstream's.
      const [version = full] = full.split('-');
      const product = productNames.get(name);
      return {
        'bom-ref': `node/${name}@${full}`,
        type: name === 'node' ? 'application' : 'library',
        name,
        version: full,
        purl: `pkg:${packagesOfNode.has(name) ? 'npm' : 'generic'}/${name}@${version}`,
        ...(product !== undefined && { cpe: `cpe:2.3:a:${product}:${version}:*:*:*:*:*:*:*` }),
      };
    });
}

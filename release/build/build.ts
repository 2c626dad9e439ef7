// `npm run build`: dist/functions.js and dist/console/ for the Core Tools, and dist/agent.cjs, which needs only Node; in
// another directory than dist/ with `npm run build -- DIRECTORY`.
// package-functions.ts builds the package for Azure.
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { repositoryRoot } from '../repository-root.ts';
import { buildConsole, writeConsole, type BuiltConsole } from './build-console.ts';
import { bundledPackages, type BundledPackage } from './bundled-packages.ts';
import packageFile from '../../package.json' with { type: 'json' };
import { build as bundle, type BuildOptions, type Metafile, type Plugin } from './esbuild.ts';
import { checkedLazyImports } from './lazy-imports.ts';
import { thirdPartyNotices } from './third-party-notices.ts';

const dist = join(repositoryRoot, 'dist');
const functionsProgram = { entryPoint: 'functions/index.ts', file: 'functions.js' };
const agentProgram = { entryPoint: 'agent/main.ts', file: 'agent.cjs' };

/** Of package.json, a bundle has the version: scripts and tools are nothing that the programs read. */
const versionOnly: Plugin = {
  name: 'version-only',
  setup(builder) {
    builder.onLoad({ filter: /package\.json$/ }, ({ path }) =>
      path === join(repositoryRoot, 'package.json')
        ? { contents: JSON.stringify({ version: packageFile.version }), loader: 'json' }
        : undefined,
    );
  },
};

export const bundleOptions = {
  absWorkingDir: repositoryRoot,
  bundle: true,
  platform: 'node',
  target: 'node22',
  format: 'esm',
  sourcemap: 'linked',
  // Stack traces need only lines and names, so the source itself is not deployed.
  sourcesContent: false,
  // Errors are named by their classes, and operators search logs by these names.
  keepNames: true,
  // Not minified: measured, minifying does not speed up the start, and it degrades stack traces.
  // The Functions worker provides this module at run time; no registry has it.
  external: ['@azure/functions-core'],
  // CommonJS packages in an ES module need `require` for Node's own modules, and the two path names.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);",
  },
  define: { __dirname: 'import.meta.dirname', __filename: 'import.meta.filename' },
  plugins: [checkedLazyImports, versionOnly],
  metafile: true,
  logLevel: 'warning',
} satisfies BuildOptions;

// CommonJS has what the banner and the two definitions provide.
const { banner: _, define: __, ...commonOptions } = bundleOptions;
/**
 * The agent is CommonJS, which saves 38 of 196 ms of processor time per run (docs/decisions/0030); the single executable
 * applications of Node 24 accept nothing else. `keepNames` would define the name of each function whenever it is created:
 * a sixth of the processor time of a copy. The classes of its errors have their names without it.
 */
const agentOptions = { ...commonOptions, format: 'cjs', keepNames: false } satisfies BuildOptions;

/** Next to functions.js, which serves it. */
export const consoleDirectory = 'console';

export interface Bundle {
  readonly file: string;
  /** What the bundle contains, including the console that ships with it. */
  readonly metafile: Metafile;
  /** Packages with code in the bundle. */
  readonly packages: readonly BundledPackage[];
}

/**
 * Bundles both programs into `outputDirectory`, each as one file with a source map and the third-party notices
 * (`*.notices.txt`) next to it.
 *
 * `import('…')` of a large package is lazy even in a single file: esbuild keeps its modules as functions that run on the
 * first import, so routes that don't need them pay for parsing but not for execution.
 */
export async function build(outputDirectory = dist): Promise<{ functions: Bundle; agent: Bundle }> {
  const [functions, agent] = await Promise.all([
    buildOneFile(functionsProgram, bundleOptions, outputDirectory, buildConsole()),
    buildAgent(outputDirectory),
  ]);
  return { functions, agent };
}

/** `build` for the agent only. */
export const buildAgent = (outputDirectory = dist): Promise<Bundle> =>
  buildOneFile(agentProgram, agentOptions, outputDirectory);

async function buildOneFile(
  { entryPoint, file: name }: typeof functionsProgram,
  options: BuildOptions & { metafile: true },
  outputDirectory: string,
  console?: Promise<BuiltConsole>,
): Promise<Bundle> {
  const file = join(outputDirectory, name);
  const bundling = bundleInto(outputDirectory, {
    ...options,
    entryPoints: [entryPoint],
    outfile: join(dist, name),
  });
  const built = await withConsole(file, bundling, console);
  await writeFile(noticesBeside(file), await thirdPartyNotices(built.packages));
  return built;
}

export const noticesBeside = (file: string): string => file.replace(/\.c?js$/, '.notices.txt');

/**
 * Bundles the service for deployment: the same code, with lazily loaded modules in separate files next to functions.js.
 * V8 would parse a single file completely at each cold start: 204 against 127 ms (docs/decisions/0007).
 */
export function buildForDeployment(outputDirectory: string, { hasConsole = true } = {}): Promise<Bundle> {
  const bundling = bundleInto(outputDirectory, {
    ...bundleOptions,
    entryPoints: { functions: functionsProgram.entryPoint },
    outdir: dist,
    splitting: true,
    chunkNames: 'lazy-[hash]',
  });
  const file = join(outputDirectory, functionsProgram.file);
  return withConsole(file, bundling, hasConsole ? buildConsole() : undefined);
}

/** Bundles as for dist/: the source maps, and with them the packages, are the same in every folder. */
async function bundleInto(
  outputDirectory: string,
  options: BuildOptions & { metafile: true },
): Promise<{ metafile: Metafile }> {
  const { metafile, outputFiles } = await bundle({ ...options, write: false });
  await mkdir(outputDirectory, { recursive: true });
  await Promise.all(
    outputFiles.map(({ path, contents }) => writeFile(join(outputDirectory, basename(path)), contents)),
  );
  return { metafile };
}

async function withConsole(
  file: string,
  bundling: Promise<{ metafile: Metafile }>,
  building: Promise<BuiltConsole> | undefined,
): Promise<Bundle> {
  const [{ metafile }, console] = await Promise.all([bundling, building]);
  if (console) await writeConsole(join(dirname(file), consoleDirectory), console);
  const all: Metafile = {
    inputs: { ...metafile.inputs, ...console?.metafile.inputs },
    outputs: { ...metafile.outputs, ...console?.metafile.outputs },
  };
  return { file, metafile: all, packages: await bundledPackages(all) };
}

if (import.meta.main) {
  const started = performance.now();
  for (const { file } of Object.values(await build(process.argv[2]))) {
    const { size } = await stat(file);
    console.log(`${file}  ${(size / 1024 / 1024).toFixed(2)} MiB`);
  }
  console.log(`Built in ${Math.round(performance.now() - started)} ms`);
}

// `npm run build`: dist/functions.js and dist/console/ for the Core Tools, and dist/agent.cjs, which needs only Node.
// package-functions.ts builds the package for Azure.
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build as bundle, type BuildOptions } from 'esbuild';
import { repositoryRoot } from '../repository-root.ts';
import { buildConsole } from './build-console.ts';
import { bundledPackages, mergedPackages, type BundledPackage } from './bundled-packages.ts';
import { checkedLazyImports } from './lazy-imports.ts';
import { leftOut } from './left-out.ts';
import { thirdPartyNotices } from './third-party-notices.ts';

const dist = join(repositoryRoot, 'dist');
const functionsProgram = { entryPoint: 'functions/index.ts', file: 'functions.js' };
const agentProgram = { entryPoint: 'agent/main.ts', file: 'agent.cjs' };

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
  plugins: [checkedLazyImports, leftOut],
  metafile: true,
  logLevel: 'warning',
} satisfies BuildOptions;

// CommonJS has what the banner and the two definitions provide.
const { banner: _, define: __, ...commonOptions } = bundleOptions;
/**
 * The agent is CommonJS, which saves 38 of 196 ms of processor time per run (docs/decisions/0030); the single executable
 * applications of Node 24 accept nothing else.
 */
const agentOptions = { ...commonOptions, format: 'cjs' } satisfies BuildOptions;

/** Next to functions.js, which serves it. */
const consoleDirectory = 'console';

export interface Bundle {
  readonly file: string;
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
export async function build(outputDirectory = dist): Promise<Bundle[]> {
  const shown = buildConsole(join(outputDirectory, consoleDirectory));
  return Promise.all([
    buildOneFile(functionsProgram, bundleOptions, outputDirectory, shown),
    buildAgent(outputDirectory),
  ]);
}

/** `build` for the agent only. */
export const buildAgent = (outputDirectory = dist): Promise<Bundle> =>
  buildOneFile(agentProgram, agentOptions, outputDirectory);

async function buildOneFile(
  { entryPoint, file: name }: typeof functionsProgram,
  options: BuildOptions & { metafile: true },
  outputDirectory: string,
  /** Packages in the artifacts that ship with it. */
  besides: Promise<readonly BundledPackage[]> = Promise.resolve([]),
): Promise<Bundle> {
  const file = join(outputDirectory, name);
  const [{ metafile }, others] = await Promise.all([
    bundle({ ...options, entryPoints: [entryPoint], outfile: file }),
    besides,
  ]);
  const packages = mergedPackages(await bundledPackages(metafile), others);
  await writeFile(noticesBeside(file), await thirdPartyNotices(packages));
  return { file, packages };
}

export const noticesBeside = (file: string): string => file.replace(/\.c?js$/, '.notices.txt');

/**
 * Bundles the service for deployment: the same code, with lazily loaded modules in separate files next to functions.js.
 * V8 would parse a single file completely at each cold start: 204 against 127 ms (`npm run bench coldstart`).
 */
export async function buildForDeployment(outputDirectory: string): Promise<Bundle> {
  const [{ metafile }, consolePackages] = await Promise.all([
    bundle({
      ...bundleOptions,
      entryPoints: { functions: functionsProgram.entryPoint },
      outdir: outputDirectory,
      splitting: true,
      chunkNames: 'lazy-[hash]',
    }),
    buildConsole(join(outputDirectory, consoleDirectory)),
  ]);
  const packages = mergedPackages(await bundledPackages(metafile), consolePackages);
  return { file: join(outputDirectory, functionsProgram.file), packages };
}

if (import.meta.main) {
  const started = performance.now();
  for (const { file } of await build()) {
    const { size } = await stat(file);
    console.log(`${file.slice(repositoryRoot.length + 1)}  ${(size / 1024 / 1024).toFixed(2)} MiB`);
  }
  console.log(`Built in ${Math.round(performance.now() - started)} ms`);
}

// `npm run build`: dist/functions.js and dist/console/ for the Core Tools, dist/agent.js, which runs in an empty folder with nothing but
// Node. What Azure runs is made by package-functions.ts.
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
const programs = {
  functions: { entryPoint: 'functions/index.ts', file: 'functions.js' },
  agent: { entryPoint: 'agent/main.ts', file: 'agent.js' },
};

export const bundleOptions = {
  absWorkingDir: repositoryRoot,
  bundle: true,
  platform: 'node',
  target: 'node22',
  format: 'esm',
  sourcemap: 'linked',
  // Lines and names are enough for stack traces; the source itself is not deployed.
  sourcesContent: false,
  // Error names come from their classes and are part of what logs are searched for.
  keepNames: true,
  // Not minified: measured, it makes the start no faster and stack traces worse.
  // The Functions worker provides this module at run time; it is in no registry.
  external: ['@azure/functions-core'],
  // CommonJS packages inside an ES module: `require` of Node's own modules and the two path names.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);",
  },
  define: { __dirname: 'import.meta.dirname', __filename: 'import.meta.filename' },
  plugins: [checkedLazyImports, leftOut],
  metafile: true,
  logLevel: 'warning',
} satisfies BuildOptions;

/** Beside functions.js, which serves it. */
const consoleDirectory = 'console';

export interface Bundle {
  readonly file: string;
  /** Whose code is in it. */
  readonly packages: readonly BundledPackage[];
}

/**
 * Bundles both programs into `outputDirectory`, each into one file with a source map and the third-party notices
 * (`*.notices.txt`) beside it.
 *
 * `import('…')` of a heavy package stays lazy inside the one file: esbuild keeps its modules as functions that run at
 * the first import, so a route that never needs them pays for reading the text but not for running it.
 */
export async function build(outputDirectory = dist): Promise<Bundle[]> {
  const shown = buildConsole(join(outputDirectory, consoleDirectory));
  return Promise.all([
    buildOneFile(programs.functions, outputDirectory, shown),
    buildOneFile(programs.agent, outputDirectory),
  ]);
}

/** `build` for the agent alone. */
export const buildAgent = (outputDirectory = dist): Promise<Bundle> =>
  buildOneFile(programs.agent, outputDirectory);

async function buildOneFile(
  { entryPoint, file: name }: (typeof programs)[keyof typeof programs],
  outputDirectory: string,
  /** Packages of what ships beside it. */
  besides: Promise<readonly BundledPackage[]> = Promise.resolve([]),
): Promise<Bundle> {
  const file = join(outputDirectory, name);
  const [{ metafile }, others] = await Promise.all([
    bundle({ ...bundleOptions, entryPoints: [entryPoint], outfile: file }),
    besides,
  ]);
  const packages = mergedPackages(await bundledPackages(metafile), others);
  await writeFile(noticesBeside(file), await thirdPartyNotices(packages));
  return { file, packages };
}

/**
 * The agent as one CommonJS file without a source map, which is what the single executable applications of Node 24 take
 * for their program.
 */
export async function buildAgentForExecutable(outfile: string): Promise<Bundle> {
  // What these two stand in for exists in CommonJS.
  const { banner: _, define: __, ...options } = bundleOptions;
  const { metafile } = await bundle({
    ...options,
    format: 'cjs',
    sourcemap: false,
    entryPoints: [programs.agent.entryPoint],
    outfile,
  });
  return { file: outfile, packages: await bundledPackages(metafile) };
}

export const noticesBeside = (file: string): string => file.replace(/\.js$/, '.notices.txt');

/**
 * The service as it is deployed: the same code, with what is loaded lazily in files of its own beside functions.js.
 * In the one file V8 reads over all of it at every cold start: 204 against 127 ms (`npm run bench coldstart`).
 */
export async function buildForDeployment(outputDirectory: string): Promise<Bundle> {
  const [{ metafile }, consolePackages] = await Promise.all([
    bundle({
      ...bundleOptions,
      entryPoints: { functions: programs.functions.entryPoint },
      outdir: outputDirectory,
      splitting: true,
      chunkNames: 'lazy-[hash]',
    }),
    buildConsole(join(outputDirectory, consoleDirectory)),
  ]);
  const packages = mergedPackages(await bundledPackages(metafile), consolePackages);
  return { file: join(outputDirectory, programs.functions.file), packages };
}

if (import.meta.main) {
  const started = performance.now();
  for (const { file } of await build()) {
    const { size } = await stat(file);
    console.log(`${file.slice(repositoryRoot.length + 1)}  ${(size / 1024 / 1024).toFixed(2)} MiB`);
  }
  console.log(`built in ${Math.round(performance.now() - started)} ms`);
}

// `npm run build`: dist/functions.js for the Core Tools, dist/agent.js, which runs in an empty folder with nothing but
// Node. What Azure runs is made by package-functions.ts.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { build as bundle, type BuildOptions } from 'esbuild';
import { repositoryRoot } from '../repository-root.ts';
import { checkedLazyImports } from './lazy-imports.ts';

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
  plugins: [checkedLazyImports],
  logLevel: 'warning',
} satisfies BuildOptions;

/**
 * Bundles both programs into `outputDirectory`, each into one file with a source map beside it.
 *
 * `import('…')` of a heavy package stays lazy inside the one file: esbuild keeps its modules as functions that run at
 * the first import, so a route that never needs them pays for reading the text but not for running it.
 */
export async function build(outputDirectory = dist): Promise<string[]> {
  return Promise.all(Object.values(programs).map((program) => buildOneFile(program, outputDirectory)));
}

/** `build` for the agent alone. */
export const buildAgent = (outputDirectory = dist): Promise<string> =>
  buildOneFile(programs.agent, outputDirectory);

async function buildOneFile(
  { entryPoint, file }: (typeof programs)[keyof typeof programs],
  outputDirectory: string,
): Promise<string> {
  const outfile = join(outputDirectory, file);
  await bundle({ ...bundleOptions, entryPoints: [entryPoint], outfile });
  return outfile;
}

/**
 * The service as it is deployed: the same code, with what is loaded lazily in files of its own beside functions.js.
 * In the one file V8 reads over all of it at every cold start: 204 against 127 ms (`npm run bench coldstart`).
 */
export async function buildForDeployment(outputDirectory: string): Promise<void> {
  await bundle({
    ...bundleOptions,
    entryPoints: { functions: programs.functions.entryPoint },
    outdir: outputDirectory,
    splitting: true,
    chunkNames: 'lazy-[hash]',
  });
}

if (import.meta.main) {
  const started = performance.now();
  for (const file of await build()) {
    const { size } = await stat(file);
    console.log(`${file.slice(repositoryRoot.length + 1)}  ${(size / 1024 / 1024).toFixed(2)} MiB`);
  }
  console.log(`built in ${Math.round(performance.now() - started)} ms`);
}

import type { Plugin } from 'esbuild';

interface LeftOut {
  /** Why nothing here calls it. */
  readonly reason: string;
  /** The names that are imported from it; the build fails when an update imports another. */
  readonly exports: readonly string[];
}

/** Packages that an SDK imports for features this product does not use. Each call of one throws and names it. */
const packages: Readonly<Record<string, LeftOut>> = {
  'apache-arrow': {
    reason: '@azure/storage-blob reads lists of blobs in this format where responseFormat asks for it',
    exports: ['tableFromIPC'],
  },
  open: {
    reason:
      '@azure/identity opens a browser with it for interactive sign-in; a service has the managed identity',
    exports: ['default'],
  },
  '@azure/core-process': {
    reason: '@azure/identity runs az, azd and PowerShell with it for the credentials of developers',
    exports: ['execFile', 'isProcessError'],
  },
  jsonwebtoken: {
    reason: '@azure/msal-node signs with a certificate by it; this service has a client secret',
    exports: ['default'],
  },
};

/** zod's messages in fifty languages, 400 of its 990 KB; English is imported apart from this list. */
const locales = /[\\/]node_modules[\\/]zod[\\/]v4[\\/]\w+$/;

const namespace = 'left-out';

/** Replaces what SDKs bring along and this product never runs, so that it is neither loaded nor shipped nor audited. */
export const leftOut: Plugin = {
  name: namespace,
  setup(build) {
    const names = Object.keys(packages).map((name) => name.replaceAll('/', '\\/'));
    build.onResolve({ filter: new RegExp(`^(${names.join('|')})$`) }, ({ path }) => ({ path, namespace }));
    build.onResolve({ filter: /^\.\.\/locales\/index\.js$/ }, ({ path, resolveDir }) =>
      locales.test(resolveDir) ? { path, namespace, sideEffects: false } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace }, ({ path }) => ({
      contents: packages[path] ? standIn(path, packages[path]) : 'export {};',
    }));
  },
};

function standIn(name: string, { reason, exports }: LeftOut): string {
  const text = `${name} is not in this bundle (${reason}): see local/release/left-out.ts`;
  return `const fail = () => { throw new Error(${JSON.stringify(text)}); };
const leftOut = new Proxy(fail, { get: fail });
export { ${exports.map((exported) => `leftOut as ${exported}`).join(', ')} };`;
}

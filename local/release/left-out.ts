import type { Plugin } from 'esbuild';

interface LeftOut {
  /** Why our code never calls it. */
  readonly reason: string;
  /** The names imported from it; the build fails if an update imports another one. */
  readonly exports: readonly string[];
}

/** Packages that an SDK imports for features this product does not use. A call throws an error that names the package. */
const packages: Readonly<Record<string, LeftOut>> = {
  'apache-arrow': {
    reason: '@azure/storage-blob reads lists of blobs in this format if responseFormat requests it',
    exports: ['tableFromIPC'],
  },
  open: {
    reason:
      '@azure/identity opens a browser with it for interactive sign-in; the service uses a managed identity',
    exports: ['default'],
  },
  '@azure/core-process': {
    reason: '@azure/identity runs az, azd, and PowerShell with it for the credentials of developers',
    exports: ['execFile', 'isProcessError'],
  },
  jsonwebtoken: {
    reason: '@azure/msal-node signs with a certificate with it; the service uses a client secret',
    exports: ['default'],
  },
};

/** zod's messages in fifty languages, 400 of its 990 KB; English is imported separately. */
const locales = /[\\/]node_modules[\\/]zod[\\/]v4[\\/]\w+$/;

const namespace = 'left-out';

/** Replaces unused dependencies of SDKs, which are then not loaded, shipped, or audited. */
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

import { inject } from 'vitest';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Directories by the entry points of the programs that were built in them. */
    built: Readonly<Record<string, string>>;
  }
}

/** The directory with the programs that a global setup built. `named-files.ts` reads their entry points from the call. */
export function builtFrom(...entryPoints: readonly [string, ...string[]]): string {
  const [directory, ...others] = new Set(entryPoints.map((entryPoint) => inject('built')[entryPoint]));
  if (directory === undefined || others.length > 0) {
    throw new Error(`No directory has all programs built from ${entryPoints.join(', ')}.`);
  }
  return directory;
}

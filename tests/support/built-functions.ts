import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metafile } from '../../local/release/esbuild.ts';
import { builtFrom } from './built-from.ts';

const built = (name: string): string => join(builtFrom('functions/index.ts'), name);

/** The package for Azure. */
export const functionsZip = (): string => built('functions.zip');
/** Its unpacked contents. */
export const appDirectory = (): string => built('unpacked');
/** The app as `npm run build` makes it: the service in one file, for the Core Tools. */
export const oneFileDirectory = (): string => built('one-file');
/** esbuild's description of the service in one file and its console, or of the agent. */
export const metafileOf = async (name: 'functions' | 'agent'): Promise<Metafile> =>
  JSON.parse(await readFile(built(`${name}.meta.json`), 'utf8')) as Metafile;

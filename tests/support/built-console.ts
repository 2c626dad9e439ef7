import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metafile } from '../../release/build/esbuild.ts';
import { zipFunctions } from '../../release/package/package-functions.ts';
import { appDirectory, builtFunctions } from './built-functions.ts';
import { builtOnce } from './built-once.ts';

const built = (): Promise<string> =>
  builtOnce('console/main.tsx', async (directory) => {
    await cp(await appDirectory(), join(directory, 'app'), { recursive: true });
    await zipFunctions(join(directory, 'app'), join(directory, 'functions.zip'));
  });

/** The contents of the package for Azure, for tests of the console and of the package itself. */
export const packagedApp = async (): Promise<string> => join(await built(), 'app');
/** The package for Azure. */
export const functionsZip = async (): Promise<string> => join(await built(), 'functions.zip');

/** esbuild's description of the service and the console that ships with it. */
export const functionsMetafile = async (): Promise<Metafile> =>
  JSON.parse(await readFile(join(await builtFunctions(), 'meta.json'), 'utf8')) as Metafile;

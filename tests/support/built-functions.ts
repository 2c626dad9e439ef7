import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { layOutFunctions } from '../../release/package/package-functions.ts';
import { builtOnce } from './built-once.ts';

/** The service as it is deployed in `app/`, its console without compressed copies, and esbuild's description in `meta.json`. */
export const builtFunctions = (): Promise<string> =>
  builtOnce('functions/index.ts', async (directory) => {
    const { metafile } = await layOutFunctions(join(directory, 'app'));
    await writeFile(join(directory, 'meta.json'), JSON.stringify(metafile));
  });

export const appDirectory = async (): Promise<string> => join(await builtFunctions(), 'app');

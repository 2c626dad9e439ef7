import { join } from 'node:path';
import { builtFrom } from './built-from.ts';

/** `appDirectory`, for tests of the console in it. */
export const appWithConsole = (): string =>
  join(builtFrom('functions/index.ts', 'console/main.tsx'), 'unpacked');

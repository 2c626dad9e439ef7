import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, type TestContext } from 'vitest';
import { has, type NeedName, needs } from './needs.ts';
import { runFolder } from './run-folder.ts';

/** In the folder of a run: what was skipped, for the summary at its end (`tests/support/missing-programs.ts`). */
export const missingName = 'missing.txt';

/**
 * `describe` and `test` of vitest for what needs all of these: `const { test } = requires('squid')` for a file, or
 * `requires('squid').test('…', …)` for one test. If something is missing, they skip, and hooks of a file or group of which
 * everything is skipped do not run.
 *
 * @throws Error with CI set, if something is missing
 */
export function requires(...names: readonly NeedName[]): Pick<typeof import('vitest'), 'describe' | 'test'> {
  const missing = names.filter((name) => !has(name));
  if (missing.length === 0) return { describe, test };
  for (const name of missing) noteMissing(name);
  return { describe: describe.skip as typeof describe, test: test.skip as typeof test };
}

/** For what only a test that runs finds out to be missing. @throws Error with CI set */
export function skipWithout(name: NeedName, context: TestContext): never {
  noteMissing(name);
  context.skip();
}

function noteMissing(name: NeedName): void {
  // oxlint-disable-next-line node/no-process-env
  if (process.env['CI'] && !needs[name].isPlatform)
    throw new Error(`CI is set, and this machine lacks ${name}`);
  const file = expect.getState().testPath ?? '';
  appendFileSync(join(runFolder(), missingName), `${JSON.stringify({ name, file })}\n`);
}

import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newStorage } from './shared-azurite.ts';
import { startStack as start, type Stack, type StackOptions } from '../../local/stack/stack.ts';

export type { Stack, StackOptions };

/** Starts a stack on the run's Azurite. Its logs and shares are in the temporary folder of the test file, and kept with it. */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  return start({ directory: await mkdtemp(join(tmpdir(), 'stack-')), storage: newStorage, ...options });
}

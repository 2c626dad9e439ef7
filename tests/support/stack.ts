import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newStorage } from './shared-azurite.ts';
import { startStack as start, type Stack, type StackOptions } from '../../local/stack/stack.ts';

export type { Stack, StackOptions };

/** Starts a stack that shares Azurite with others, and whose logs and shares remain in the temporary folder of the test file, and are kept with it. */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  return start({ directory: await mkdtemp(join(tmpdir(), 'stack-')), storage: newStorage, ...options });
}

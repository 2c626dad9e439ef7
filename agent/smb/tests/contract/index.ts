import { afterAll } from 'vitest';
import { type Contract, expectBytesUnchanged } from './context.ts';
import { directoryContract } from './directories.ts';
import { fileContract } from './files.ts';
import { nodeContract } from './node-calls.ts';
import { nameContract } from './names.ts';
import { publishingContract } from './publishing.ts';

export { type Contract, bytesOf, fileHas, ownName, rejection } from './context.ts';

/** Everything the agent relies on, regardless of the server and its settings. */
export function smbContract(contract: () => Contract): void {
  frameContract(contract);
  directoryContract(contract);
  nodeContract(contract);
  nameContract(contract);
}

/**
 * For settings that only change how frames are protected: frames of every kind and size in both directions, alone, in
 * compounds, and a hundred at the same time.
 */
export function frameContract(contract: () => Contract): void {
  fileContract(contract);
  publishingContract(contract);
  afterAll(expectBytesUnchanged);
}

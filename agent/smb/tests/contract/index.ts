import { afterAll } from 'vitest';
import { type Contract, expectBytesUnchanged } from './context.ts';
import { directoryContract } from './directories.ts';
import { fileContract } from './files.ts';
import { nodeContract } from './node-calls.ts';
import { nameContract } from './names.ts';
import { concurrentContract, publishingContract } from './publishing.ts';

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
  callContract(contract);
}

/** For settings with the frames of another row, which are only agreed otherwise: a hundred calls of every kind. */
export function callContract(contract: () => Contract): void {
  concurrentContract(contract);
  afterAll(expectBytesUnchanged);
}

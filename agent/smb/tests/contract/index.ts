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
  directoryContract(contract);
  fileContract(contract);
  nodeContract(contract);
  publishingContract(contract);
  nameContract(contract);
  afterAll(expectBytesUnchanged);
}

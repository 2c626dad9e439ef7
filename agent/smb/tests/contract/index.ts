import { type Contract } from './context.ts';
import { directoryContract, listingContract } from './directories.ts';
import { fileContract } from './files.ts';
import { nodeContract, nodeCopyContract } from './node-calls.ts';
import { nameContract } from './names.ts';
import { concurrentContract, copyContract, publishingContract } from './publishing.ts';

export { type Contract, bytesOf, expectBytesUnchanged, fileHas, ownName, rejection } from './context.ts';

/** Everything the agent relies on, regardless of the server and its settings. */
export function smbContract(contract: () => Contract): void {
  frameContract(contract);
  copyContract(contract);
  directoryContract(contract);
  listingContract(contract);
  nodeContract(contract);
  nodeCopyContract(contract);
  nameContract(contract);
}

/**
 * For settings that only change how frames are protected: frames of every kind and size in both directions, alone, in
 * compounds, and a hundred at the same time.
 */
export function frameContract(contract: () => Contract): void {
  fileContract(contract);
  publishingContract(contract);
  concurrentContract(contract, 100);
}

/** For settings that only change how large a frame may be. */
export function sizeContract(contract: () => Contract): void {
  frameContract(contract);
  listingContract(contract);
}

/** For settings that only change how contents get from one share to another. */
export function copiesContract(contract: () => Contract): void {
  copyContract(contract);
  nodeCopyContract(contract);
  concurrentContract(contract, 100);
}

/** For settings with the frames of another row, which are only agreed otherwise: a few calls of every kind. */
export function callContract(contract: () => Contract): void {
  concurrentContract(contract, 20);
}

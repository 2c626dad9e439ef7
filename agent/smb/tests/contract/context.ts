import { randomUUID } from 'node:crypto';
import { readSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { expect } from 'vitest';
import type { FileCalls, SmbClient, SmbErrorCode } from '../../index.ts';
import { SmbError } from '../../index.ts';

/** The environment of a contract test. The folders are the shares' contents on the server's disk. */
export interface Contract {
  client: Pick<SmbClient, 'connect' | 'traffic' | 'close'>;
  template: FileCalls;
  projects: FileCalls;
  templateFolder: string;
  projectFolder: string;
  /** Whether the server copies contents by itself (FSCTL_SRV_COPYCHUNK). */
  copiesOnServer: boolean;
}

/** A separate directory name for every test. Tests share a server but no files. */
export const ownName = (): string => `t-${randomUUID()}`;

/** Awaits the rejection of a call and checks what every error of the client must have. */
export async function rejection(call: Promise<unknown>, code?: SmbErrorCode): Promise<SmbError> {
  const error = await call.then(
    () => {
      throw new Error(`the call succeeded; expected ${code ?? 'an SmbError'}`);
    },
    (reason: unknown) => reason,
  );
  if (!(error instanceof SmbError)) throw error;
  if (code !== undefined) expect(error.code, error.message).toBe(code);
  // Not by `expect`, which takes 0.1 ms: some tests call this a thousand times.
  const { operation, message, status, statusName = '' } = error;
  const isNamed = status === undefined || /^[A-Z][A-Z_]+$|^0x/.test(statusName);
  if (operation === '' || message === '' || !isNamed)
    throw new Error('an error lacks its operation, message or status name', { cause: error });
  return error;
}

/** A file of this size is opened, read or written in several pieces, and closed; a smaller one may take a single frame. */
export const severalPieces = 600_000;

// Large contents are allocated once. Allocating them for each use took a third of the contract's processor time, for
// garbage collection.
const largeBytes = 100_000;
const large = new Map<number, Buffer>();

/** Bytes that differ at every position, which reveals a swapped or repeated block. Do not modify them. */
export function bytesOf(length: number): Buffer {
  if (length < largeBytes) return generatedBytes(length);
  const bytes = large.get(length) ?? generatedBytes(length);
  large.set(length, bytes);
  return bytes;
}

function generatedBytes(length: number): Buffer {
  const words = new Uint32Array(Math.ceil(length / 4));
  for (let at = 0; at < length >> 2; at += 1) words[at] = Math.imul(at, 2_654_435_761) + length;
  return Buffer.from(words.buffer, 0, length);
}

/** Checks that no test has modified the results of `bytesOf`, which files are compared with. */
export function expectBytesUnchanged(): void {
  for (const [length, bytes] of large) expect(bytes.equals(generatedBytes(length)), `${length}`).toBe(true);
}

const compared = Buffer.alloc(1_048_576);

/** Whether a file has exactly these contents. Unlike `readFile`, it allocates nothing. */
export async function fileHas(path: string, contents: Buffer): Promise<boolean> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    if (size !== contents.length) return false;
    for (let at = 0; at < size;) {
      // Synchronous, because concurrent calls share the buffer.
      const bytes = readSync(file.fd, compared, 0, compared.length, at);
      if (bytes === 0 || !compared.subarray(0, bytes).equals(contents.subarray(at, at + bytes))) return false;
      at += bytes;
    }
    return true;
  } finally {
    await file.close();
  }
}

import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { FileCalls, SmbClient, SmbErrorCode } from '../../../agent/smb/index.ts';
import { SmbError } from '../../../agent/smb/index.ts';

/** The environment of a contract test. The folders are the shares' contents on the server's disk. */
export interface Contract {
  client: Pick<SmbClient, 'connect' | 'traffic' | 'close'>;
  template: FileCalls;
  projects: FileCalls;
  templateFolder: string;
  projectFolder: string;
  /** Whether this server copies itself (FSCTL_SRV_COPYCHUNK). */
  copiesOnServer: boolean;
}

/** A separate directory name for every test, so that tests share a server but no files. */
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
  expect(error.operation).not.toBe('');
  expect(error.message).not.toBe('');
  if (error.status !== undefined) expect(error.statusName).toMatch(/^[A-Z][A-Z_]+$|^0x/);
  return error;
}

/** Bytes that differ at every position, so that a swapped or repeated block shows. */
export function bytesOf(length: number): Buffer {
  const data = Buffer.alloc(length);
  for (let at = 0; at + 4 <= length; at += 4) data.writeUInt32LE((at * 2_654_435_761 + length) >>> 0, at);
  return data;
}

import type { SmbError } from './smb/index.ts';

export type Side = 'template' | 'destination';

/** What stopped a copy, and where. `cause` is the SMB client's error. */
export class CopyError extends Error {
  override readonly name = 'CopyError';
  readonly side: Side;
  /** UNC path. */
  readonly path: string;
  override readonly cause: SmbError;

  constructor(side: Side, path: string, cause: SmbError) {
    super(`${side} ${path}: ${cause.message}`, { cause });
    this.side = side;
    this.path = path;
    this.cause = cause;
  }
}

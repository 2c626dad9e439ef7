import { SmbError } from './smb/index.ts';

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

/** The error with its place, if the file server or its connection caused it. @param path UNC path */
export const placed = (side: Side, path: string, error: unknown): unknown =>
  error instanceof SmbError ? new CopyError(side, path, error) : error;

/** @throws CopyError */
export async function at<T>(side: Side, path: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw placed(side, path, error);
  }
}

import { joinPath } from './share-folder.ts';
import { type FileCalls, SmbError } from '../smb/index.ts';

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

/** The error with its place, if the file server or its connection caused it. */
export const copyErrorAt = (side: Side, { unc }: FileCalls, path: string, error: unknown): unknown =>
  error instanceof SmbError ? new CopyError(side, joinPath(unc, path), error) : error;

/** A call about `path` in `folder`. @throws CopyError */
export async function at<T>(
  side: Side,
  folder: FileCalls,
  path: string,
  call: (path: string) => Promise<T>,
): Promise<T> {
  try {
    return await call(path);
  } catch (error) {
    throw copyErrorAt(side, folder, path, error);
  }
}

import { SmbError } from './smb-error.ts';

export function aborted(): SmbError {
  return new SmbError('ABORTED', 'Given up by the caller', { operation: 'abort' });
}

/** Gives up waiting; what is shared with other callers goes on. */
export async function unlessAborted<T>(shared: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return shared;
  if (signal.aborted) {
    // Nobody else may be waiting for it.
    shared.catch(() => {});
    throw aborted();
  }
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(aborted());
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([shared, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

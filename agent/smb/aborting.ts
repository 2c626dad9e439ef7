import { SmbError } from './base/smb-error.ts';

export function aborted({ reason }: AbortSignal): SmbError {
  return new SmbError('ABORTED', 'Aborted by the caller', { operation: 'abort', cause: reason });
}

/** Stops waiting when the signal aborts. Work that other callers share continues. */
export async function unlessAborted<T>(shared: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return shared;
  if (signal.aborted) {
    // This caller may have been the only one to observe the promise.
    shared.catch(() => {});
    throw aborted(signal);
  }
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(aborted(signal));
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([shared, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

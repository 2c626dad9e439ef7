import { SmbError } from './smb-error.ts';

export function abortError({ reason }: AbortSignal): SmbError {
  return new SmbError('ABORTED', 'Aborted by the caller', { operation: 'abort', cause: reason });
}

/** Stops waiting when the signal aborts. Work that other callers share continues. */
export async function unlessAborted<T>(shared: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return shared;
  if (signal.aborted) {
    // This caller may have been the only one to observe the promise.
    shared.catch(() => {});
    throw abortError(signal);
  }
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(abortError(signal));
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([shared, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/**
 * What a signal aborts, with one listener for each signal. A copy has hundreds of requests on the same signal, which
 * searches all its listeners for each that is added or removed.
 */
export class Abortables<T> {
  readonly #bySignal = new Map<AbortSignal, { readonly items: Set<T>; readonly listener: () => void }>();
  readonly #abort: (item: T) => void;

  constructor(abort: (item: T) => void) {
    this.#abort = abort;
  }

  add(signal: AbortSignal, item: T): void {
    const known = this.#bySignal.get(signal);
    if (known !== undefined) {
      known.items.add(item);
      return;
    }
    const items = new Set([item]);
    const listener = () => {
      this.#bySignal.delete(signal);
      for (const each of items) this.#abort(each);
    };
    this.#bySignal.set(signal, { items, listener });
    signal.addEventListener('abort', listener, { once: true });
  }

  delete(signal: AbortSignal, item: T): void {
    const known = this.#bySignal.get(signal);
    if (known === undefined || !known.items.delete(item) || known.items.size > 0) return;
    this.#bySignal.delete(signal);
    signal.removeEventListener('abort', known.listener);
  }
}

import type { Dispatcher, request as undiciRequest } from 'undici';
import { LibraryError, libraryErrorOf } from './library-error.ts';

type Options = Omit<NonNullable<Parameters<typeof undiciRequest<null>>[1]>, 'body'> & {
  readonly body?: Iterable<Uint8Array> | AsyncIterable<Uint8Array> | undefined;
};

/**
 * undici's `request`, for upload and download URLs: unlike `fetch`, it has a timeout for each phase. Loaded by the first
 * transfer: with 1.3 MiB of source it would be the largest part of every cold start.
 *
 * @throws LibraryError `busy` when the connection breaks or the library does not respond in time; any other error is a
 * bug
 */
export async function request(url: string, { body, ...options }: Options): Promise<Dispatcher.ResponseData> {
  const undici = await import('./undici-request.ts');
  try {
    // undici accepts iterables (see its documentation of Dispatcher.dispatch), although its types do not. A stream made
    // from one would read ahead and cost more.
    return await undici.request(url, { ...options, body: (body ?? null) as null });
  } catch (error) {
    throw withoutUrl(error);
  }
}

/** The text of a response. @throws like {@link request} */
export async function textOf({ body }: Dispatcher.ResponseData): Promise<string> {
  try {
    return await body.text();
  } catch (error) {
    throw withoutUrl(error);
  }
}

/**
 * Ends a response that nobody reads. Of one that has arrived as a whole, undici then emits an error, which without a listener ends
 * the process (measured with 8.12.4: a rest of 10 bytes).
 */
export function discard({ body }: Dispatcher.ResponseData): void {
  body.on('error', () => undefined).destroy();
}

/** The error that a response with this text reports. */
export function rejectionOf(
  { statusCode, headers }: Dispatcher.ResponseData,
  text: string,
  method?: string,
): LibraryError {
  const retryAfter = [headers['retry-after']].flat()[0];
  const sent = new Headers(retryAfter === undefined ? {} : { 'retry-after': retryAfter });
  const rejection = { status: statusCode, headers: sent, body: text };
  return libraryErrorOf(rejection, method === undefined ? {} : { method });
}

// Errors of undici that show a bug of ours.
const misuse: ReadonlySet<string> = new Set(['UND_ERR_INVALID_ARG', 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH']);

/** Reports only the code of a broken connection (ECONNRESET, UND_ERR_…): the message may quote the URL. */
function withoutUrl(error: unknown): unknown {
  const { code, name } = error as { code?: unknown; name?: unknown };
  const broken = typeof code === 'string' ? code : name;
  const isOutage = typeof code === 'string' ? !misuse.has(code) : name === 'TimeoutError';
  if (!isOutage) return error;
  return new LibraryError('busy', { cause: new Error(`connection to the library: ${String(broken)}`) });
}

import { DirectUploadError } from './direct-upload-error.ts';
import { nextExpectedByte } from './fragments.ts';
import { unreachable } from './upload-routes.ts';

/** The outcome of a fragment, or the status of the session. */
export type SessionResult =
  /** The first byte that the library lacks; null when it has all. */
  | { readonly state: 'open'; readonly next: number | null }
  /** The session no longer exists: expired, canceled, or its token has expired. */
  | { readonly state: 'gone' }
  /** No response, or a temporary error; a page often cannot distinguish them (the library hides its errors from pages). */
  | { readonly state: 'failed'; readonly error: DirectUploadError };

interface Range {
  readonly start: number;
  readonly end: number;
}

interface Sending {
  readonly signal: AbortSignal | undefined;
  readonly onProgress: (sentBytes: number) => void;
}

/**
 * Sends one fragment. The URL authenticates itself: the library rejects a token or any header that the browser does not set
 * itself.
 *
 * @throws DirectUploadError `file_changed`
 */
export async function putFragment(
  uploadUrl: string,
  file: Blob,
  range: Range,
  sending: Sending,
): Promise<SessionResult> {
  const send = 'XMLHttpRequest' in globalThis ? sendWithProgress : sendByFetch;
  const result = await send(uploadUrl, file, range, sending);
  if (result.state === 'failed') await requireReadable(file, range.start);
  return result;
}

/** `fetch` does not report the progress of an upload. */
function sendWithProgress(
  uploadUrl: string,
  file: Blob,
  range: Range,
  { signal, onProgress }: Sending,
): Promise<SessionResult> {
  const { start, end } = range;
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = (): void => request.abort();
    request.open('PUT', uploadUrl);
    request.setRequestHeader('content-range', contentRange(range, file));
    request.upload.addEventListener('progress', ({ loaded }) => onProgress(Math.min(loaded, end - start)));
    request.addEventListener('loadend', () => {
      signal?.removeEventListener('abort', abort);
      if (signal?.aborted) reject(signal.reason as Error);
      else {
        // Reading a header that the library does not expose logs an error in the browser's console.
        const [, retryAfter = null] = /^retry-after: *(.+)$/im.exec(request.getAllResponseHeaders()) ?? [];
        resolve(resultOf(request.status, request.responseText, retryAfter));
      }
    });
    signal?.addEventListener('abort', abort);
    // slice() drops the type, which the browser would send as Content-Type.
    request.send(file.slice(start, end));
  });
}

/** Outside pages. */
const sendByFetch: typeof sendWithProgress = (uploadUrl, file, range, { signal }) =>
  fetchResult(uploadUrl, signal, {
    method: 'PUT',
    headers: { 'content-range': contentRange(range, file) },
    body: file.slice(range.start, range.end),
  });

const contentRange = ({ start, end }: Range, file: Blob): string => `bytes ${start}-${end - 1}/${file.size}`;

/** A file that has changed on disk since it was chosen fails like a lost connection, with each attempt. */
async function requireReadable(file: Blob, at: number): Promise<void> {
  try {
    await file.slice(at, at + 1).arrayBuffer();
  } catch (cause) {
    throw new DirectUploadError(
      'file_changed',
      'The file has changed or no longer exists. Choose it again.',
      {
        cause,
      },
    );
  }
}

/** Where the library expects the upload to continue. */
export const sessionStatus = (uploadUrl: string, signal: AbortSignal | undefined): Promise<SessionResult> =>
  fetchResult(uploadUrl, signal, { cache: 'no-store' });

async function fetchResult(
  uploadUrl: string,
  signal: AbortSignal | undefined,
  init: RequestInit,
): Promise<SessionResult> {
  try {
    const response = await fetch(uploadUrl, { ...init, ...(signal && { signal }) });
    return resultOf(response.status, await response.text(), response.headers.get('retry-after'));
  } catch (cause) {
    signal?.throwIfAborted();
    return { state: 'failed', error: unreachable('The library did not respond.', cause) };
  }
}

function resultOf(status: number, body: string, retryAfter: string | null): SessionResult {
  const seconds = retryAfter === null ? Number.NaN : Number(retryAfter);
  const failed = (): SessionResult => ({
    state: 'failed',
    error: unreachable(
      'The library did not respond.',
      undefined,
      Number.isFinite(seconds) ? seconds : undefined,
    ),
  });
  if (status === 404 || status === 401 || status === 403 || status === 410) return { state: 'gone' };
  if (status !== 200 && status !== 202) return failed();
  try {
    const described: unknown = JSON.parse(body);
    const ranges =
      typeof described === 'object' && described !== null && 'nextExpectedRanges' in described
        ? described.nextExpectedRanges
        : undefined;
    if (!Array.isArray(ranges)) return failed();
    return { state: 'open', next: nextExpectedByte(ranges.map(String)) };
  } catch {
    // An HTML page of a proxy.
    return failed();
  }
}

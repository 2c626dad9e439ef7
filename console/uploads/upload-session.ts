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

/** A part of a file: where it is, and what it was when it was read. */
export interface Fragment {
  readonly start: number;
  readonly bytes: ArrayBuffer;
  readonly fileSize: number;
}

interface Sending {
  readonly signal: AbortSignal | undefined;
  readonly onProgress: (sentBytes: number) => void;
}

/**
 * A connection without an event for this long is dead. 4 MiB, which systems take from a page at most before they have sent
 * them, take 170 s at 200 kbit/s.
 */
const silentMs = 180_000;

/**
 * Sends one fragment. The URL authenticates itself: the library rejects a token or any header that the browser does not set
 * itself.
 */
export const putFragment = (
  uploadUrl: string,
  fragment: Fragment,
  sending: Sending,
): Promise<SessionResult> =>
  ('XMLHttpRequest' in globalThis ? sendWithProgress : sendByFetch)(uploadUrl, fragment, sending);

/** `fetch` does not report the progress of an upload. */
function sendWithProgress(
  uploadUrl: string,
  fragment: Fragment,
  { signal, onProgress }: Sending,
): Promise<SessionResult> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = (): void => request.abort();
    let silence = setTimeout(abort, silentMs);
    request.open('PUT', uploadUrl);
    request.setRequestHeader('content-range', contentRange(fragment));
    request.upload.addEventListener('progress', ({ loaded }) => {
      clearTimeout(silence);
      silence = setTimeout(abort, silentMs);
      onProgress(Math.min(loaded, fragment.bytes.byteLength));
    });
    request.addEventListener('loadend', () => {
      clearTimeout(silence);
      signal?.removeEventListener('abort', abort);
      if (signal?.aborted) reject(signal.reason as Error);
      else {
        // Reading a header that the library does not expose logs an error in the browser's console.
        const [, retryAfter = null] = /^retry-after: *(.+)$/im.exec(request.getAllResponseHeaders()) ?? [];
        resolve(resultOf(request.status, request.responseText, retryAfter));
      }
    });
    signal?.addEventListener('abort', abort);
    // Bytes, not a part of the file: Safari 26 never ends the request after the first such part, although the response has
    // arrived (pqina/filepond issue 1059, rommapp/romm issue 4203).
    request.send(fragment.bytes);
  });
}

/** Outside pages. */
const sendByFetch: typeof sendWithProgress = (uploadUrl, fragment, { signal }) =>
  fetchResult(uploadUrl, signal, {
    method: 'PUT',
    headers: { 'content-range': contentRange(fragment) },
    body: fragment.bytes,
  });

const contentRange = ({ start, bytes, fileSize }: Fragment): string =>
  `bytes ${start}-${start + bytes.byteLength - 1}/${fileSize}`;

/** Where the library expects the upload to continue. */
export async function sessionStatus(
  uploadUrl: string,
  signal: AbortSignal | undefined,
): Promise<SessionResult> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), silentMs);
  const either = AbortSignal.any([silence.signal, ...(signal ? [signal] : [])]);
  try {
    return await fetchResult(uploadUrl, signal, { cache: 'no-store', signal: either });
  } finally {
    clearTimeout(timer);
  }
}

async function fetchResult(
  uploadUrl: string,
  signal: AbortSignal | undefined,
  init: RequestInit,
): Promise<SessionResult> {
  try {
    const response = await fetch(uploadUrl, { ...(signal && { signal }), ...init });
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

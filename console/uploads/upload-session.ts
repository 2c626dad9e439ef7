import { nextExpectedByte } from './fragments.ts';

/** The outcome of a fragment, or the status of the session. */
export type SessionResult =
  /** The first byte that the library lacks; null when it has all. */
  | { readonly state: 'open'; readonly next: number | null }
  /** The session no longer exists: expired, canceled, or its token has expired. */
  | { readonly state: 'gone' }
  /** No response, or a temporary error; a page often cannot distinguish them (the library hides its errors from pages). */
  | { readonly state: 'failed'; readonly retryAfterSeconds: number | undefined };

/**
 * Sends one fragment. Uses XMLHttpRequest, because `fetch` does not report the progress of an upload. The URL authenticates
 * itself: the library rejects a token or any header that the browser does not set itself.
 */
export function putFragment(
  uploadUrl: string,
  file: Blob,
  { start, end }: { start: number; end: number },
  { signal, onProgress }: { signal: AbortSignal | undefined; onProgress: (sentBytes: number) => void },
): Promise<SessionResult> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = (): void => request.abort();
    request.open('PUT', uploadUrl);
    request.setRequestHeader('content-range', `bytes ${start}-${end - 1}/${file.size}`);
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

/** Where the library expects the upload to continue. */
export async function sessionStatus(
  uploadUrl: string,
  signal: AbortSignal | undefined,
): Promise<SessionResult> {
  try {
    const response = await fetch(uploadUrl, { cache: 'no-store', ...(signal && { signal }) });
    return resultOf(response.status, await response.text(), response.headers.get('retry-after'));
  } catch {
    signal?.throwIfAborted();
    return { state: 'failed', retryAfterSeconds: undefined };
  }
}

function resultOf(status: number, body: string, retryAfter: string | null): SessionResult {
  const seconds = retryAfter === null ? Number.NaN : Number(retryAfter);
  const failed = {
    state: 'failed',
    retryAfterSeconds: Number.isFinite(seconds) ? seconds : undefined,
  } as const;
  if (status === 404 || status === 401 || status === 403 || status === 410) return { state: 'gone' };
  if (status !== 200 && status !== 202) return failed;
  try {
    const { nextExpectedRanges } = JSON.parse(body) as { nextExpectedRanges: string[] };
    return { state: 'open', next: nextExpectedByte(nextExpectedRanges) };
  } catch {
    // An HTML page of a proxy.
    return failed;
  }
}

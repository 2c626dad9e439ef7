import { nextExpectedByte } from './fragments.ts';

/** What became of a fragment, or what the session says of itself. */
export type SessionAnswer =
  /** The first byte that the library still misses; null when it has all. */
  | { readonly state: 'open'; readonly next: number | null }
  /** No session any more: expired, canceled, or its token has run out. */
  | { readonly state: 'gone' }
  /** No answer, or one that passes; a page often can't tell which (the library hides its errors from pages). */
  | { readonly state: 'failed'; readonly retryAfterSeconds: number | undefined };

/**
 * One fragment. By XMLHttpRequest, because `fetch` tells nothing of an upload's progress. The URL authenticates itself:
 * a token or any header of one's own is refused.
 */
export function putFragment(
  uploadUrl: string,
  file: Blob,
  { start, end }: { start: number; end: number },
  { signal, onProgress }: { signal: AbortSignal | undefined; onProgress: (sentBytes: number) => void },
): Promise<SessionAnswer> {
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
        // Asking for a header that the library does not expose is an error in the browser's console.
        const [, retryAfter = null] = /^retry-after: *(.+)$/im.exec(request.getAllResponseHeaders()) ?? [];
        resolve(answerOf(request.status, request.responseText, retryAfter));
      }
    });
    signal?.addEventListener('abort', abort);
    // A type of the Blob's own would be sent as Content-Type.
    request.send(file.slice(start, end));
  });
}

/** Where the library wants to go on. */
export async function sessionStatus(
  uploadUrl: string,
  signal: AbortSignal | undefined,
): Promise<SessionAnswer> {
  try {
    const response = await fetch(uploadUrl, { cache: 'no-store', ...(signal && { signal }) });
    return answerOf(response.status, await response.text(), response.headers.get('retry-after'));
  } catch {
    signal?.throwIfAborted();
    return { state: 'failed', retryAfterSeconds: undefined };
  }
}

function answerOf(status: number, body: string, retryAfter: string | null): SessionAnswer {
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
    // A page of a proxy.
    return failed;
  }
}

import * as z from 'zod';
import { parseResponse, driveItemOf, type DriveItem } from '../document-library/drive-item.ts';
import { isLibraryError, LibraryError } from '../document-library/library-error.ts';
import { rejectionOf, request, textOf } from '../document-library/raw-http.ts';

// Enough for a fragment of a few MiB over a slow link. Without it, a stalled connection would block for undici's 300 s.
const fragmentTimeoutMs = 120_000;
const callTimeoutMs = 20_000;
// The library assembles the file.
const commitTimeoutMs = 120_000;

const status = z.object({
  // Absent in sessions that have all bytes (A7).
  nextExpectedRanges: z.array(z.string()).default([]),
  expirationDateTime: z.iso.datetime({ offset: true }).optional(),
});

export interface SessionStatus {
  /** The first byte that the library lacks; undefined when it has all. */
  readonly nextOffset: number | undefined;
  /** When the session ends, if the library reports it; milliseconds since 1970. */
  readonly expiresAtMs: number | undefined;
}

export interface FinishedUpload {
  readonly item: DriveItem;
  /** Whether the upload created the file; undefined if that is no longer known. */
  readonly isNew: boolean | undefined;
}

export interface Fragment {
  readonly start: number;
  readonly length: number;
  readonly bytes: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/**
 * Sends one fragment. The upload URL is pre-authenticated: newer SharePoint rejects an additional token, and the URL must
 * not reach a log, so errors carry only the library's own codes.
 *
 * @throws LibraryError `busy` without `wire` when the connection broke
 */
export async function putFragment(
  uploadUrl: string,
  { start, length, bytes }: Fragment,
  size: number,
): Promise<FinishedUpload | SessionStatus> {
  const reply = await call(uploadUrl, 'PUT', fragmentTimeoutMs, {
    headers: {
      'content-length': String(length),
      'content-range': `bytes ${start}-${start + length - 1}/${size}`,
    },
    body: bytes,
  });
  if (reply.status === 202) return statusOf(reply.json());
  return { item: driveItemOf(reply.json()), isNew: reply.status === 201 };
}

/** @throws LibraryError `notFound` when the session no longer exists */
export async function sessionStatus(uploadUrl: string): Promise<SessionStatus> {
  return statusOf((await call(uploadUrl, 'GET', callTimeoutMs)).json());
}

/**
 * Whether a session that reports no missing byte may have a file of this size. The status has no total: it is that of the
 * sender's Content-Range. Therefore this sends the last byte again, which the library rejects as an overlap, and with
 * another code if the totals differ or the byte is missing (A7). Any other response proves nothing.
 */
export async function mayHaveReceived(uploadUrl: string, size: number): Promise<boolean> {
  try {
    await putFragment(uploadUrl, { start: size - 1, length: 1, bytes: [new Uint8Array(1)] }, size);
  } catch (error) {
    const { codes = [], message = '' } = isLibraryError(error, 'badRange', 'other') ? (error.wire ?? {}) : {};
    const isRefuted = codes.some(
      (code) => code === 'fragmentLengthMismatch' || code === 'fragmentOutOfOrder',
    );
    // The upload host often omits the inner codes.
    return !isRefuted && !/declares a total of|not contiguous/.test(message);
  }
  // The byte was missing, and this was not it.
  await cancelSession(uploadUrl);
  return false;
}

/**
 * Creates the file of a session with `deferCommit` that has all its bytes.
 *
 * @throws LibraryError `notFound` when the session no longer exists; `nameExists`, `locked`, `changed` …: it remains
 */
export async function commitSession(uploadUrl: string): Promise<DriveItem> {
  const reply = await call(uploadUrl, 'POST', commitTimeoutMs, { headers: { 'content-length': '0' } });
  return driveItemOf(reply.json());
}

/** @throws LibraryError `notFound` when the session no longer exists */
export async function cancelSession(uploadUrl: string): Promise<void> {
  await call(uploadUrl, 'DELETE', callTimeoutMs);
}

function statusOf(json: unknown): SessionStatus {
  const { nextExpectedRanges, expirationDateTime } = parseResponse(status, json);
  // "26-"; on business drives also the closed "26-99". The order of several gaps is not documented.
  const starts = nextExpectedRanges.map((range) => Number.parseInt(range, 10)).filter(Number.isSafeInteger);
  const expiresAtMs = expirationDateTime === undefined ? undefined : Date.parse(expirationDateTime);
  return { nextOffset: starts.toSorted((a, b) => a - b)[0], expiresAtMs };
}

interface Reply {
  readonly status: number;
  json(): unknown;
}

async function call(
  url: string,
  method: 'PUT' | 'GET' | 'POST' | 'DELETE',
  timeoutMs: number,
  { headers = {}, body }: { headers?: Readonly<Record<string, string>>; body?: Fragment['bytes'] } = {},
): Promise<Reply> {
  const response = await request(url, { method, headers, body, signal: AbortSignal.timeout(timeoutMs) });
  const status = response.statusCode;
  const text = await textOf(response);
  if (status < 200 || status > 299) throw rejectionOf(response, text);
  return {
    status,
    json: () => {
      try {
        return JSON.parse(text) as unknown;
      } catch (cause) {
        throw new LibraryError('other', { cause });
      }
    },
  };
}

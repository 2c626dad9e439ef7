import { z } from 'zod';
import { checked, driveItemOf, type DriveItem } from '../document-library/drive-item.ts';
import { LibraryError, libraryErrorOf, wireRefusal } from '../document-library/library-error.ts';
import { request, textOf } from '../document-library/raw-http.ts';
import type { Fragment } from './upload-window.ts';

// A fragment of a few MiB over a slow line; without it a hanging connection would hold the upload for undici's 300 s.
const fragmentTimeoutMs = 120_000;
const callTimeoutMs = 20_000;
// The library puts the file together.
const commitTimeoutMs = 120_000;

const status = z.object({
  nextExpectedRanges: z.array(z.string()),
  expirationDateTime: z.iso.datetime({ offset: true }).optional(),
});

export interface SessionStatus {
  /** The first byte the library does not have yet; undefined when it has all. */
  readonly nextOffset: number | undefined;
  /** When the session ends, where the library says so; milliseconds since 1970. */
  readonly expiresAtMs: number | undefined;
}

/** What a fragment's answer says: the finished item, or what the library wants next. */
export type FragmentAnswer =
  | { readonly kind: 'finished'; readonly item: DriveItem; readonly isNew: boolean | undefined }
  | ({ readonly kind: 'accepted' } & SessionStatus);

/**
 * One fragment. The upload URL is pre-authenticated: a token sent along is refused by newer SharePoint, and the URL
 * must not reach a log, which is why errors carry only the library's own codes.
 *
 * @throws LibraryError `busy` without `wire` when the connection broke
 */
export async function putFragment(
  uploadUrl: string,
  { start, length, blocks }: Fragment,
  size: number,
): Promise<FragmentAnswer> {
  const answer = await call(uploadUrl, 'PUT', fragmentTimeoutMs, {
    headers: {
      'content-length': String(length),
      'content-range': `bytes ${start}-${start + length - 1}/${size}`,
    },
    body: blocks,
  });
  if (answer.status === 202) return { kind: 'accepted', ...statusOf(answer.json()) };
  return { kind: 'finished', item: driveItemOf(answer.json()), isNew: answer.status === 201 };
}

/** @throws LibraryError `notFound` when there is no such session any more */
export async function sessionStatus(uploadUrl: string): Promise<SessionStatus> {
  return statusOf((await call(uploadUrl, 'GET', callTimeoutMs)).json());
}

/**
 * Makes the file of a session that was opened with `deferCommit` and has all its bytes.
 *
 * @throws LibraryError `notFound` when there is no such session any more; `nameExists`, `locked`, `changed` … leave it
 */
export async function commitSession(uploadUrl: string): Promise<DriveItem> {
  const answer = await call(uploadUrl, 'POST', commitTimeoutMs, { headers: { 'content-length': '0' } });
  return driveItemOf(answer.json());
}

/** @throws LibraryError `notFound` when there is no such session any more */
export async function cancelSession(uploadUrl: string): Promise<void> {
  await call(uploadUrl, 'DELETE', callTimeoutMs);
}

function statusOf(answer: unknown): SessionStatus {
  const { nextExpectedRanges, expirationDateTime } = checked(status, answer);
  // "26-", on business drives also the closed "26-99"; of several gaps the first comes first, but nobody says so.
  const starts = nextExpectedRanges.map((range) => Number.parseInt(range, 10)).filter(Number.isSafeInteger);
  const expiresAtMs = expirationDateTime === undefined ? undefined : Date.parse(expirationDateTime);
  return { nextOffset: starts.toSorted((a, b) => a - b)[0], expiresAtMs };
}

interface Answer {
  readonly status: number;
  json(): unknown;
}

async function call(
  url: string,
  method: 'PUT' | 'GET' | 'POST' | 'DELETE',
  timeoutMs: number,
  { headers = {}, body }: { headers?: Readonly<Record<string, string>>; body?: Iterable<Uint8Array> } = {},
): Promise<Answer> {
  const response = await request(url, { method, headers, body, signal: AbortSignal.timeout(timeoutMs) });
  const status = response.statusCode;
  const text = await textOf(response);
  const retryAfter = [response.headers['retry-after']].flat()[0];
  if (status < 200 || status > 299) {
    throw libraryErrorOf(
      wireRefusal(status, new Headers(retryAfter ? { 'retry-after': retryAfter } : {}), text),
    );
  }
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

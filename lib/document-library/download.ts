import type { Dispatcher } from 'undici';
import type { User } from '../callers/caller.ts';
import { contentTagOf, downloadUrlOf, type DriveItem } from './drive-item.ts';
import { joinedBlocks } from './joined-blocks.ts';
import { isRefusal, LibraryError, libraryErrorOf, wireRefusal } from './library-error.ts';
import type { Library } from './library.ts';
import { systemTiming, type RetryTiming } from '../contract/retry.ts';
import { waitBeforeRetryMs } from './retries.ts';
import { request } from './raw-http.ts';

/** Bytes `start` to `end`, both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A file, or the part asked for, as it comes. */
export interface Download {
  /** The reader's own. */
  readonly blocks: AsyncIterable<Uint8Array>;
  readonly length: number | undefined;
  /** Absent when all of the file comes: the library may ignore a range. */
  readonly range: ByteRange | undefined;
}

const headersTimeoutMs = 20_000;
// Also how long a slow reader may pause: back-pressure reaches the library's connection.
const bodyTimeoutMs = 120_000;
const maxAttempts = 4;

/**
 * Opens the file at its pre-authenticated URL, which takes no token and never leaves this module. A connection that
 * breaks on the way is taken up again where it broke, for as long as the content is the same.
 *
 * @throws LibraryError `notFound`, `malware`, `badRange`, `busy` …
 */
export async function download(
  library: Library,
  user: User,
  item: DriveItem,
  range: ByteRange | undefined,
  timing: RetryTiming = systemTiming,
): Promise<Download> {
  const first = await opened(library, user, item, range, timing);
  const isPartial = first.response.statusCode === 206;
  const length = Number(first.response.headers['content-length'] ?? Number.NaN);
  const from = isPartial && range ? range.start : 0;
  const to = Number.isSafeInteger(length) ? from + length - 1 : undefined;
  const blocks = unbroken(first, to === undefined ? undefined : { start: from, end: to }, (item, rest) =>
    opened(library, user, item, rest, timing),
  );
  return {
    blocks,
    length: Number.isSafeInteger(length) ? length : undefined,
    range: isPartial ? range : undefined,
  };
}

interface Opened {
  readonly response: Dispatcher.ResponseData;
  readonly item: DriveItem;
}

type Reopen = (item: DriveItem, range: ByteRange) => Promise<Opened>;

async function* unbroken(
  { response, item }: Opened,
  range: ByteRange | undefined,
  reopen: Reopen,
): AsyncGenerator<Uint8Array> {
  let next = response.body;
  let at = range?.start ?? 0;
  for (let resumptions = 0; ; resumptions += 1) {
    const body = next;
    try {
      for await (const block of joinedBlocks(body)) {
        at += block.byteLength;
        yield block;
      }
      return;
    } catch (cause) {
      // The code, not the message: that may quote the URL.
      const broken = new LibraryError('busy', {
        cause: new Error((cause as { code?: string }).code ?? 'broken'),
      });
      if (!range || at > range.end || resumptions === maxAttempts) throw broken;
      const again = await reopen(item, { start: at, end: range.end });
      if (again.response.statusCode !== 206 || contentTagOf(again.item) !== contentTagOf(item)) {
        again.response.body.destroy();
        throw broken;
      }
      next = again.response.body;
    } finally {
      body.destroy();
    }
  }
}

async function opened(
  library: Library,
  user: User,
  given: DriveItem,
  range: ByteRange | undefined,
  timing: RetryTiming,
): Promise<Opened> {
  let item = given;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return { response: await get(item, range), item };
    } catch (error) {
      if (!isRefusal(error, 'busy', 'unauthenticated', 'denied', 'notFound')) throw error;
      const waitMs = waitBeforeRetryMs(attempt, maxAttempts, error.wire?.retryAfterSeconds, timing.random);
      if (waitMs === null)
        throw error.reason === 'busy' ? error : new LibraryError('other', { cause: error });
      await timing.clock.wait(waitMs);
      // The URL lives for minutes; the item has a fresh one, or is gone.
      if (error.reason !== 'busy') item = await library.item(user, item.id);
    }
  }
}

async function get(item: DriveItem, range: ByteRange | undefined): Promise<Dispatcher.ResponseData> {
  const url = downloadUrlOf(item);
  if (url === undefined)
    throw new LibraryError('other', { cause: new Error('a file without a download URL') });
  const response = await request(url, {
    method: 'GET',
    headers: range ? { range: `bytes=${range.start}-${range.end}` } : {},
    headersTimeout: headersTimeoutMs,
    bodyTimeout: bodyTimeoutMs,
  });
  if (response.statusCode === 200 || response.statusCode === 206) return response;
  const retryAfter = [response.headers['retry-after']].flat()[0];
  const text = await response.body.text().catch(() => '');
  const headers = new Headers(retryAfter === undefined ? {} : { 'retry-after': retryAfter });
  throw libraryErrorOf({ ...wireRefusal(response.statusCode, headers, text), method: 'GET' });
}

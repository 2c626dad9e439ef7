import type { Dispatcher } from 'undici';
import { contentTagOf, downloadUrlOf, type DriveItem } from './drive-item.ts';
import { joinedBlocks } from './joined-blocks.ts';
import { isLibraryError, LibraryError } from './library-error.ts';
import type { Library } from './library.ts';
import { systemClock } from '../contract/clock.ts';
import { waitBeforeRetryMs } from './retries.ts';
import { rejectionOf, request } from './raw-http.ts';

/** Bytes `start` to `end`, inclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A file, or the requested part of it, as a stream. */
export interface Download {
  /** Owned by the reader. */
  readonly blocks: AsyncIterable<Uint8Array>;
  readonly length: number | undefined;
  /** Absent when the response is the whole file: the library may ignore a range. */
  readonly range: ByteRange | undefined;
}

const headersTimeoutMs = 20_000;
// Also limits how long a slow reader may pause, because back-pressure reaches the connection to the library.
const bodyTimeoutMs = 120_000;
const maxAttempts = 4;

/**
 * Opens the file at its pre-authenticated URL, which requires no token and never leaves this module. A broken connection
 * is resumed at the byte where it broke, while the content is unchanged.
 *
 * @throws LibraryError `notFound`, `malware`, `badRange`, `busy` …
 */
export async function download(
  library: Library,
  item: DriveItem,
  range: ByteRange | undefined,
): Promise<Download> {
  const first = await open(library, item, range);
  const isPartial = first.response.statusCode === 206;
  const length = Number(first.response.headers['content-length'] ?? Number.NaN);
  const from = isPartial && range ? range.start : 0;
  const to = Number.isSafeInteger(length) ? from + length - 1 : undefined;
  const blocks = readUnbroken(library, first, to === undefined ? undefined : { start: from, end: to });
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

async function* readUnbroken(
  library: Library,
  { response, item }: Opened,
  range: ByteRange | undefined,
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
      // Only the code: the message may quote the URL.
      const broken = new LibraryError('busy', {
        cause: new Error((cause as { code?: string }).code ?? 'broken'),
      });
      if (!range || at > range.end || resumptions === maxAttempts) throw broken;
      // Read again: its URL returns the current content, whichever that is.
      const current = await library.item(item.id);
      const again = await open(library, current, { start: at, end: range.end });
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

async function open(library: Library, given: DriveItem, range: ByteRange | undefined): Promise<Opened> {
  let item = given;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return { response: await get(item, range), item };
    } catch (error) {
      if (!isLibraryError(error, 'busy', 'unauthenticated', 'denied', 'notFound')) throw error;
      const waitMs = waitBeforeRetryMs(attempt, maxAttempts, error.wire?.retryAfterSeconds);
      if (waitMs === null)
        throw error.reason === 'busy' ? error : new LibraryError('other', { cause: error });
      await systemClock.wait(waitMs);
      // The URL is valid for minutes. The item has a new one, or no longer exists.
      if (error.reason !== 'busy') item = await library.item(item.id);
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
  throw rejectionOf(response, await response.body.text().catch(() => ''), 'GET');
}

import type { Dispatcher } from 'undici';
import { contentTagOf, downloadUrlOf, type DriveItem } from './drive-item.ts';
import { joinedBlocks } from './joined-blocks.ts';
import { isLibraryError, LibraryError } from './library-error.ts';
import type { Library } from './library.ts';
import { systemClock } from '../contract/clock.ts';
import { waitBeforeRetryMs } from './retries.ts';
import { discard, rejectionOf, request } from './raw-http.ts';

/** Bytes `start` to `end`, inclusive. */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A part of a file, as the library sends it. */
interface FilePart extends ByteRange {
  /** Of the whole file; undefined if the library does not say. */
  readonly size: number | undefined;
}

/** The file has no such bytes. */
export class OutsideFile extends Error {
  override readonly name = 'OutsideFile';
  /** Bytes of the file; undefined if the library does not say. */
  readonly size: number | undefined;

  constructor(size: number | undefined) {
    super();
    this.size = size;
  }
}

/** A file, or the requested part of it, as a stream. */
export interface Download {
  /** Owned by the reader. */
  readonly blocks: AsyncIterable<Uint8Array>;
  readonly length: number | undefined;
  /** Absent when the response is the whole file: the library may ignore a range. */
  readonly part: FilePart | undefined;
}

const headersTimeoutMs = 20_000;
// Also limits how long a slow reader may pause, because back-pressure reaches the connection to the library.
const bodyTimeoutMs = 120_000;
const maxAttempts = 4;

/**
 * Opens the file at its pre-authenticated URL, which requires no token and never leaves this module. A broken connection
 * is resumed at the byte where it broke, while the content is unchanged. What is sent, and how long the file is, only the
 * response says: the size of the item can be wrong (drive rule A9).
 *
 * @param range as in a `Range` header
 * @throws LibraryError `notFound`, `malware`, `busy` …; OutsideFile
 */
export async function download(
  library: Library,
  item: DriveItem,
  range: string | undefined,
): Promise<Download> {
  let first = await open(library, item, range);
  let part = partIn(first.response);
  let requested = range;
  if (range !== undefined && first.response.statusCode === 206 && !part) {
    // Nobody could tell which bytes these are.
    discard(first.response);
    requested = undefined;
    first = await open(library, first.item, requested);
    part = partIn(first.response);
  }
  if (requested === undefined && first.response.statusCode === 206) {
    // A part without a request for it (reported of servers and caches, ansible/ansible#68843) would be saved as if it were
    // the file.
    if (part?.start !== 0 || part.end + 1 !== part.size) {
      discard(first.response);
      throw new LibraryError('other', { cause: new Error('a part of a file that was requested as a whole') });
    }
    part = undefined;
  }
  const given = Number(first.response.headers['content-length'] ?? Number.NaN);
  const length = Number.isSafeInteger(given) ? given : undefined;
  const whole = length === undefined ? undefined : { start: 0, end: length - 1, size: length };
  return { blocks: readUnbroken(library, first, part ?? whole), length, part };
}

/** Which bytes a response has, if it is a part of the file (RFC 9110, 14.4). */
function partIn({ statusCode, headers }: Dispatcher.ResponseData): FilePart | undefined {
  const [, start, end, size] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(String(headers['content-range'])) ?? [];
  if (statusCode !== 206 || start === undefined) return undefined;
  return { start: Number(start), end: Number(end), size: size === '*' ? undefined : Number(size) };
}

interface Opened {
  readonly response: Dispatcher.ResponseData;
  readonly item: DriveItem;
}

async function* readUnbroken(
  library: Library,
  { response, item }: Opened,
  range: FilePart | undefined,
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
      const again = await open(library, current, `bytes=${at}-${range.end}`);
      const rest = partIn(again.response);
      // A library can encrypt or complete a file when it is read: the same tag, and other bytes.
      const isSame = rest?.start === at && rest.size === range.size;
      if (!isSame || contentTagOf(again.item) !== contentTagOf(item)) {
        discard(again.response);
        throw broken;
      }
      next = again.response.body;
    } finally {
      body.destroy();
    }
  }
}

async function open(library: Library, given: DriveItem, range: string | undefined): Promise<Opened> {
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

async function get(item: DriveItem, range: string | undefined): Promise<Dispatcher.ResponseData> {
  const url = downloadUrlOf(item);
  if (url === undefined)
    throw new LibraryError('other', { cause: new Error('a file without a download URL') });
  const response = await request(url, {
    method: 'GET',
    headers: range === undefined ? {} : { range },
    headersTimeout: headersTimeoutMs,
    bodyTimeout: bodyTimeoutMs,
  });
  if (response.statusCode === 200 || response.statusCode === 206) return response;
  if (response.statusCode === 416 && range !== undefined) {
    discard(response);
    const [, size] = /^bytes \*\/(\d+)$/.exec(String(response.headers['content-range'])) ?? [];
    throw new OutsideFile(size === undefined ? undefined : Number(size));
  }
  throw rejectionOf(response, await response.body.text().catch(() => ''), 'GET');
}

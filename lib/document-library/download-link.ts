import * as z from 'zod';
import { valueOfJson } from '../contract/json.ts';
import { downloadUrlOf, type DriveItem } from './drive-item.ts';
import { LibraryError } from './library-error.ts';

export interface DownloadLink {
  /** Pre-authenticated: anyone with the URL can read the file. Never logged. */
  readonly downloadUrl: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}

// The documentation guarantees only "a few minutes" (drive rule A9).
const promisedMs = 2 * 60_000;

/**
 * The download URL of an item that has just been read, and its expiry: the `exp` of the token in the URL if it can be
 * parsed, otherwise what the documentation guarantees.
 *
 * @throws LibraryError `other` if the item is not a file
 */
export function downloadLinkOf(item: DriveItem, readAtMs: number): DownloadLink {
  const downloadUrl = downloadUrlOf(item);
  if (downloadUrl === undefined) {
    throw new LibraryError('other', { cause: new Error('a file without a download URL') });
  }
  return linkAt(downloadUrl, readAtMs);
}

/** The same for a URL that the library has just sent. */
export function linkAt(downloadUrl: string, readAtMs: number): DownloadLink {
  const expiresAtMs = tokenExpiryMs(downloadUrl) ?? readAtMs + promisedMs;
  return { downloadUrl, expiresAt: new Date(expiresAtMs).toISOString() };
}

/**
 * SharePoint's `tempauth` has parts separated by dots. One is JSON in base64url with `exp` as a string, in seconds: the
 * second part, both in the older form (`eyJ….eyJ….`) and in the newer one (`v1.eyJ….…`). Observed, not documented.
 */
function tokenExpiryMs(url: string): number | undefined {
  const token = URL.parse(url)?.searchParams.get('tempauth') ?? '';
  for (const part of token.split('.')) {
    const { data } = expiring.safeParse(valueOfJson(Buffer.from(part, 'base64url').toString()));
    if (data) return data.exp * 1000;
  }
  return undefined;
}

// Within the times that a Date can have.
const expiring = z.object({
  exp: z.union([z.string(), z.number()]).transform(Number).pipe(z.number().positive().lt(8.64e12)),
});

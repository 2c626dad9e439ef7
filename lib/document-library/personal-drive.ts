import type { User } from '../callers/caller.ts';
import { downloadUrlOf, driveItemOf } from './drive-item.ts';
import type { Graph } from './graph.ts';
import { LibraryError } from './library-error.ts';

export interface PersonalFile {
  readonly folderPath: string;
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

export interface UploadedPersonalFile {
  readonly id: string;
  /** The name in the library: with a number if the name was taken. */
  readonly name: string;
  /** Opens the file; Office files in the web editor. */
  readonly webUrl: string;
  /** Pre-authenticated for about an hour: for the caller only, never logged or stored. */
  readonly downloadUrl: string;
}

/**
 * Uploads a file to the signed-in user's OneDrive, under a free name (a number is added to a taken one). The drive
 * creates missing folders.
 *
 * @throws LibraryError `notFound` for a user without a OneDrive, `full`, `denied` …
 */
export async function uploadToPersonalDrive(
  graph: Graph,
  user: User,
  { folderPath, name, contentType, bytes }: PersonalFile,
): Promise<UploadedPersonalFile> {
  const names = [...folderPath.split('/').filter((segment) => segment !== ''), name];
  const path = names.map((segment) => encodeURIComponent(segment.normalize('NFC'))).join('/');
  const url = `/me/drive/root:/${path}:/content?@microsoft.graph.conflictBehavior=rename`;
  const item = driveItemOf(await graph.put(user, url, bytes, { contentType, isUnrepeatable: true }));
  const downloadUrl =
    downloadUrlOf(item) ??
    // Some responses lack it; reading the item returns it.
    downloadUrlOf(driveItemOf(await graph.get(user, `/me/drive/items/${encodeURIComponent(item.id)}`)));
  if (item.webUrl === undefined || downloadUrl === undefined) {
    throw new LibraryError('other', { cause: new Error('an uploaded file without webUrl or download URL') });
  }
  return { id: item.id, name: item.name, webUrl: item.webUrl, downloadUrl };
}

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
  /** What the library called it: with a number when the name was taken. */
  readonly name: string;
  /** Opens it, for Office files in the web editor. */
  readonly webUrl: string;
  /** Pre-authenticated, about an hour: for the caller only, never logged or stored. */
  readonly downloadUrl: string;
}

/**
 * Puts a file into the signed-in user's own OneDrive, under a free name (a taken one gets a number); missing folders
 * are made by the drive.
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
    // Some answers come without it; the item on its own has it.
    downloadUrlOf(driveItemOf(await graph.get(user, `/me/drive/items/${encodeURIComponent(item.id)}`)));
  if (item.webUrl === undefined || downloadUrl === undefined) {
    throw new LibraryError('other', { cause: new Error('an uploaded file without webUrl or download URL') });
  }
  return { id: item.id, name: item.name, webUrl: item.webUrl, downloadUrl };
}

import type { User } from '../callers/caller.ts';
import { pause } from '../contract/retry.ts';
import { contentTagOf, downloadUrlOf, driveItemOf, newFolder, type DriveItem } from './drive-item.ts';
import type { Graph } from './graph.ts';
import { isLibraryError, LibraryError } from './library-error.ts';

export interface PersonalFile {
  readonly folderPath: string;
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** A file as it was stored. The tag changes with its content. */
export interface StoredPersonalFile {
  readonly id: string;
  readonly contentTag: string;
}

export interface UploadedPersonalFile extends StoredPersonalFile {
  /** The name in the library: with a number if the name was taken. */
  readonly name: string;
  /** Opens the file; Office files in the web editor. */
  readonly webUrl: string;
  /** Pre-authenticated for about an hour: for the caller only, never logged or stored. */
  readonly downloadUrl: string;
}

/**
 * Uploads a file to the signed-in user's OneDrive, under a free name (a number is added to a taken one). Creates missing
 * folders, if the drive does not (drive rule A2); only then does it cost more than one request.
 *
 * @throws LibraryError `notFound` for a user without a OneDrive, `full`, `denied` …
 */
export async function uploadToPersonalDrive(
  graph: Graph,
  user: User,
  { folderPath, name, contentType, bytes }: PersonalFile,
): Promise<UploadedPersonalFile> {
  const folders = folderPath
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment) => segment.normalize('NFC'));
  const url = `${at([...folders, name.normalize('NFC')])}:/content?@microsoft.graph.conflictBehavior=rename`;
  const upload = () => graph.put(user, url, bytes, { contentType, isUnrepeatable: true });
  const item = driveItemOf(
    await upload().catch(async (error: unknown) => {
      if (!isLibraryError(error, 'notFound')) throw error;
      await createFolders(graph, user, folders);
      return upload();
    }),
  );
  return withLinks(graph, user, item);
}

const maxAttempts = 4;

const isLocked = (error: unknown): boolean =>
  isLibraryError(error, 'locked') || (error instanceof LibraryError && error.wire?.status === 423);

/**
 * Replaces the content of a file in the signed-in user's OneDrive, which keeps the old one as a version. The name remains.
 *
 * @returns null if the user has changed or deleted the file since it was stored, or has it open, which then remains as it is; also if a
 * response was lost, because the content may then be that of the user
 */
export async function replaceInPersonalDrive(
  graph: Graph,
  user: User,
  { id, contentTag }: StoredPersonalFile,
  { contentType, bytes }: Pick<PersonalFile, 'contentType' | 'bytes'>,
): Promise<UploadedPersonalFile | null> {
  const path = `/me/drive/items/${encodeURIComponent(id)}`;
  for (let attempt = 1; ; attempt += 1) {
    const { body } = await graph.find(user, path);
    if (body === null) return null;
    const item = driveItemOf(body);
    if (contentTagOf(item) !== contentTag) return null;
    try {
      // With its tag: a file that is changed in between has another one (drive rule A8).
      const options = { contentType, isUnrepeatable: false, ifMatch: item.eTag };
      const replaced = driveItemOf(await graph.put(user, `${path}/content`, bytes, options));
      return await withLinks(graph, user, replaced);
    } catch (error) {
      // Open in Word, where our own link opens it, or in another editor: Graph has no way to replace it then.
      if (isLibraryError(error, 'notFound') || isLocked(error)) return null;
      if (!isLibraryError(error, 'changed') || attempt === maxAttempts) throw error;
    }
    await pause(attempt, 200);
  }
}

async function withLinks(graph: Graph, user: User, item: DriveItem): Promise<UploadedPersonalFile> {
  const downloadUrl =
    downloadUrlOf(item) ??
    // Some responses lack it; reading the item returns it.
    downloadUrlOf(driveItemOf(await graph.get(user, `/me/drive/items/${encodeURIComponent(item.id)}`)));
  if (item.webUrl === undefined || downloadUrl === undefined) {
    throw new LibraryError('other', { cause: new Error('an uploaded file without webUrl or download URL') });
  }
  const contentTag = contentTagOf(item) ?? '';
  return { id: item.id, contentTag, name: item.name, webUrl: item.webUrl, downloadUrl };
}

/** A URL of the file as PDF, converted when it is read: pre-authenticated for some minutes (drive rule A9). */
export const pdfUrlOf = (graph: Graph, user: User, { id }: UploadedPersonalFile): Promise<string> =>
  graph.contentUrl(user, `/me/drive/items/${encodeURIComponent(id)}/content?format=pdf`);

/** @throws LibraryError `notFound` for a user without a OneDrive */
async function createFolders(graph: Graph, user: User, names: readonly string[]): Promise<void> {
  for (const [index, name] of names.entries()) {
    const parent = index === 0 ? '/me/drive/root' : `${at(names.slice(0, index))}:`;
    try {
      await graph.post(user, `${parent}/children`, newFolder(name));
    } catch (error) {
      if (!isLibraryError(error, 'nameExists')) throw error;
    }
  }
}

const at = (names: readonly string[]): string => `/me/drive/root:/${names.map(encodeURIComponent).join('/')}`;

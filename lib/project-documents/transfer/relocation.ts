import * as z from 'zod';
import { givenFolderName, subfolders } from '../../contract/subfolders.ts';
import { conflictBehavior } from '../../document-library/conflict-behavior.ts';
import { tagOf, type DriveItem } from '../../document-library/drive-item.ts';
import { isLibraryError, LibraryError } from '../../document-library/library-error.ts';
import { waitBeforeRetryMs } from '../../document-library/retries.ts';
import type { Project } from '../../projects/project.ts';
import type { ProjectDocument } from '../document-records/document.ts';
import { documentIn } from '../document-records/document-row.ts';
import { givenFolderPath } from '../folders/folder-path.ts';
import { mayBeHidden } from '../folders/folder-view.ts';
import { correctRecord, isSamePlace } from '../presence/correction.ts';
import { givenFileName } from './direct-upload.ts';
import type { DocumentParts } from './document-parts.ts';
import { withFile } from './downloads.ts';
import { ReplacedFiles } from './replaced-files.ts';
import { fileExists, nameInUse } from './upload-target.ts';

const maxAttempts = 4;

export const documentChange = z
  .strictObject({
    fileName: givenFileName.optional(),
    folderName: givenFolderName.optional(),
    folderPath: givenFolderPath.optional(),
    conflictBehavior: conflictBehavior.optional().meta({
      description:
        'If another file has the name there: fail (the default); rename adds a number; replace deletes that file, which is then in the recycle bin of the library',
    }),
  })
  .meta({ id: 'DocumentChange' });

export type DocumentChange = z.output<typeof documentChange>;

export interface RelocationParts extends DocumentParts {
  /** The project of a document; null if the system of record does not have it any more. */
  readonly findProject: (id: string) => Promise<Project | null>;
}

/**
 * Renames a file within its project, or moves it, or both, and corrects its record. What is not given stays; with another
 * folderName and no folderPath, the file is directly in that subfolder. Missing folders are created.
 *
 * A crash, or a lost response, leaves a record with the former name, which the next request that reads the file corrects. A
 * repetition finds the file as it should be, and changes nothing.
 *
 * @throws ServiceError `document_not_found`, `document_gone`, `file_exists`, `upload_in_progress`; LibraryError
 */
export async function changeDocument(
  parts: RelocationParts,
  documentId: string,
  change: DocumentChange,
): Promise<ProjectDocument> {
  let first: ProjectDocument | undefined;
  const replaced = new ReplacedFiles(parts);
  for (let attempt = 1; ; attempt += 1) {
    try {
      // Each attempt reads the file again: what an earlier one did is known then, and where the file is now.
      const changed = await withFile(parts, documentId, (document, item) => {
        first ??= document;
        return relocate(parts, { document, item, first, replaced }, change);
      });
      await replaced.delete();
      return changed;
    } catch (error) {
      const waitMs = isLibraryError(error, 'changed', 'busy')
        ? waitBeforeRetryMs(attempt, maxAttempts, error.wire?.retryAfterSeconds)
        : null;
      if (waitMs === null) {
        await replaced.putBack();
        throw error;
      }
      await parts.clock.wait(waitMs);
    }
  }
}

interface SeenFile {
  /** As the library says it is now. */
  readonly document: ProjectDocument;
  readonly item: DriveItem;
  /** As it was before the first attempt. */
  readonly first: ProjectDocument;
  readonly replaced: ReplacedFiles;
}

async function relocate(
  parts: RelocationParts,
  { document, item, first, replaced }: SeenFile,
  { conflictBehavior: behavior = 'fail', ...given }: DocumentChange,
): Promise<ProjectDocument> {
  const folderName = given.folderName ?? document.folderName;
  const folderPath = given.folderPath ?? (given.folderName === undefined ? document.folderPath : '');
  const wanted = { ...document, folderName, folderPath, fileName: given.fileName ?? document.fileName };
  const isThere = document.folderName === folderName && document.folderPath === folderPath;
  // The first attempt took effect, and its response was lost: the number that was added may not be added again.
  const isRenamedThere = behavior === 'rename' && isThere && !isSamePlace(document, first);
  if (isSamePlace(document, wanted) || isRenamedThere) return document;
  const parentId = isThere ? item.parentReference?.id : await targetFolder(parts, wanted);
  if (parentId === undefined)
    throw new LibraryError('other', { cause: new Error('a file without a folder') });
  const to = {
    ...(!isThere && { folderId: parentId }),
    ...(wanted.fileName !== document.fileName && { name: wanted.fileName }),
  };
  const asked = behavior === 'rename' ? 'rename' : 'fail';
  const moved = await parts.library.move(item.id, tagOf(item), to, asked).catch(async (error: unknown) => {
    if (isLibraryError(error, 'nameExists')) {
      const target = { itemId: item.id, folderId: parentId, fileName: wanted.fileName };
      const inTheWay = await fileInTheWay(parts, target, behavior);
      await replaced.stepAside(inTheWay, document.projectId);
    } else if (!isLibraryError(error, 'notFound') || !(await parts.library.itemOrNull(item.id))) {
      throw error;
    }
    // The name is free now; or the folder is gone, and not the file: all is read again.
    throw new LibraryError('changed', { cause: error });
  });
  const { id: documentId, projectId } = document;
  parts.log.info('document_relocated', {
    documentId,
    projectId,
    isRenamed: to.name !== undefined,
    isMoved: !isThere,
  });
  const record = await parts.records.find(documentId);
  const place = { folderName, folderPath, parentId };
  // Deleted by another request, after the library had moved the file: a refresh adds it again.
  if (!record) return { ...wanted, fileName: moved.name.normalize('NFC') };
  return documentIn(await correctRecord(parts, record, moved, place));
}

/** The folder that a file is moved to, which is created if it is missing. @returns its id */
async function targetFolder(
  parts: RelocationParts,
  { projectId, folderName, folderPath }: ProjectDocument,
): Promise<string> {
  const { provisioning } = parts;
  const seen = await provisioning.visibleSubfolder(projectId, folderName);
  const subfolderId =
    typeof seen === 'string' ? await provisionedFolder(parts, projectId, folderName) : seen.id;
  if (folderPath === '') return subfolderId;
  const folderId = await provisioning.ensureBelow(subfolderId, folderPath);
  if (folderId === null) throw new LibraryError('changed');
  return folderId;
}

/** @throws LibraryError `denied` if the folder may be hidden, or if nobody knows any more how the root is named */
async function provisionedFolder(
  { provisioning, findProject }: RelocationParts,
  projectId: string,
  folderName: ProjectDocument['folderName'],
): Promise<string> {
  const project = await findProject(projectId);
  const folders = project ? (await provisioning.provision(project)).folders : [];
  // By its place, because its name in the library can be another one.
  const folder = folders[subfolders.indexOf(folderName)];
  if (!folder) throw mayBeHidden();
  return folder.id;
}

/**
 * The file that has the name and is to be replaced.
 *
 * @throws ServiceError `file_exists`; `upload_in_progress` if the library keeps the name for an upload
 */
async function fileInTheWay(
  { library }: RelocationParts,
  target: { readonly itemId: string; readonly folderId: string; readonly fileName: string },
  behavior: DocumentChange['conflictBehavior'] & string,
): Promise<DriveItem> {
  const existing = await library.childOf(target.folderId, target.fileName);
  if (!existing) throw nameInUse(target.fileName, { retryAfterMs: undefined, ownDirectUploadId: undefined });
  // The file itself has the name by now, or has it in another case: nothing is in its way.
  if (existing.id === target.itemId) throw new LibraryError('changed');
  const rejection = fileExists(existing, { ...target, conflictBehavior: behavior });
  if (rejection) throw rejection;
  if (behavior !== 'replace') throw new LibraryError('nameExists');
  return existing;
}

import type { DocumentRecord } from '../document-records/document-row.ts';
import { mayBeHidden, requireGoneBelow } from '../folders/folder-view.ts';
import { LibraryError } from '../../document-library/library-error.ts';
import type { IntentParts } from '../intents/intent-parts.ts';

/**
 * Sets aside the record of a file that is gone, after the library has returned 404 for it. 404 alone proves little (README,
 * "404 does not mean gone"; sp-dev-docs#1687, microsoft-graph-docs#4931); the second witness is its folder, or where its
 * folder should be.
 *
 * @throws LibraryError `denied` if the file may be hidden from the caller, `busy` if it exists after all; then nothing
 * has changed
 */
export async function setAsideIfGone(parts: IntentParts, record: DocumentRecord): Promise<void> {
  const { library, provisioning, records } = parts;
  const { projectId, folderName } = record;
  if (record.checkedOut && parts.user.oid !== record.uploadedByUserId) throw checkedOutError(record);
  const folder = await provisioning.visibleSubfolder(projectId, folderName);
  if (folder === 'hidden') throw mayBeHidden();
  if (folder !== 'missing') await requireGoneBelow(library, folder.id, record);
  await records.setAside(record);
}

const checkedOutError = ({ uploadedByName, uploadedByUserId }: DocumentRecord): LibraryError =>
  new LibraryError('denied', {
    detail: `The document is checked out to ${uploadedByName ?? uploadedByUserId} and was never checked in: the library hides it from everybody else. Its uploader, or an administrator of the library, can check it in.`,
  });

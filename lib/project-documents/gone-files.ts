import type { User } from '../callers/caller.ts';
import type { Library } from '../document-library/library.ts';
import { isRefusal, LibraryError } from '../document-library/library-error.ts';

/**
 * After one answer that an item is not there, before its record is given up for it: asks a second time, because the
 * library now and then denies what it has, and whether the library itself is there, because a wrong drive id would
 * answer so for every document and cost every record.
 *
 * @throws LibraryError `denied` when there is no such drive, `busy` when the item is there after all
 */
export async function requireGone(library: Library, user: User, itemId: string): Promise<void> {
  const [libraryAnswers, isThere] = await Promise.all([
    library.answers(user),
    library.item(user, itemId).then(
      () => true,
      (error: unknown) => {
        if (isRefusal(error, 'notFound')) return false;
        throw error;
      },
    ),
  ]);
  if (!libraryAnswers) {
    throw new LibraryError('denied', { cause: new Error('the drive of DOCLIB_DRIVE_ID is not found') });
  }
  if (isThere) throw new LibraryError('busy', { cause: new Error('the library lost and found an item') });
}

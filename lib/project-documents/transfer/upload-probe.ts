import { randomBytes } from 'node:crypto';
import { isLibraryError } from '../../document-library/library-error.ts';
import type { Library } from '../../document-library/library.ts';
import { cancelSession } from '../../uploads/upload-url.ts';

/**
 * Whether the caller may upload a new file to a folder. An item does not contain the caller's rights, so this asks for what an
 * upload starts with (A1: it requires the right to write): a session for a random name, which is canceled immediately and
 * creates nothing.
 *
 * @param extension of the random name, with its dot
 * @throws LibraryError of any other reason
 */
export async function acceptsUpload(
  library: Library,
  folderId: string,
  { extension = '' }: { readonly extension?: string } = {},
): Promise<boolean> {
  const name = `access-${randomBytes(6).toString('hex')}${extension}`;
  try {
    const { uploadUrl } = await library.createUploadSession(folderId, name, 'fail', { deferCommit: true });
    // Otherwise it expires after 15 minutes, without a file (A6).
    await cancelSession(uploadUrl).catch(() => undefined);
    return true;
  } catch (error) {
    if (isLibraryError(error, 'denied', 'policy')) return false;
    throw error;
  }
}

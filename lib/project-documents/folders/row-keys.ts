/**
 * The codec of the keys of all rows that projects have: in their partitions (project-partition.ts), and beside them, in one for
 * direct uploads and one for the words of all names. No other file knows the form of a key.
 */
import { keyKind, newestFirstField, textField } from '../../storage/row-keys.ts';

/** Of a document id (document-key.ts). */
const itemKey = textField(/[0-9a-f]{16}/);
const id = textField(/[^!]+/);

export const rowKeys = {
  /** A record by its document. */
  file: keyKind('file-', { itemKey }),
  /** A copy of it in the order of the list; 13 digits suffice until the year 2286. */
  list: keyKind('list-', { uploadedAtMs: newestFirstField(13), itemKey }),
  /** A record whose file is not in its folder. */
  aside: keyKind('aside-', { itemKey }),
  /** The intent of an upload. */
  upload: keyKind('upload-', { uploadId: id }),
  /** Counts an open direct upload of a user. */
  ofUser: keyKind('of-', { userId: id, uploadId: textField(/[^-]+(?:-[^-]+){4}/) }),
  /** Names of a project, packed; the last row says that they are complete. */
  names: keyKind('names!', { projectId: id, row: textField(/\d\d|complete/) }),
  /** Names with a word of these first letters, packed. */
  sharedWords: keyKind('B!', { start: textField(/[^!]+/), batch: id, number: textField(/\d{4}/) }),
};

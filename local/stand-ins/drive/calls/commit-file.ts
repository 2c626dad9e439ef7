import type { Drive } from '../state/drives.ts';
import type { FileFacet, Identity, Item } from '../state/item.ts';
import type { Emulator } from '../state/emulator.ts';
import { eTag, cTag } from '../state/drive-item.ts';
import { GraphError, nameAlreadyExists, preconditionFailed } from '../base/graph-error.ts';
import type { ConflictBehavior } from '../content/request-body.ts';

export interface FileCommit {
  drive: Drive;
  parent: Item;
  name: string;
  behavior: ConflictBehavior;
  file: FileFacet;
  by: Identity;
}

/**
 * Creates the file of an upload, after checking it against the existing items (A6, A7, A8). There is no `await` between the
 * check and the change, so of two uploads with `fail` exactly one wins.
 */
export async function commitFile(
  emulator: Emulator,
  { drive, parent, name, behavior, file, by }: FileCommit,
): Promise<{ item: Item; created: boolean }> {
  const { tree } = drive;
  if (tree.get(parent.id) !== parent) throw new GraphError(404, 'itemNotFound', 'The parent folder is gone.');
  const existing = tree.child(parent, name);
  checkConflict(existing, behavior);
  // A15: after all bytes have arrived, and without a word about the rule.
  if (emulator.settings.rejectsByValidation) {
    throw new GraphError(500, 'generalException', 'General exception while processing');
  }
  const replaced = behavior === 'replace' ? existing : undefined;
  checkQuota(emulator, drive, file.content.size - (replaced?.size ?? 0));
  const at = new Date(emulator.now());
  if (replaced?.file) {
    const { file: old, contentVersion, modifiedAt, modifiedBy } = replaced;
    tree.replaceContent(replaced, file, at, by);
    const isKept = emulator.settings.versioning !== 'none';
    if (isKept)
      replaced.earlier = [{ number: contentVersion, modifiedAt, modifiedBy, file: old }, ...replaced.earlier];
    checkOutToUploader(emulator, replaced, by);
    emulator.changed();
    if (!isKept) await old.content.delete();
    return { item: replaced, created: false };
  }
  const free = behavior === 'rename' ? tree.freeName(parent, name, 'file') : name;
  const item = tree.add({ name: free, parent, at, by, file });
  checkOutToUploader(emulator, item, by);
  // Never checked in: only its uploader sees it.
  if (item.checkedOutBy !== null) item.checkedOutTo = item.checkedOutBy;
  // A18: a draft, which a check-in does not publish either.
  if (emulator.settings.contentApproval) item.checkedOutTo = by.id;
  emulator.changed();
  return { item, created: true };
}

/** A16: what is uploaded stays checked out. */
function checkOutToUploader({ settings }: Emulator, item: Item, by: Identity): void {
  if (settings.checkOut === 'required' || settings.hasRequiredColumn) item.checkedOutBy = by.id;
}

/** Throws the error that prevents replacing `existing` with a file, if there is one. */
export function checkConflict(existing: Item | undefined, behavior: ConflictBehavior): void {
  if (existing === undefined || behavior === 'rename') return;
  // A4: a file never replaces a folder.
  if (behavior === 'fail' || existing.file === null) throw nameAlreadyExists();
  checkUnlocked(existing);
}

export function checkUnlocked(item: Item): void {
  if (item.locked) throw lockedError();
}

/** A6: one of the reported forms; tests/unit/document-library/library-error.test.ts has the others. */
export const lockedError = (): GraphError =>
  new GraphError(423, 'notAllowed', 'The resource you are attempting to access is locked', {
    inner: ['resourceLocked'],
  });

/** A10: 507, also for a simple PUT and at the end of a session. */
export function checkQuota({ settings }: Emulator, drive: Drive, bytes: number): void {
  if (drive.tree.root.size + bytes > settings.quotaBytes) {
    throw new GraphError(507, 'quotaLimitReached', 'Insufficient Space Available');
  }
}

/** Compares If-Match with eTag and cTag; "*" matches any existing item. */
export function checkIfMatch(header: string | undefined, item: Item | undefined): void {
  if (header === undefined) return;
  if (item !== undefined && (header === '*' || header === eTag(item) || header === cTag(item))) return;
  throw preconditionFailed();
}

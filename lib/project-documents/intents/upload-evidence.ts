import { contentTagOf, isSameName, type DriveItem } from '../../document-library/drive-item.ts';
import type { SeenName } from '../../document-library/library.ts';
import type { Before, UploadIntent } from './upload-intent.ts';

/**
 * `sure` is enough to confirm an upload to its caller. `likely` means that an existing file was replaced, but with other
 * bytes than were sent, as after SharePoint's rewriting: only enough to write a record that matches the file.
 */
export type Evidence = 'sure' | 'likely';

/** Longer than any upload runs: `functionTimeout` in host.json, plus five minutes for the library's own processing. */
export const uploadIsOverMs = 35 * 60_000;
// The token in an upload URL expires after 24 hours; after that, no upload can be finished.
export const lastChanceMs = 25 * 60 * 60_000;

/** How long after its start an upload may still finish its file. */
const mayFinishWithinMs = ({ directUploadId }: UploadIntent): number =>
  directUploadId ? lastChanceMs : uploadIsOverMs;

export const mayStillFinish = (intent: UploadIntent, nowMs: number): boolean =>
  nowMs - Date.parse(intent.startedAt) <= mayFinishWithinMs(intent);

// Clock differences between the library's servers, and timestamps in seconds compared with milliseconds.
const clockToleranceMs = 30_000;
// SharePoint rewrites these after an upload (reported for years, never documented), so their size is no evidence.
const isRewritten = /\.(docx?|docm|dotx?|xlsx?|xlsm|pptx?|pptm|pdf|html?|jpe?g)$/i;

export const beforeOf = ({ item, at }: SeenName): Before => ({
  at: at.toISOString(),
  contentTag: item && (contentTagOf(item) ?? ''),
});

/** Null if the item is not, or not provably, the file of the upload. */
export function evidenceOf(intent: UploadIntent, item: DriveItem): Evidence | null {
  const { before, size } = intent;
  if (item.folder !== undefined || !isNamedFor(intent, item)) return null;
  const isNew = before.contentTag === null || intent.conflictBehavior === 'rename';
  // A new file keeps its creator and creation time when it is changed later.
  const by = isNew ? item.createdBy : item.lastModifiedBy;
  const atMs = Date.parse((isNew ? item.createdDateTime : item.lastModifiedDateTime) ?? '');
  const sinceMs = atMs - Date.parse(before.at);
  if (by?.user?.id !== intent.uploadedByUserId) return null;
  if (!(sinceMs >= -clockToleranceMs && sinceMs <= mayFinishWithinMs(intent))) return null;
  if (!isNew && !hasChanged(before, item)) return null;
  if (item.size === size) return 'sure';
  if (size === 0 || !isRewritten.test(intent.fileName)) return null;
  return isNew ? 'sure' : 'likely';
}

/** The size of a file that did not pass through the service: as announced, unless the library's value is reliable. */
export const sizeOfSent = ({ fileName, size }: UploadIntent, item: DriveItem): number =>
  isRewritten.test(fileName) ? size : (item.size ?? size);

function hasChanged({ contentTag }: Before, item: DriveItem): boolean {
  const tag = contentTagOf(item);
  return tag !== undefined && contentTag !== '' && tag !== contentTag;
}

const isNamedFor = ({ conflictBehavior, fileName }: UploadIntent, { name }: DriveItem): boolean =>
  conflictBehavior === 'rename' ? isNumbered(name, fileName) : isSameName(name, fileName);

/** `Plan.pdf`, or `Plan 1.pdf` after the library has renamed it. */
function isNumbered(name: string, asked: string): boolean {
  const dot = asked.lastIndexOf('.');
  const [stem, extension] = dot > 0 ? [asked.slice(0, dot), asked.slice(dot)] : [asked, ''];
  const given = name.normalize('NFC');
  const middle = given.slice(stem.length, given.length - extension.length);
  return /^( \d+)?$/.test(middle) && isSameName(stem + middle + extension, given);
}

import { contentTagOf, isSameName, type DriveItem } from '../document-library/drive-item.ts';
import type { SeenName } from '../document-library/library.ts';
import type { Before, UploadIntent } from './upload-intents.ts';

/**
 * How well an item of the library is shown to be the file of an upload. `sure` is enough to tell the caller so;
 * `likely` (other bytes than were sent, as SharePoint's rewriting leaves them, over a file that was there before) only
 * to give a file that is there a record that fits it.
 */
export type Evidence = 'sure' | 'likely';

/** Longer than any upload runs: `functionTimeout` in host.json, and five minutes for what the library does after it. */
export const uploadIsOverMs = 35 * 60_000;
// The token inside an upload URL ends after 24 hours: from then on nothing can be finished any more.
export const lastChanceMs = 25 * 60 * 60_000;

/** How long after its beginning an upload may still finish its file. */
const mayFinishWithinMs = ({ directUploadId }: UploadIntent): number =>
  directUploadId ? lastChanceMs : uploadIsOverMs;

export const mayStillFinish = (intent: UploadIntent, nowMs: number): boolean =>
  nowMs - Date.parse(intent.startedAt) <= mayFinishWithinMs(intent);

// Between the library's servers, and seconds in the one place, milliseconds in the other.
const clockToleranceMs = 30_000;
// SharePoint rewrites these after an upload (reported for years, and never documented); for them size is no evidence.
const isRewritten = /\.(docx?|docm|dotx?|xlsx?|xlsm|pptx?|pptm|pdf|html?|jpe?g)$/i;

export const beforeOf = ({ item, at }: SeenName): Before => ({
  at: at.toISOString(),
  contentTag: item && (contentTagOf(item) ?? ''),
});

/** Null when the item is not, or not provably, what the upload made. */
export function evidenceOf(intent: UploadIntent, item: DriveItem): Evidence | null {
  const { before, size } = intent;
  if (item.folder !== undefined || !isNamedFor(intent, item)) return null;
  const isNew = before.contentTag === null || intent.conflictBehavior === 'rename';
  // A new file keeps the trace of who made it and when, whatever happens to it later.
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

/** Of a file that went past us: what its sender announced, unless the library knows better. */
export const sizeOfSent = ({ fileName, size }: UploadIntent, item: DriveItem): number =>
  isRewritten.test(fileName) ? size : (item.size ?? size);

function hasChanged({ contentTag }: Before, item: DriveItem): boolean {
  const tag = contentTagOf(item);
  return tag !== undefined && contentTag !== '' && tag !== contentTag;
}

const isNamedFor = ({ conflictBehavior, fileName }: UploadIntent, { name }: DriveItem): boolean =>
  conflictBehavior === 'rename' ? isNumbered(name, fileName) : isSameName(name, fileName);

/** `Plan.pdf` or, renamed by the library, `Plan 1.pdf`. */
function isNumbered(name: string, asked: string): boolean {
  const dot = asked.lastIndexOf('.');
  const [stem, extension] = dot > 0 ? [asked.slice(0, dot), asked.slice(dot)] : [asked, ''];
  const given = name.normalize('NFC');
  const middle = given.slice(stem.length, given.length - extension.length);
  return /^( \d+)?$/.test(middle) && isSameName(stem + middle + extension, given);
}

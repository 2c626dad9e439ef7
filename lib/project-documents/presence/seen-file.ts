import type { DriveItem } from '../../document-library/drive-item.ts';
import type { DocumentRecord, SeenFile } from '../records/document-records.ts';

/** What a record takes from its file. */
export const seenFile = ({ name, size, webUrl }: DriveItem): SeenFile => ({
  fileName: name.normalize('NFC'),
  size,
  webUrl,
});

/** Whether the record has the name, size, and web URL of its file. */
export const agrees = ({ document, librarySize }: DocumentRecord, item: DriveItem): boolean =>
  item.name.normalize('NFC') === document.fileName &&
  (item.size ?? librarySize) === librarySize &&
  (item.webUrl ?? document.webUrl) === document.webUrl;

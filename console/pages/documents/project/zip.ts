import { downloadZip } from 'client-zip';
import { pathOf } from './folders.ts';

/** The browser keeps the files and the zip, usually on disk, until the zip is saved. */
export const maxZipBytes = 1_000_000_000;

interface Placed {
  readonly folderName: string;
  readonly folderPath: string;
  readonly fileName: string;
  readonly uploadedAt: string;
}

/** A file of the project with its content. */
export interface ZippedFile {
  readonly document: Placed;
  readonly content: Blob;
}

/** With the folders of the project, unless all files are in the same one. Nothing is compressed: most files of an office are. */
export function zipOf(files: readonly ZippedFile[]): Promise<Blob> {
  const hasOneFolder = new Set(files.map(({ document }) => pathOf(document))).size === 1;
  const entries = files.map(({ document, content }) => ({
    name: hasOneFolder ? document.fileName : `${pathOf(document)}/${document.fileName}`,
    lastModified: new Date(document.uploadedAt),
    input: content,
  }));
  return downloadZip(entries).blob();
}

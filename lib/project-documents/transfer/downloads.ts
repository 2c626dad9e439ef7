import { create as contentDisposition } from 'content-disposition';
import type { HttpResponseInit } from '@azure/functions';
import { download, OutsideFile } from '../../document-library/download.ts';
import { downloadLinkOf, type DownloadLink } from '../../document-library/download-link.ts';
import { contentTagOf, type DriveItem } from '../../document-library/drive-item.ts';
import { isLibraryError } from '../../document-library/library-error.ts';
import type { ProjectDocument } from '../document-records/document.ts';
import { requestedRange, isNoneMatch } from '../../http/byte-range.ts';
import { ServiceError } from '../../base/service-error.ts';
import { documentNotFound } from '../document-records/document-records.ts';
import { setAsideIfGone } from '../presence/gone-files.ts';
import { documentIn } from '../document-records/document-row.ts';
import { correctRecord } from '../presence/correction.ts';
import { revive } from '../presence/set-aside-revival.ts';
import { asciiFileName } from '../../document-library/file-name.ts';
import { findRecord, type DocumentParts } from './document-parts.ts';

export interface DownloadHeaders {
  readonly range?: string | undefined;
  readonly 'if-range'?: string | undefined;
  readonly 'if-none-match'?: string | undefined;
}

/**
 * Streams a document from the library, and updates its record from the library's data.
 *
 * @param isHead without its bytes, which then are not requested from the library
 * @throws ServiceError `document_not_found`, `document_gone`, `range_not_satisfiable`; LibraryError
 */
export function downloadDocument(
  parts: DocumentParts,
  documentId: string,
  headers: DownloadHeaders,
  { isHead = false } = {},
): Promise<HttpResponseInit> {
  return withFile(parts, documentId, (document, item) =>
    isHead ? Promise.resolve(headOf(document, item, headers)) : responseOf(parts, document, item, headers),
  );
}

/**
 * A URL at which the file can be read without a token, by anyone who has the URL.
 *
 * @throws ServiceError `document_not_found`, `document_gone`; LibraryError
 */
export function linkDocument(parts: DocumentParts, documentId: string): Promise<DownloadLink> {
  return withFile(parts, documentId, async (_document, item) => downloadLinkOf(item, parts.clock.now()));
}

/**
 * Restores a record that another caller's request has set aside if this caller finds the file in a folder of the record's
 * project.
 */
export async function withFile<T>(
  parts: DocumentParts,
  documentId: string,
  use: (document: ProjectDocument, item: DriveItem) => Promise<T>,
): Promise<T> {
  const record = await findRecord(parts, documentId);
  const isSetAside = record.setAsideAt !== undefined;
  try {
    const { item, place } = await parts.places.locate(record);
    if (place === null) {
      if (isSetAside) throw documentNotFound(documentId);
      await parts.records.setAside(record);
      throw new ServiceError('document_gone', {
        detail:
          'The document was moved out of the project in the library; its record was removed from the list.',
      });
    }
    const current = isSetAside
      ? await revive(parts, record, item, place)
      : documentIn(await correctRecord(parts, record, item, place));
    return await use(current, item);
  } catch (error) {
    if (!isLibraryError(error, 'notFound')) throw error;
    if (isSetAside) throw documentNotFound(documentId);
    await setAsideIfGone(parts, record);
    throw new ServiceError('document_gone', {
      detail: 'The document was deleted in the library; its record was removed from the list.',
    });
  }
}

async function responseOf(
  parts: DocumentParts,
  document: ProjectDocument,
  item: DriveItem,
  headers: DownloadHeaders,
): Promise<HttpResponseInit> {
  const tag = contentTagOf(item);
  if (isNoneMatch(headers['if-none-match'], tag)) return notModified(tag);
  // If-Range: the range only if the content is the one the caller has a part of.
  const isSame = headers['if-range'] === undefined || headers['if-range'] === tag;
  const asked = requestedRange(isSame ? headers.range : undefined);
  const { blocks, length, part } = await download(parts.library, item, asked).catch((error: unknown) => {
    throw error instanceof OutsideFile ? outside(error.size ?? item.size ?? 0) : error;
  });
  return {
    status: part ? 206 : 200,
    headers: {
      ...headersOf(document, tag),
      ...(length !== undefined && { 'content-length': String(length) }),
      ...(part && { 'content-range': `bytes ${part.start}-${part.end}/${part.size ?? '*'}` }),
    },
    body: blocks,
  };
}

/** A HEAD has no ranges (RFC 9110, 14.2). */
function headOf(
  document: ProjectDocument,
  item: DriveItem,
  { 'if-none-match': known }: DownloadHeaders,
): HttpResponseInit {
  const tag = contentTagOf(item);
  if (isNoneMatch(known, tag)) return notModified(tag);
  const length = item.size === undefined ? {} : { 'content-length': String(item.size) };
  return { status: 200, headers: { ...headersOf(document, tag), ...length } };
}

const etagHeader = (tag: string | undefined) => (tag === undefined ? {} : { etag: tag });
const notModified = (tag: string | undefined): HttpResponseInit => ({
  status: 304,
  headers: etagHeader(tag),
});

const headersOf = ({ contentType, fileName }: ProjectDocument, tag: string | undefined) => ({
  'content-type': contentType,
  'content-disposition': contentDisposition(fileName, { fallback: asciiFileName(fileName) }),
  'accept-ranges': 'bytes',
  ...etagHeader(tag),
  // HTML, SVG, and similar files must never run in this origin: not sniffed, not displayed, and sandboxed.
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'",
});

const outside = (size: number): ServiceError =>
  new ServiceError('range_not_satisfiable', {
    detail: `The file has ${size} bytes; the requested range begins after its end.`,
    headers: { 'content-range': `bytes */${size}` },
  });

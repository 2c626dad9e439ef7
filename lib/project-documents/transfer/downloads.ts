import { create as contentDisposition } from 'content-disposition';
import type { HttpResponseInit } from '@azure/functions';
import type { User } from '../../callers/caller.ts';
import { download } from '../../document-library/download.ts';
import { downloadLinkOf, type DownloadLink } from '../../document-library/download-link.ts';
import { contentTagOf, type DriveItem } from '../../document-library/drive-item.ts';
import { isLibraryError } from '../../document-library/library-error.ts';
import type { ProjectDocument } from '../records/document.ts';
import { requestedRange, isNoneMatch } from '../../http/byte-range.ts';
import { ServiceError } from '../../base/service-error.ts';
import type { EventLog } from '../../base/event-log.ts';
import { orLater } from '../../base/or-later.ts';
import { documentNotFound, type DocumentRecord } from '../records/document-records.ts';
import type { DocumentParts } from './document-parts.ts';

export interface DownloadHeaders {
  readonly range?: string | undefined;
  readonly 'if-range'?: string | undefined;
  readonly 'if-none-match'?: string | undefined;
}

/** Streams documents from the library, and updates their records from the library's data. */
export class Downloads {
  readonly #parts: DocumentParts;

  constructor(parts: DocumentParts) {
    this.#parts = parts;
  }

  /** @throws ServiceError `document_not_found`, `document_gone`, `range_not_satisfiable`; LibraryError */
  open(user: User, documentId: string, headers: DownloadHeaders, log: EventLog): Promise<HttpResponseInit> {
    return this.#withFile(user, documentId, log, (document, item) =>
      this.#response(user, document, item, headers),
    );
  }

  /**
   * A URL at which the file can be read without a token, by anyone who has the URL.
   *
   * @throws ServiceError `document_not_found`, `document_gone`; LibraryError
   */
  link(user: User, documentId: string, log: EventLog): Promise<DownloadLink> {
    return this.#withFile(user, documentId, log, async (_document, item) =>
      downloadLinkOf(item, this.#parts.clock.now()),
    );
  }

  async #withFile<T>(
    user: User,
    documentId: string,
    log: EventLog,
    use: (document: ProjectDocument, item: DriveItem) => Promise<T>,
  ): Promise<T> {
    const { library, records, goneFiles } = this.#parts;
    const record = await records.find(documentId);
    if (!record) return this.#withFileSetAside(user, documentId, log, use);
    try {
      const item = await library.item(user, record.itemId);
      return await use(await this.#corrected(record, item, log), item);
    } catch (error) {
      if (!isLibraryError(error, 'notFound')) throw error;
      await goneFiles.setAside(user, record);
      throw new ServiceError('document_gone', {
        detail: 'The document was deleted in the library; its record was removed from the list.',
      });
    }
  }

  /** Restores a record that another caller's request has set aside if this caller finds the file. */
  async #withFileSetAside<T>(
    user: User,
    documentId: string,
    log: EventLog,
    use: (document: ProjectDocument, item: DriveItem) => Promise<T>,
  ): Promise<T> {
    const { library, setAside, revival } = this.#parts;
    const found = await setAside.find(documentId);
    if (!found) throw documentNotFound(documentId);
    try {
      const item = await library.item(user, found.record.itemId);
      const { document } = await revival.revive(found, item, log);
      return await use(document, item);
    } catch (error) {
      if (isLibraryError(error, 'notFound')) throw documentNotFound(documentId);
      throw error;
    }
  }

  /** The document with the current name, size, and web URL of its file. */
  async #corrected(record: DocumentRecord, item: DriveItem, log: EventLog): Promise<ProjectDocument> {
    const { document, librarySize } = record;
    const fileName = item.name.normalize('NFC');
    const webUrl = item.webUrl ?? document.webUrl;
    const isSame =
      fileName === document.fileName &&
      webUrl === document.webUrl &&
      (item.size ?? librarySize) === librarySize;
    if (isSame) return document;
    const seen = { fileName, webUrl, size: item.size };
    const { records } = this.#parts;
    return (
      (await orLater(log, 'correction of a record', () => records.correct(document.id, seen))) ?? document
    );
  }

  async #response(
    user: User,
    document: ProjectDocument,
    item: DriveItem,
    headers: DownloadHeaders,
  ): Promise<HttpResponseInit> {
    const tag = contentTagOf(item);
    const tagged = tag === undefined ? {} : { etag: tag };
    if (isNoneMatch(headers['if-none-match'], tag)) return { status: 304, headers: tagged };
    const size = item.size ?? 0;
    // If-Range: the range only if the content is the one the caller has a part of.
    const isSame = headers['if-range'] === undefined || headers['if-range'] === tag;
    const asked = requestedRange(isSame ? headers.range : undefined, size);
    if (asked.kind === 'outside') throw outside(size);
    const { blocks, length, range } = await download(
      this.#parts.library,
      user,
      item,
      asked.kind === 'part' ? asked : undefined,
    );
    return {
      status: range ? 206 : 200,
      headers: {
        'content-type': document.contentType,
        'content-disposition': contentDisposition(document.fileName),
        'accept-ranges': 'bytes',
        ...(length !== undefined && { 'content-length': String(length) }),
        ...(range && { 'content-range': `bytes ${range.start}-${range.end}/${size}` }),
        ...tagged,
        // HTML, SVG, and similar files must never run in this origin: not sniffed, not displayed, and sandboxed.
        'x-content-type-options': 'nosniff',
        'content-security-policy': "sandbox; default-src 'none'",
      },
      body: blocks,
    };
  }
}

const outside = (size: number): ServiceError =>
  new ServiceError('range_not_satisfiable', {
    detail: `The file has ${size} bytes; the requested range begins after its end.`,
    headers: { 'content-range': `bytes */${size}` },
  });

import { create as contentDisposition } from 'content-disposition';
import type { HttpResponseInit } from '@azure/functions';
import type { User } from '../callers/caller.ts';
import { download } from '../document-library/download.ts';
import { contentTagOf, type DriveItem } from '../document-library/drive-item.ts';
import type { Library } from '../document-library/library.ts';
import { isRefusal } from '../document-library/library-error.ts';
import { askedRange, isNoneMatch } from '../http/byte-range.ts';
import { ServiceError } from '../base/service-error.ts';
import type { DocumentRecord, DocumentRecords } from './document-records.ts';
import { requireGone } from './gone-files.ts';

export interface DownloadHeaders {
  readonly range?: string | undefined;
  readonly 'if-range'?: string | undefined;
  readonly 'if-none-match'?: string | undefined;
}

/** Streams a document from the library, and forgets the record of one that is gone from it. */
export class Downloads {
  readonly #library: Library;
  readonly #records: DocumentRecords;

  constructor(library: Library, records: DocumentRecords) {
    this.#library = library;
    this.#records = records;
  }

  /** @throws ServiceError `document_not_found`, `document_gone`, `range_not_satisfiable`; LibraryError */
  async open(user: User, documentId: string, headers: DownloadHeaders): Promise<HttpResponseInit> {
    const record = await this.#records.get(documentId);
    try {
      const item = await this.#library.item(user, record.itemId);
      return await this.#answer(user, record, item, headers);
    } catch (error) {
      if (!isRefusal(error, 'notFound')) throw error;
      return this.#purge(user, record);
    }
  }

  async #answer(
    user: User,
    { document }: DocumentRecord,
    item: DriveItem,
    headers: DownloadHeaders,
  ): Promise<HttpResponseInit> {
    const tag = contentTagOf(item);
    const tagged = tag === undefined ? {} : { etag: tag };
    if (isNoneMatch(headers['if-none-match'], tag)) return { status: 304, headers: tagged };
    const size = item.size ?? 0;
    // If-Range: the part only of the very content the caller has the rest of.
    const isSame = headers['if-range'] === undefined || headers['if-range'] === tag;
    const asked = askedRange(isSame ? headers.range : undefined, size);
    if (asked.kind === 'outside') throw outside(size);
    const { blocks, length, range } = await download(
      this.#library,
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
        // HTML, SVG and their like must never run as this origin's: not sniffed, not shown, and powerless if they are.
        'x-content-type-options': 'nosniff',
        'content-security-policy': "sandbox; default-src 'none'",
      },
      body: blocks,
    };
  }

  async #purge(user: User, { document, itemId }: DocumentRecord): Promise<never> {
    await requireGone(this.#library, user, itemId);
    await this.#records.remove(document.id);
    throw new ServiceError('document_gone', {
      detail: 'The document was deleted in the library; its record is removed too.',
    });
  }
}

const outside = (size: number): ServiceError =>
  new ServiceError('range_not_satisfiable', {
    detail: `The file has ${size} bytes; the range asked for begins after them.`,
    headers: { 'content-range': `bytes */${size}` },
  });

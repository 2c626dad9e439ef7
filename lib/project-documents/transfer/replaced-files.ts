import { randomBytes } from 'node:crypto';
import { extname } from 'node:path';
import { isSameName, tagOf, type DriveItem } from '../../document-library/drive-item.ts';
import { maxNameLength } from '../../document-library/file-name.ts';
import { LibraryError } from '../../document-library/library-error.ts';
import { documentIdOf, documentKey } from '../document-records/document-key.ts';
import type { DocumentParts } from './document-parts.ts';

interface ReplacedFile {
  readonly projectId: string;
  /** As it was before. */
  readonly item: DriveItem;
  /** The name that it has now. */
  readonly name: string;
}

/**
 * Files that give way to another one (`replace`). They get a name beside it, and are deleted, into the recycle bin of the
 * library, when the other one has theirs: until then they can be put back, and a crash leaves both files in the folder. The
 * library's own `replace` is not used, because nobody documents where it leaves the replaced file (drive rule A17).
 */
export class ReplacedFiles {
  readonly #parts: DocumentParts;
  #files: readonly ReplacedFile[] = [];

  constructor(parts: DocumentParts) {
    this.#parts = parts;
  }

  /** @throws LibraryError `locked`, `denied` … */
  async stepAside(item: DriveItem, projectId: string): Promise<void> {
    const name = nameAside(item.name);
    // First: if the response is lost, the file may have its new name.
    this.#files = [...this.#files.filter((each) => each.item.id !== item.id), { projectId, item, name }];
    await this.#parts.library.move(item.id, tagOf(item), { name }, 'fail');
  }

  /** Never throws: the other file has its name. A file that somebody has changed in the meantime remains beside it. */
  async delete(): Promise<void> {
    const { library, records, log } = this.#parts;
    for (const { item, name, projectId } of this.#files) {
      const documentId = documentIdOf(documentKey(projectId, item.id));
      await this.#orRemains(documentId, projectId, async () => {
        const now = await library.itemOrNull(item.id);
        if (now && (!isSameName(now.name, name) || now.cTag !== item.cTag)) throw new LibraryError('changed');
        if (now) await library.delete(now.id, tagOf(now));
        log.info('document_replaced', { documentId, projectId });
        await records.remove(documentId);
      });
    }
  }

  /** Never throws: the caller is told of what prevented the change. */
  async putBack(): Promise<void> {
    const { library } = this.#parts;
    for (const { item, name, projectId } of this.#files) {
      const documentId = documentIdOf(documentKey(projectId, item.id));
      await this.#orRemains(documentId, projectId, async () => {
        const now = await library.itemOrNull(item.id);
        if (!now || !isSameName(now.name, name)) return;
        await library.move(now.id, tagOf(now), { name: item.name }, 'fail');
      });
    }
  }

  async #orRemains(documentId: string, projectId: string, step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      const reason = error instanceof LibraryError ? error.reason : 'unknown';
      this.#parts.log.warn('replaced_file_remains', { documentId, projectId, reason });
    }
  }
}

/** `Plan (ersetzt 1f2e3d4c).pdf` for `Plan.pdf`: people may see it. */
function nameAside(name: string): string {
  const ending = ` (ersetzt ${randomBytes(4).toString('hex')})${extname(name)}`;
  const stem = name.slice(0, name.length - extname(name).length);
  // Not half of a character at the end.
  return stem.slice(0, maxNameLength - ending.length).replace(/\p{Cs}$/u, '') + ending;
}

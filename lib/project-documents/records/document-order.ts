import { cursorAfterRow, rowKeyOfCursor } from '../../storage/cursor.ts';
import { hasParts, partsIn, type PartForms } from '../../records/search-words.ts';
import type { Page } from '../../records/word-index.ts';
import type { Subfolder } from '../../contract/subfolders.ts';
import type { ProjectDocument } from './document.ts';

export const sorts = ['name', '-name', 'uploadedAt', '-uploadedAt', 'size', '-size'] as const;
export type Sort = (typeof sorts)[number];
export const newestFirst: Sort = '-uploadedAt';

export interface ListQuery {
  readonly folderName?: Subfolder | undefined;
  /** Each word of it must be a part of the file name. */
  readonly search?: string | undefined;
  /** Default: newest first. */
  readonly sort?: Sort | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** A document's place in an order: two documents never have the same. */
interface Place {
  readonly value: string;
  readonly id: string;
}

const idLength = 36;
// `Plan 2` before `Plan 10`, `ä` beside `a`. Sizes and times are digits.
const collator = new Intl.Collator('de', { numeric: true });

/** A document with its file name as it is searched. */
export interface ListedDocument {
  readonly document: ProjectDocument;
  readonly forms: PartForms;
}

// Documents that are kept in memory at a time; sorted whenever there are so many.
const maxKept = 1000;

/**
 * One page of a project's documents, searched and sorted in memory, of which only the page is kept.
 *
 * @param list names the list that the cursor is valid for
 * @throws ServiceError `invalid_request` for another cursor
 */
export async function pageInOrder(
  documents: AsyncIterable<ListedDocument>,
  list: string,
  { search, sort = newestFirst, limit, cursor }: ListQuery,
): Promise<Page<ProjectDocument>> {
  const parts = search === undefined ? [] : partsIn(search);
  const ofQuery = [list, sort, ...parts.map((part) => part.spelledOut)].join(' ');
  const compare = (a: Place, b: Place): number => {
    const ascending = collator.compare(a.value, b.value) || (a.id < b.id ? -1 : Number(a.id > b.id));
    return sort.startsWith('-') ? -ascending : ascending;
  };
  const after =
    cursor === undefined ? undefined : rowKeyOfCursor(cursor, ofQuery, (key) => key.length > idLength);
  const start = after && { value: after.slice(idLength), id: after.slice(0, idLength) };
  // One more than requested shows whether there is a next page.
  const wanted = limit + 1;
  let kept: (Place & { readonly document: ProjectDocument })[] = [];
  for await (const { document, forms } of documents) {
    if (!hasParts(parts, forms)) continue;
    const place = { id: document.id, value: valueOf(document, sort), document };
    if (start && compare(start, place) >= 0) continue;
    kept.push(place);
    if (kept.length === maxKept) kept = kept.toSorted(compare).slice(0, wanted);
  }
  const following = kept.toSorted(compare);
  const items = following.slice(0, limit);
  const last = following.length > limit ? items.at(-1) : undefined;
  return {
    items: items.map(({ document }) => document),
    nextCursor: last ? cursorAfterRow(last.id + last.value, ofQuery) : null,
  };
}

function valueOf({ fileName, uploadedAt, size }: ProjectDocument, sort: Sort): string {
  if (sort.endsWith('name')) return fileName;
  return sort.endsWith('size') ? String(size) : uploadedAt;
}

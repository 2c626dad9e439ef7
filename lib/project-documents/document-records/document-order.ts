import { setImmediate } from 'node:timers/promises';
import { placeOfCursor } from '../../storage/cursor.ts';
import { hasParts, partsIn } from '../../master-data/search-words.ts';
import type { Page } from '../../master-data/word-index.ts';
import type { Subfolder } from '../../contract/subfolders.ts';
import type { ListedName } from './document-names.ts';

export const sorts = [
  'name',
  '-name',
  'uploadedAt',
  '-uploadedAt',
  'size',
  '-size',
  'uploadedBy',
  '-uploadedBy',
] as const;
export type Sort = (typeof sorts)[number];
export const newestFirst: Sort = '-uploadedAt';

export interface ListQuery {
  readonly folderName?: Subfolder | undefined;
  /** The documents directly in it; empty: directly in a subfolder. */
  readonly folderPath?: string | undefined;
  /** Id of a user. */
  readonly uploadedBy?: string | undefined;
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

// Documents that are kept in memory at a time; sorted whenever there are so many.
const maxKept = 1000;
// Other calls are served in between.
const namesPerTurn = 250;

/**
 * One page of a project's documents, searched and sorted in memory, of which only the page is kept.
 *
 * @throws ServiceError `invalid_request` for another cursor
 */
export async function pageInOrder<T extends ListedName>(
  names: AsyncIterable<T> | Iterable<T>,
  { folderName, folderPath, uploadedBy, search, sort = newestFirst, limit, cursor }: ListQuery,
): Promise<Page<T>> {
  const parts = search === undefined ? [] : partsIn(search);
  const compare = (a: Place, b: Place): number => {
    const ascending = collator.compare(a.value, b.value) || (a.id < b.id ? -1 : Number(a.id > b.id));
    return sort.startsWith('-') ? -ascending : ascending;
  };
  const after = cursor === undefined ? undefined : placeOfCursor(cursor, (key) => key.length > idLength);
  const start = after && { value: after.slice(idLength), id: after.slice(0, idLength) };
  // One more than requested shows whether there is a next page.
  const wanted = limit + 1;
  let kept: (Place & { readonly name: T })[] = [];
  let read = 0;
  for await (const name of names) {
    read += 1;
    if (read % namesPerTurn === 0) await setImmediate();
    if (folderName !== undefined && name.folderName !== folderName) continue;
    if (folderPath !== undefined && name.folderPath !== folderPath) continue;
    if (uploadedBy !== undefined && name.uploadedByUserId !== uploadedBy) continue;
    if (!hasParts(parts, name.forms)) continue;
    const place = { id: name.id, value: valueOf(name, sort), name };
    if (start && compare(start, place) >= 0) continue;
    kept.push(place);
    if (kept.length === maxKept) kept = kept.toSorted(compare).slice(0, wanted);
  }
  const following = kept.toSorted(compare);
  const items = following.slice(0, limit).map(({ name }) => name);
  const last = following.length > limit ? items.at(-1) : undefined;
  return {
    items,
    nextCursor: last ? last.id + valueOf(last, sort) : null,
  };
}

function valueOf({ fileName, uploadedAt, uploadedByName, size }: ListedName, sort: Sort): string {
  if (sort.endsWith('name')) return fileName;
  // The documents of one person are in the order of their times.
  if (sort.endsWith('uploadedBy')) return `${uploadedByName ?? ''} ${uploadedAt}`;
  return sort.endsWith('size') ? String(size) : uploadedAt;
}

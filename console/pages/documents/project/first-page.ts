import type { Sort } from './sort.ts';

interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

const keyOf = ({ id, uploadedAt }: { readonly id: string; readonly uploadedAt: string }): string =>
  `${id} ${uploadedAt}`;

/**
 * The loaded pages of a list, newest first, with a new first one: what comes after its last unchanged item remains, in the
 * page where it was; what would come before is in the new page, or not in the list any more. Undefined if the new page does
 * not reach the loaded ones.
 */
export function withFirstPage<P extends Page<{ readonly id: string; readonly uploadedAt: string }>>(
  loaded: readonly P[],
  first: P,
): readonly P[] | undefined {
  if (first.nextCursor === null) return [first];
  const listed = loaded.flatMap(({ items }) => items);
  const placeOf = new Map(listed.map((item, index) => [keyOf(item), index]));
  const last = first.items.findLast((item) => placeOf.has(keyOf(item)));
  if (!last) return undefined;
  const end = placeOf.get(keyOf(last))!;
  const shown = new Set(first.items.map(({ id }) => id));
  const remaining = new Set(listed.slice(end + 1).filter(({ id }) => !shown.has(id)));
  const [before, ...others] = loaded.map(({ items }) => items.filter((item) => remaining.has(item)));
  return [
    first,
    ...others.map((items, index) => ({
      ...loaded[index + 1]!,
      items: index === 0 ? [...(before ?? []), ...items] : items,
    })),
  ];
}

interface Listed {
  readonly id: string;
  readonly fileName: string;
  readonly size: number;
  readonly uploadedAt: string;
  readonly uploadedByName: string | null;
}

// As the service does it (lib/project-documents/document-records/document-order.ts); a test compares them.
const collator = new Intl.Collator('de', { numeric: true });

function valueOf({ fileName, uploadedAt, uploadedByName, size }: Listed, sort: Sort): string {
  if (sort.endsWith('name')) return fileName;
  if (sort.endsWith('uploadedBy')) return `${uploadedByName ?? ''} ${uploadedAt}`;
  return sort.endsWith('size') ? String(size) : uploadedAt;
}

/**
 * The loaded pages of a list in any order, with those of the newest documents that they lack, each at its place, and with what
 * the page of the newest ones says of the project. What comes after the last loaded one is left to the next page.
 */
export function withAdded<P extends Page<Listed>>(loaded: readonly P[], newest: P, sort: Sort): readonly P[] {
  const listed = loaded.flatMap(({ items }) => items);
  const known = new Set(listed.map(keyOf));
  const added = newest.items.filter((item) => !known.has(keyOf(item)));
  const [first, ...others] = loaded;
  if (!first) return loaded;
  const compare = (a: Listed, b: Listed): number => {
    const ascending =
      collator.compare(valueOf(a, sort), valueOf(b, sort)) || (a.id < b.id ? -1 : Number(a.id > b.id));
    return sort.startsWith('-') ? -ascending : ascending;
  };
  const last = loaded.at(-1)?.nextCursor === null ? undefined : listed.at(-1);
  const isLoaded = (item: Listed): boolean => last === undefined || compare(item, last) <= 0;
  const replaced = new Set(added.map(({ id }) => id));
  const items = [...listed.filter(({ id }) => !replaced.has(id)), ...added.filter(isLoaded)].toSorted(
    compare,
  );
  // All in one of the pages: only their sequence is shown.
  return [
    { ...newest, items, nextCursor: first.nextCursor },
    ...others.map((page) => ({ ...page, items: [] })),
  ];
}

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

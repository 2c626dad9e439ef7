/** The orders of the service. */
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

export type SortedBy = 'name' | 'uploadedAt' | 'size' | 'uploadedBy';

export const directionOf = (sort: Sort, by: SortedBy): 'ascending' | 'descending' | undefined =>
  sort === by ? 'ascending' : sort === `-${by}` ? 'descending' : undefined;

/** The order after a click on the column: the other direction, or at first what users look for: A, the newest, the largest. */
export function sortAfter(sort: Sort, by: SortedBy): Sort {
  const current = directionOf(sort, by);
  if (current === undefined) return by === 'name' || by === 'uploadedBy' ? by : `-${by}`;
  return current === 'ascending' ? `-${by}` : by;
}

/** The items in arrays of at most `size`. */
export const slicesOf = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));

/** The results in the order of the items, of which at most `parallel` are worked on at the same time. */
export async function inSlices<T, Result>(
  items: readonly T[],
  parallel: number,
  work: (item: T) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[][] = [];
  for (const some of slicesOf(items, parallel)) results.push(await Promise.all(some.map(work)));
  return results.flat();
}

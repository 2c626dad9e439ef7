/** The first person whose name has each word of the search as a part. */
export function byName<P extends { readonly name: string }>(
  people: readonly P[],
  search: string,
): P | undefined {
  const words = foldedText(search).split(/\s+/).filter(Boolean);
  return people.find(({ name }) => words.every((word) => foldedText(name).includes(word)));
}

/** Without case and accents, to compare what people type. */
const foldedText = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();

// Letters without a decomposition into a base letter.
const plainLetters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'a',
  œ: 'o',
  ø: 'o',
  đ: 'd',
  ł: 'l',
  ı: 'i',
};

/**
 * The form in which texts are compared: lower case, no accents, `ae`, `oe` and `ue` like `ä`, `ö` and `ü`, one hyphen for
 * each run of punctuation. The form of a prefix is a prefix of the form, so `Mue` finds Müller, Mueller and Muller.
 */
export const folded = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[ßæœøđłı]/g, (letter) => plainLetters[letter] ?? letter)
    .replaceAll(/(?<=[aou])e/g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[^\p{L}\p{N} ]+/gu, '-');

/**
 * Every place in the text where a word begins, up to the next space: `Bau 2026-04` has `bau`, `2026-04` and `04`. Distinct,
 * in the order of the text.
 */
export function wordsOf(text: string): readonly string[] {
  const words = folded(text)
    .split(' ')
    .flatMap((chunk) => [...chunk.matchAll(/(?<=^|-)[^-]/gu)].map(({ index }) => chunk.slice(index)));
  return [...new Set(words)];
}

/** The words of a search, each of which must be the beginning of a word. Empty if the text has neither letter nor digit. */
export const soughtIn = (search: string): readonly string[] => [
  ...new Set(
    folded(search)
      .split(' ')
      .map((chunk) => chunk.replace(/^-/, ''))
      .filter((chunk) => chunk !== ''),
  ),
];

/** Whether each of the sought words is the beginning of a word of the text. */
export function isFoundBy(sought: readonly string[], text: string): boolean {
  const words = wordsOf(text);
  return sought.every((start) => words.some((word) => word.startsWith(start)));
}

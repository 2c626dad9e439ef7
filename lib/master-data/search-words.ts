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
export const foldText = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[ßæœøđłı]/g, (letter) => plainLetters[letter] ?? letter)
    .replaceAll(/(?<=[aou])e/g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[^\p{L}\p{N} ]+/gu, '-');

/**
 * The form in which a part inside a word is found: as {@link foldText}, but `ä` is `ae`, and an `e` after a vowel stays, so
 * `entwurf` is a part of `Bauentwurf`.
 */
const spellOut = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/(?<=[aouAOU])\u0308/g, 'e')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[æœø]/g, (letter) => `${plainLetters[letter]}e`)
    .replaceAll(/[ßđłı]/g, (letter) => plainLetters[letter] ?? letter)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[^\p{L}\p{N} ]+/gu, '-');

/**
 * Every place in a folded text where a word begins, up to the next space: `Bau 2026-04` has `bau`, `2026-04` and `04`.
 * Distinct, in the order of the text.
 *
 * @param maxWords of a text of 1,000 letters between hyphens, there are 1,000 words with 500,000 characters
 * @param cut shortens a word
 */
export function wordsOf(
  form: string,
  maxWords = Infinity,
  cut: (word: string) => string = (word) => word,
): readonly string[] {
  const words = new Set<string>();
  for (const [chunk] of form.matchAll(/[^ ]+/g)) {
    for (const { index } of chunk.matchAll(/(?<=^|-)[^-]/gu)) {
      if (words.size >= maxWords) return [...words];
      words.add(cut(chunk.slice(index)));
    }
  }
  return [...words];
}

/** The words of a search, each of which must be the beginning of a word. Empty if the text has neither letter nor digit. */
export const searchWordsOf = (search: string): readonly string[] => wordsIn(foldText(search));

/** Whether each of the sought words is the beginning of a word of a folded text. */
export function isFoundBy(sought: readonly string[], form: string): boolean {
  const text = ` ${form}`;
  return sought.every((start) => text.includes(` ${start}`) || text.includes(`-${start}`));
}

/** A text as a search for parts of it needs it. */
export interface PartForms {
  readonly folded: string;
  readonly spelledOut: string;
}

export const partFormsOf = (text: string): PartForms => ({
  folded: foldText(text),
  spelledOut: spellOut(text),
});

/** The parts that a search for any part of a text seeks, in both forms. */
export const partsIn = (search: string): readonly PartForms[] =>
  wordsIn(search.replaceAll(/\s+/g, ' '))
    .map(partFormsOf)
    .map((forms) => ({
      folded: withoutHyphenAtStart(forms.folded),
      spelledOut: withoutHyphenAtStart(forms.spelledOut),
    }))
    .filter((forms) => forms.folded !== '');

/** Whether each of the parts is anywhere in the text. */
export const hasParts = (parts: readonly PartForms[], text: PartForms): boolean =>
  parts.every((part) => text.folded.includes(part.folded) || text.spelledOut.includes(part.spelledOut));

const withoutHyphenAtStart = (chunk: string): string => chunk.replace(/^-/, '');

const wordsIn = (form: string): readonly string[] => [
  ...new Set(
    form
      .split(' ')
      .map(withoutHyphenAtStart)
      .filter((chunk) => chunk !== ''),
  ),
];

import { foldText } from '../language/spelling.ts';

const address = String.raw`(?:Herrn?|Frau|Hr\.|Fr\.|Familie|Fam\.|Eheleute|Ehepaar|Dr\.|Prof\.|Mr\.?|Mrs\.?|Ms\.?)`;
const rank = String.raw`(?:(?:Dr|Prof|Dipl)\.(?:-Ing\.)?\s|(?:von|van|de|der|zu)\s)`;
const nameWord = String.raw`\p{Lu}[\p{L}\p{M}'’‘ʼ´]{1,40}(?:-\p{Lu}[\p{L}\p{M}'’‘ʼ´]{1,40}){0,3}`;
const afterTitle = new RegExp(
  `(?<!\\p{L})(${address})\\s${rank}{0,4}(${nameWord})((?:\\s${nameWord}){0,2})`,
  'gu',
);

export interface TitledName {
  readonly excerpt: string;
  /** `Herrn`, `Frau`, `Dr.` */
  readonly title: string;
  /** The word after title and rank, and up to two more capitalized words: a first and last name, or the next noun. */
  readonly words: readonly string[];
}

/** The names after a title, as in `Herrn Dr. Müller`. */
function namesAfterTitles(text: string): TitledName[] {
  return [...text.matchAll(afterTitle)].map(([whole, title = '', name = '', more = '']) => ({
    excerpt: whole.slice(0, whole.length - more.length),
    title,
    words: [name, ...more.trim().split(/\s+/).filter(Boolean)].map((word) => word.replace(/['’‘ʼ´]$/u, '')),
  }));
}

// "Frau Bürgermeisterin," names an office and no person; "Ihrer Familie Gesundheit" has no name.
const leading = 'meister|minister|präsident|direktor|professor|doktor|kolleg|vorsitzend|rektor|leiter';
const professions = 'pfarrer|notar|anwält|anwalt|architekt|ingenieur|rat|rätin';
const office = new RegExp(`(?:${leading}|${professions})(?:in|e[nr]?)?$`, 'iu');
const anyFamily = /^(?:Familie|Fam\.|Eheleute|Ehepaar)$/u;

/** Names after a title that do not occur in the data. */
export function unknownNames(text: string, given: string): string[] {
  const known = new Set(
    given
      .split(/[^\p{L}\p{M}'’‘ʼ´]+/u)
      .flatMap((word) => [foldText(word), foldText(word.replace(/['’‘ʼ´]?s$/u, ''))]),
  );
  const isKnown = (word: string): boolean =>
    office.test(word) ||
    word
      .split('-')
      .every((part) => known.has(foldText(part)) || known.has(foldText(part.replace(/s$/u, ''))));
  return namesAfterTitles(text)
    .filter(({ title, words }) => !anyFamily.test(title) && !words.some(isKnown))
    .map(({ excerpt }) => excerpt);
}

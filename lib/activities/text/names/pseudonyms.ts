// Pseudonyms look like names, because models keep and decline names but treat tokens such as NAME_1 as gaps to fill in.
// They are invented, so no text contains one by chance, and end in letters that take a genitive -s.
const beginnings = 'Tarna Wedde Holmu Brinko Quendi Roslu Virke Zabri Ellume Osterna'.split(' ');
const middles = 'bera kondo lisu marto neva pilo rodu setti tulo vimo'.split(' ');
const endings = 'gart veld skamp lund brock dahl mohr pitt horn wick'.split(' ');

// Unisex names: only the title shows the gender.
const givenNames = 'Sidney Sascha Marian Dominique Kersten Jessie Charlie Finley Robin'.split(' ');

/** A family name for each number; the first hundred differ most, and later ones have more syllables. */
export function familyPseudonym(index: number): string {
  const round = Math.floor(index / 10) % 10;
  let middle = '';
  for (let more = Math.floor(index / 100); more > 0; more = Math.floor((more - 1) / 10))
    middle += middles[(more - 1) % 10];
  return `${beginnings[index % 10]}${middle}${endings[(index + round) % 10]}`;
}

export const givenPseudonym = (index: number): string => givenNames[index] ?? familyPseudonym(50 + index);

const shape = `(?:${beginnings.join('|')})(?:${middles.join('|')})*(?:${endings.join('|')})`;
/** Every family pseudonym, also in a compound, and its genitive. */
const familyShape = new RegExp(`(${shape})(s(?![\\p{L}\\p{M}]))?`, 'giu');
/** `AngebotSidney`, `PSidney` */
const capitalInside = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
const derivation = 'i?sche[mnrs]?|in(?:nen)?|chens?|leins?|o[vw][aá]';
const inflected = new RegExp(`^(.+?)(s|en?s|${derivation})$`, 'iu');
const anyEnding = new RegExp(`(?:s|${derivation})$`, 'u');
const words = /\p{L}[\p{L}\p{M}]*/gu;

/** The endings of these are written with an apostrophe: Schulz’ Angebot, not Schulzs. */
export const endsLikeS = (name: string): boolean => /(?:[sßxz]|ce)$/iu.test(name);

/** `name` in the case of `surface`: small, capital, or as it is. */
export function inCaseOf(surface: string, name: string): string {
  if (surface === surface.toLowerCase()) return name.toLowerCase();
  return surface.length > 1 && surface === surface.toUpperCase() ? name.toUpperCase() : name;
}

// Where a model misspells an invented name, it keeps its beginning or its end.
const beginningOf = (word: string): string => word.slice(0, 5);
const endOf = (word: string): string => `-${word.slice(-5)}`;
const mostTries = 300;
const mostLettersMore = 2;

/** An invented name for each spelling of a name, so that it is restored as it was written. */
export class Pseudonyms {
  /** The words of the data, their beginnings and ends. */
  readonly #taken: ReadonlySet<string>;
  readonly #ofName = new Map<string, string>();
  /** By the pseudonym in lowercase. */
  readonly #names = new Map<string, string>();
  /** The lengths of the pseudonyms, by their beginning or end. */
  readonly #lengths = new Map<string, number[]>();
  #given = 0;
  #family = 0;

  /** @param data which may have a word that is a pseudonym, or looks like one */
  constructor(data: string) {
    const small = data.toLowerCase().match(words) ?? [];
    this.#taken = new Set(small.flatMap((each) => [each, beginningOf(each), endOf(each)]));
  }

  of(name: string, isGiven: boolean): string {
    const known = this.#ofName.get(name);
    if (known !== undefined) return known;
    for (let tries = 0; ; tries++) {
      const next = isGiven ? givenPseudonym(this.#given++) : familyPseudonym(this.#family++);
      const small = next.toLowerCase();
      if (this.#names.has(small) || this.#taken.has(small)) continue;
      const looksLikeWord = this.#taken.has(beginningOf(small)) || this.#taken.has(endOf(small));
      if (looksLikeWord && tries < mostTries) continue;
      this.#ofName.set(name, next);
      this.#names.set(small, name);
      for (const part of [beginningOf(small), endOf(small)])
        this.#lengths.set(part, [...(this.#lengths.get(part) ?? []).slice(-20), small.length]);
      return next;
    }
  }

  restored(text: string): string {
    const name = (surface: string, ending: string): string | undefined => {
      const own = this.#names.get(surface.toLowerCase());
      if (own === undefined) return undefined;
      const written = inCaseOf(surface, own);
      return ending === 's' && endsLikeS(written) ? `${written}’` : `${written}${ending}`;
    };
    const word = (all: string): string => {
      const [, stem = '', ending = ''] = inflected.exec(all) ?? [];
      return name(all, '') ?? name(stem, ending) ?? all;
    };
    // Given names are real names, so they match whole words only: not the Robin in Robinie.
    return text
      .replace(familyShape, (all, surface: string, ending = '') => name(surface, ending) ?? all)
      .replace(words, (all) => all.split(capitalInside).map(word).join(''));
  }

  /** The words of a text that may be misspelled pseudonyms. */
  altered(text: string): string[] {
    return (text.match(words) ?? []).filter((word) => {
      const small = word.toLowerCase();
      const bare = small.replace(anyEnding, '');
      if (bare.length < 5 || [small, bare].some((each) => this.#names.has(each) || this.#taken.has(each)))
        return false;
      return [beginningOf(bare), endOf(bare)].some((part) =>
        this.#lengths.get(part)?.some((length) => Math.abs(length - bare.length) <= mostLettersMore),
      );
    });
  }
}

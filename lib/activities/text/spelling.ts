export const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Matches the text as whole words, in any case. */
export const phrase = (text: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{M}\\d])${escaped(text)}(?![\\p{L}\\p{M}\\d])`, 'giu');

const apostrophes = `'’‘ʼ´\``;

/** Letters by the ASCII letter that people without the right keyboard write for them. */
const spellings: ReadonlyMap<string, string> = (() => {
  const all = new Map<string, string>();
  const special: Readonly<Record<string, string>> = {
    ı: 'i',
    ø: 'o',
    ł: 'l',
    đ: 'd',
    ð: 'd',
    æ: 'a',
    œ: 'o',
    ß: 's',
  };
  for (let code = 0xc0; code <= 0x1eff; code = code === 0x24f ? 0x1e00 : code + 1) {
    const letter = String.fromCodePoint(code).toLowerCase();
    const base = special[letter] ?? letter.normalize('NFD').replace(/\p{M}/gu, '');
    if (letter.length === 1 && /^[a-z]$/.test(base)) all.set(base, `${all.get(base) ?? base}${letter}`);
  }
  return all.set('i', `${all.get('i')}İ`);
})();

/** One form for all spellings of a name: `Müller`, `MUELLER` and `Muller`; `Yılmaz` and `Yilmaz`; `O’Neill` and `O'Neill`. */
export const folded = (name: string): string =>
  plainLetters(name)
    .replace(/['`]/g, '')
    .replace(/([aou])e/g, '$1')
    .replace(/ss/g, 's');

const umlauts: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss' };

/** In lowercase, as typed on a keyboard without umlauts and foreign letters: `Sahin` for `Şahin`. */
export const plainLetters = (text: string): string =>
  text
    .normalize('NFC')
    .toLowerCase()
    .replace(/i\u0307/g, 'i')
    .replace(
      /[^\n -~]/gu,
      (letter) => umlauts[letter] ?? baseOf.get(letter) ?? (apostrophes.includes(letter) ? "'" : letter),
    );

const baseOf: ReadonlyMap<string, string> = new Map(
  [...spellings].flatMap(([base, letters]) => letters.split('').map((letter) => [letter, base] as const)),
);

/** The source of an expression that matches every spelling of the name (flags `iu`). */
export function anySpelling(name: string): string {
  return Array.from(folded(name))
    .map((letter) => {
      const letters = spellings.get(letter);
      const one = letters === undefined ? escaped(letter) : `[${letters}]`;
      const two = letter === 's' ? 's?' : /[aou]/.test(letter) ? 'e?' : '';
      return `${one}${two}`;
    })
    .join(`[${apostrophes}]?`);
}

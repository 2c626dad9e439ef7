const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Matches the text as whole words, in any case. */
export const phrase = (text: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{M}\\d])${escapePattern(text)}(?![\\p{L}\\p{M}\\d])`, 'giu');

/** Sentences and lines. The dot of "3. Dezember" ends none. */
export const sentencesOf = (text: string): string[] => text.split(/(?<=[!?]|(?<!(?:^|\s)\d{1,2})\.)\s+|\n/u);

/** One form for all spellings of a name: `Müller`, `MUELLER` and `Muller`; `Yılmaz` and `Yilmaz`; `O’Neill` and `O'Neill`. */
export const foldText = (name: string): string =>
  plainLetters(name)
    .replace(/'/g, '')
    .replace(/([aou])e/g, '$1')
    .replace(/s+/g, 's');

type Typed = Readonly<Record<string, string>>;
const umlauts: Typed = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss' };
/** Letters that are more than a letter with a mark. */
const foreign: Typed = { ı: 'i', ø: 'o', ł: 'l', đ: 'd', ð: 'd', æ: 'a', œ: 'o' };

/** In lowercase, as typed on a keyboard without umlauts and foreign letters: `Sahin` for `Şahin`. */
export const plainLetters = (text: string): string =>
  text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[’‘ʼ´`]/gu, "'")
    .replace(
      /[^\n -~]/gu,
      (letter) => umlauts[letter] ?? foreign[letter] ?? letter.normalize('NFD').replace(/\p{M}/gu, ''),
    );

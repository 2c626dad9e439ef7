/** Where UTF-8 was read as Latin-1 or Windows-1252: `fÃ¼r`, `â‚¬`, `Â§`. */
const mojibake = String.raw`Ã[\u0080-\u00bf\u0152-\u0178\u2013-\u2122]|Â[\u0080-\u00bf]|â(?:€|\u0080|‚).?`;
const entity = String.raw`&(?:amp|lt|gt|quot|apos|nbsp|euro|szlig|[aou]uml|#\d{2,5}|#x[\da-f]{2,4});`;
/** `\u00fc` in a schema that allows no such escape became NUL and two digits; some servers drop the NUL, too. */
const hexadecimal = String.raw`\p{Cc}(?:c4|d6|dc|df|e4|f6|fc)?|(?<=\p{L})(?:c4|d6|e4|f6)(?=\p{L})|(?<=\p{Ll})fc(?=\p{Ll})`;
/** An escape that was escaped itself, or one of addresses and mail programs; a letter of another code page. */
const escape = String.raw`\\u00[\da-f]{2}|(?<=\p{L})%C3%[89AB][\dA-F]|(?<=\p{L})=(?:C3=[89AB][\dA-F]|FC|E4|F6|DF)`;
const otherCodePage = String.raw`(?<=\p{L})[¼½¤¶ⁿ÷▀¸‰](?=\p{Ll})`;
const questionMark = String.raw`\ufffd|(?<=\p{L})\?{1,2}(?=\p{Ll})`;

const damage = [mojibake, entity, hexadecimal, escape, otherCodePage, questionMark].join('|');
const inWord = new RegExp(String.raw`\p{L}{0,30}(?:${damage})\p{L}{0,30}`, 'giu');
const anyDamage = new RegExp(damage, 'iu');

/** Whether a word has characters that stand for others. */
export const isDamaged = (word: string): boolean => anyDamage.test(word);

/** What is left of frequent words without their umlauts. None of them is a word. */
const dropped = [
  'fr|ber|hnlich|knnen|knnten|mchten?|mgen|mglich|mssen|mssten|drfen|drften|wrden?|wre|wren|htten?|whrend|nchste[nrs]?',
  'zurck|natrlich|spter|tglich|gnstig|verfgbar|vollstndig|zustndig|unverzglich|selbstverstndlich|schne[nrs]?',
  'prfen|prft|geprft|besttigen|besttigt|fhren|durchfhren|ausfhren|verzgert|erklren|gehrt|hren',
  'Gre|Gren|Gruen|Rckmeldung|Rckfragen|Besttigung|Verfgung|Verzgerung|Ausfhrung|Prfung|Gebude|Auftrge|Mngel|Trme|Tren?',
  'Strae|Strae[nrs]|ffnung|ffnungszeiten|ffentlich(?:e[mnrs]?)?|bergabe|bersicht|berweisung|berweisen|nderung(?:en)?',
];
const withoutUmlauts = new RegExp(
  String.raw`(?<![\p{L}\d@./-])(?:${dropped.join('|')})(?![\p{L}\d@/-]|\.\p{L})`,
  'gu',
);

const addresses = /\S{0,200}(?:@|:\/\/|www\.)\S{0,2000}/gu;

/**
 * The words of a text whose characters were damaged between the model and here, and that no reader should see. Before
 * control characters are removed from the text.
 */
export const damagedWords = (text: string, isGermanText: boolean): string[] => {
  const words = text.replace(/[\t\r\n\u0085]/g, ' ').replace(addresses, ' ');
  const found = [inWord, ...(isGermanText ? [withoutUmlauts] : [])].flatMap(
    (pattern) => words.match(pattern) ?? [],
  );
  return found.map((each) => each.replace(/\p{Cc}/gu, '\ufffd'));
};

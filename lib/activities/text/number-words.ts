const cardinals: readonly (readonly [word: string, value: number])[] = [
  ['ein(?:e[mnrs]?|s)?', 1],
  ['zwei|beide[mnrs]?', 2],
  ['drei', 3],
  ['vier', 4],
  ['fünf', 5],
  ['sechs', 6],
  ['sieben', 7],
  ['acht', 8],
  ['neun', 9],
  ['zehn', 10],
  ['elf', 11],
  ['zwölf|dutzend', 12],
  ['dreizehn', 13],
  ['vierzehn', 14],
  ['fünfzehn', 15],
  ['sechzehn', 16],
  ['siebzehn', 17],
  ['achtzehn', 18],
  ['neunzehn', 19],
  ['zwanzig', 20],
  ['dreißig', 30],
  ['vierzig', 40],
  ['fünfzig', 50],
  ['sechzig', 60],
  ['achtzig', 80],
  ['neunzig', 90],
  ['hundert', 100],
  ['tausend', 1000],
  ['one', 1],
  ['two', 2],
  ['three', 3],
  ['four', 4],
  ['five', 5],
  ['six', 6],
  ['seven', 7],
  ['eight', 8],
  ['nine', 9],
  ['ten', 10],
  ['twelve', 12],
];
const ordinals = ['erst', 'zweit', 'dritt', 'viert', 'fünft', 'sechst', 'siebt', 'acht', 'neunt', 'zehnt'];
const multiples =
  'fach|mal|tägig|wöchig|wöchentlich|monatig|jährig|stöckig|geschossig|seitig|teilig|stündig|prozentig';

const patterns: readonly (readonly [RegExp, number])[] = [
  ...cardinals.map(
    ([word, value]) =>
      [new RegExp(`(?<!\\p{L})(?:${word})(?:(?:${multiples})\\p{Ll}{0,2})?(?!\\p{L})`, 'iu'), value] as const,
  ),
  ...ordinals.map(
    (word, index) => [new RegExp(`(?<!\\p{L})${word}(?:e[mnrs]?|ens)(?!\\p{L})`, 'iu'), index + 1] as const,
  ),
];

/** The numbers that a text contains as words. */
export function numbersInWords(text: string): number[] {
  return patterns.filter(([pattern]) => pattern.test(text)).map(([, value]) => value);
}

/** Parses `3` or `drei`; `null` for anything else. */
export function numberOf(text: string): number | null {
  if (/^\d{1,3}$/.test(text)) return Number(text);
  return cardinals.find(([word]) => new RegExp(`^(?:${word})n?$`, 'iu').test(text))?.[1] ?? null;
}

const units = 'ein zwei drei vier fünf sechs sieben acht neun'.split(' ');
const teens = 'zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn'.split(' ');
const tens = 'zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig'.split(' ');
const english = 'one two three four five six seven eight nine ten eleven twelve'.split(' ');

const values: ReadonlyMap<string, number> = new Map([
  ...[...units, ...teens].map((word, index) => [word, index + 1] as const),
  ...tens.flatMap((word, index) => [
    [word, 20 + 10 * index] as const,
    ...units.map((unit, at) => [`${unit}und${word}`, 21 + 10 * index + at] as const),
  ]),
  ...english.map((word, index) => [word, index + 1] as const),
  ['eins', 1],
  ['beid', 2],
  ['doppelt', 2],
  ['halb', 0.5],
  ['half', 0.5],
  ['anderthalb', 1.5],
  ['dutzend', 12],
  ['hundert', 100],
  ['tausend', 1000],
  // What is left of "dritte", "siebte", and "achte".
  ['drit', 3],
  ['sieb', 7],
  ['ach', 8],
]);

const endings = /(?:fach|mal|tägig|wöchig|monatig|jährig|stündig|prozentig)?(?:e[mnrs]?)?$|(?:s?te[mnrs]?)$/u;

/** Parses `3`, `drei`, `fünfundzwanzig`, `zweiten`, `zweimal`, `vierzehntägig`. */
export function numberOf(text: string): number | null {
  if (/^\d{1,3}$/.test(text)) return Number(text);
  const word = text.toLowerCase().replace('dreissig', 'dreißig');
  return values.get(word) ?? values.get(word.replace(endings, '')) ?? null;
}

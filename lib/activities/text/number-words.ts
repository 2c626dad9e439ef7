const units = 'ein zwei drei vier fünf sechs sieben acht neun'.split(' ');
const teens = 'zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn'.split(' ');
const tens = 'zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig'.split(' ');
const english = 'one two three four five six seven eight nine ten eleven twelve'.split(' ');

const values: ReadonlyMap<string, number> = new Map([
  ...[...units, ...teens].map((word, index) => [word, index + 1] as const),
  ...tens.flatMap((word, index) => {
    const value = 20 + 10 * index;
    return [
      [word, value] as const,
      ...units.map((unit, at) => [`${unit}und${word}`, value + at + 1] as const),
    ];
  }),
  ...english.map((word, index) => [word, index + 1] as const),
  ...(['eins', 'eine', 'einem', 'einen', 'einer', 'eines'] as const).map((word) => [word, 1] as const),
  ...(['beide', 'beiden', 'beider', 'zweien'] as const).map((word) => [word, 2] as const),
  ['dutzend', 12],
  ['erst', 1],
  ['dritt', 3],
  ['siebt', 7],
]);

const multiples =
  /(?:fach|mal|tägig|wöchig|wöchentlich|monatig|jährig|stöckig|geschossig|seitig|teilig|stündig|prozentig)\p{Ll}{0,2}$/u;

/** `fünfundzwanzig`, `dreihundert`, `zweite`, `zweimal`, `vierzehntägig`. */
function valueOf(word: string): number | undefined {
  const text = word.replace('dreissig', 'dreißig');
  const exact = values.get(text) ?? compound(text);
  if (exact !== undefined) return exact;
  const bare = text.replace(multiples, '');
  if (bare !== text) return values.get(bare);
  const ordinal = text.replace(/(?:e[mnrs]?|ens)$/u, '');
  return ordinal === text ? undefined : (values.get(ordinal) ?? values.get(ordinal.replace(/s?t$/u, '')));
}

function compound(word: string): number | undefined {
  const [, thousands, hundreds, rest = ''] =
    /^(?:(\p{Ll}{0,30}?)tausend)?(?:(\p{Ll}{0,30}?)hundert)?(?:und)?(\p{Ll}{0,30})$/u.exec(word) ?? [];
  if (thousands === undefined && hundreds === undefined) return undefined;
  const factor = (part: string | undefined): number =>
    part === undefined ? 0 : part === '' ? 1 : (values.get(part) ?? NaN);
  const sum =
    1000 * factor(thousands) + 100 * factor(hundreds) + (rest === '' ? 0 : (values.get(rest) ?? NaN));
  return Number.isNaN(sum) ? undefined : sum;
}

/** The numbers that a text contains as words. */
export function numbersInWords(text: string): number[] {
  const found = text.toLowerCase().match(/\p{Ll}{2,40}/gu) ?? [];
  return [...new Set(found.map(valueOf).filter((value) => value !== undefined))];
}

/** Parses `3` or `drei`; `null` for anything else. */
export function numberOf(text: string): number | null {
  return /^\d{1,3}$/.test(text) ? Number(text) : (valueOf(text.toLowerCase()) ?? null);
}

const clock = /(?<!\p{L})(halb|dreiviertel|viertel (?:vor|nach))\s(\p{L}{3,6}|\d{1,2})(?!\p{L})/giu;
const minutesFrom: Readonly<Record<string, number>> = {
  halb: -30,
  dreiviertel: -15,
  'viertel vor': -15,
  'viertel nach': 15,
};

/** The times that a text contains in words, `H:MM`: `halb zehn` is 9:30 and 21:30. */
export function timesInWords(text: string): string[] {
  return [...text.matchAll(clock)].flatMap(([, part = '', hour = '']) => {
    const value = numberOf(hour);
    if (value === null || value > 24) return [];
    const minutes = value * 60 + (minutesFrom[part.toLowerCase()] ?? 0);
    return [minutes, minutes + 12 * 60].map(
      (each) => `${Math.floor(each / 60) % 24}:${String(each % 60).padStart(2, '0')}`,
    );
  });
}

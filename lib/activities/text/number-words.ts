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
  ...(['beide', 'beiden', 'beider', 'zweien', 'doppelt'] as const).map((word) => [word, 2] as const),
  ...(['halb', 'halbe', 'halben', 'halber', 'halbes', 'half'] as const).map((word) => [word, 0.5] as const),
  ['anderthalb', 1.5],
  ['dutzend', 12],
  ['erst', 1],
  ['dritt', 3],
  ['siebt', 7],
]);

const multiples =
  /(?:fach|mal|tägig|wöchig|wöchentlich|monatig|jährig|stöckig|geschossig|seitig|teilig|stündig|prozentig)\p{Ll}{0,2}$/u;

/** `fünfundzwanzig`, `dreihundert`, `zweite`, `zweimal`, `zweieinhalb`, `vierzehntägig`. */
function valueOf(word: string): number | undefined {
  const text = word.replace('dreissig', 'dreißig');
  const exact = values.get(text) ?? compound(text);
  if (exact !== undefined) return exact;
  const bare = text.replace(multiples, '');
  if (bare !== text) return values.get(bare);
  const whole = text.replace(/einhalb$/u, '');
  if (whole !== text) return (values.get(whole) ?? 1) + 0.5;
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

/** Parses `3` or `drei`; `null` for anything else. */
export function numberOf(text: string): number | null {
  return /^\d{1,3}$/.test(text) ? Number(text) : (valueOf(text.toLowerCase()) ?? null);
}

/**
 * The numbers, dates, amounts, email addresses, web addresses and account numbers of `text` that `given` does not
 * hold. Compared by value, not by letter: `05.01.2027` covers `5. Januar`, `1250` covers `1.250,00`.
 *
 * @param identifiers known as a whole only: the digits of `P-2026-014` do not vouch for `14 Uhr`
 */
export function unknownFigures(text: string, given: string, identifiers: readonly string[] = []): string[] {
  const known = new Set(figuresIn(without(identifiers, given)).flatMap(({ values }) => values));
  for (const [word, value] of numberWords) {
    if (new RegExp(`(?<!\\p{L})${word}(?!\\p{L})`, 'iu').test(given)) known.add(value);
  }
  const unknown = figuresIn(withoutListNumbers(without(identifiers, text))).filter(
    ({ values: [exact = ''] }) => !known.has(exact),
  );
  return [...new Set(unknown.map(({ excerpt }) => excerpt))];
}

/** `values`: first what exactly it says, then what else it vouches for. */
interface Figure {
  readonly excerpt: string;
  readonly values: readonly string[];
}

const months = [
  'januar',
  'februar',
  'märz',
  'april',
  'mai',
  'juni',
  'juli',
  'august',
  'september',
  'oktober',
  'november',
  'dezember',
];
const monthNames = `${months.join('|')}|jänner`;
const numberWords: readonly (readonly [word: string, value: string])[] = [
  ['ein(?:e[mnrs]?|s)?', 'n1'],
  ['zwei', 'n2'],
  ['drei', 'n3'],
  ['vier', 'n4'],
  ['fünf', 'n5'],
  ['sechs', 'n6'],
  ['sieben', 'n7'],
  ['acht', 'n8'],
  ['neun', 'n9'],
  ['zehn', 'n10'],
  ['elf', 'n11'],
  ['zwölf', 'n12'],
];

// In this order: what one pattern takes, the later ones do not see again.
const patterns: readonly (readonly [RegExp, (match: RegExpExecArray) => readonly string[]])[] = [
  [/(?<![\w.+-])[\w.+-]{1,64}@[\w.-]{1,255}\.\w{2,}/gu, ([address]) => [address.toLowerCase()]],
  [/(?:https?:\/\/|www\.)[^\s<>"')]*[^\s<>"').,;:!?]/gu, ([address]) => [address.toLowerCase()]],
  [
    /(?<![\p{L}\d])[A-Z]{2}\d{2}(?: ?[\dA-Z]{4}){2,7}(?: ?[\dA-Z]{1,4})?(?![\p{L}\d])/gu,
    ([account]) => [account.replaceAll(' ', '')],
  ],
  [/(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)/gu, ([, year, month, day]) => dates(day, month, year)],
  [
    /(?<![\d.])(\d{1,2})\.\s?(\d{1,2})\.(?:\s?(\d{4}|\d{2}))?(?!\d)/gu,
    ([, day, month, year]) => dates(day, month, year),
  ],
  [
    new RegExp(`(?<!\\d)(\\d{1,2})\\.?\\s(${monthNames})(?:\\s(\\d{4}))?(?!\\p{L})`, 'giu'),
    ([, day, month = '', year]) =>
      dates(day, String(months.indexOf(month.toLowerCase().replace('jänner', 'januar')) + 1), year),
  ],
  [/\d(?:[\d.,:\u00a0\u202f']*\d)?/gu, ([number]) => [`n${numberValue(number)}`]],
];

function figuresIn(text: string): Figure[] {
  let rest = text.normalize('NFC');
  const figures: Figure[] = [];
  for (const [pattern, valuesOf] of patterns) {
    for (const match of rest.matchAll(pattern)) figures.push({ excerpt: match[0], values: valuesOf(match) });
    rest = rest.replace(pattern, ' ');
  }
  return figures;
}

// A date with a year vouches for the day without it and for the year; a day without a year vouches for no year.
function dates(day = '', month = '', year = ''): readonly string[] {
  const dayAndMonth = `d${Number(day)}-${Number(month)}`;
  const fullYear = year.length === 2 ? `20${year}` : year;
  return year === '' ? [dayAndMonth] : [`${dayAndMonth}-${fullYear}`, dayAndMonth, `n${fullYear}`];
}

// Separators differ by writer and language: 1.250,00 = 1,250.00 = 1250, and 10:00 = 10 Uhr.
function numberValue(number: string): string {
  const [, whole = '', decimals = ''] = /^(.*?)(?:[.,:](\d{1,2}))?$/.exec(number) ?? [];
  const digits = whole.replace(/\D/g, '').replace(/^0+(?=\d)/, '');
  const fraction = decimals.replace(/0+$/, '');
  return fraction === '' ? digits : `${digits}.${fraction}`;
}

function withoutListNumbers(text: string): string {
  return text.replace(new RegExp(`^[ \\t]*\\d{1,2}[.)][ \\t]+(?!\\d|${monthNames})`, 'gim'), '');
}

function without(identifiers: readonly string[], text: string): string {
  return identifiers.reduce((rest, identifier) => {
    const literal = identifier.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    return rest.replace(new RegExp(`(?<![\\p{L}\\d])${literal}(?![\\p{L}\\d])`, 'giu'), ' ');
  }, text);
}

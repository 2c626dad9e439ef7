/** A number with what it counts: `EUR`, `%`, `minute`, `day`, `month`, `m`, `kg`, and '' for pieces or money. */
export interface Quantity {
  readonly value: number;
  readonly unit: string;
  /** The number as it is written: `value` of two weeks is 14 days. */
  readonly written: number;
}

type UnitRow = readonly [pattern: string, unit: string, factor: number];

const currencies: readonly UnitRow[] = [
  ['TEUR|T€', 'EUR', 1000],
  ['EUR|€|Euro', 'EUR', 1],
  ['Cent|ct', 'EUR', 0.01],
  ['USD|US-Dollar|US\\$|Dollars?|\\$', 'USD', 1],
  ['CHF|Franken|SFr\\.', 'CHF', 1],
  ['GBP|£|Pfund', 'GBP', 1],
  ['PLN|zł|Zloty', 'PLN', 1],
  ['DKK|SEK|NOK|Kronen', 'DKK', 1],
];

const measures: readonly UnitRow[] = [
  ['%|Prozent|percent', '%', 1],
  ['min\\.?|minuten?|minütige?[mnrs]?|minutes?', 'minute', 1],
  ['viertelstunden?', 'minute', 15],
  ['h|std\\.?|stunden?|stündige?[mnrs]?|hours?', 'minute', 60],
  ['tage?[ns]?|tägige?[mnrs]?|nacht|nächten?|days?|nights?', 'day', 1],
  ['wochen?|wöchige?[mnrs]?|weeks?', 'day', 7],
  ['mon\\.|monate?[ns]?|monats\\p{Ll}{1,12}|monatige?[mnrs]?|months?', 'month', 1],
  ['quartale?[ns]?|vierteljahre?[ns]?|quarters?', 'month', 3],
  ['halbjahre?[ns]?', 'month', 6],
  ['jahre?[ns]?|jährige?[mnrs]?|years?', 'month', 12],
  ['mm', 'm', 0.001],
  ['cm', 'm', 0.01],
  ['m|lfm|metern?', 'm', 1],
  ['km|kilometern?', 'm', 1000],
  ['m²|m2|qm|quadratmetern?', 'm²', 1],
  ['m³|m3|cbm|kubikmetern?', 'm³', 1],
  ['kg|kilo(?:gramm)?', 'kg', 1],
  ['t|tonnen?', 'kg', 1000],
];

const alternatives = (rows: readonly UnitRow[]): string => rows.map(([pattern]) => pattern).join('|');

export const currency = alternatives(currencies);

/** The unit directly after a number, and what German writes between them: `gleiche Monatsraten`, `Werktagen`. */
export const unitAfterNumber = `(?:(?:weitere|gleiche|volle|ganze|gute|knappe)[mnrs]?\\s)?(?:kalender|werk|arbeits|bank|urlaubs|miet)?(${alternatives([...currencies, ...measures])})(?![\\p{L}\\d²³])`;

const units = [...currencies, ...measures].map(
  ([pattern, unit, factor]) => [new RegExp(`^(?:${pattern})$`, 'iu'), unit, factor] as const,
);

/** @param name a unit as `unitAfterNumber` finds it, or one of this file */
export function quantityOf(written: number, name = ''): Quantity {
  const [, unit = '', factor = 1] = units.find(([pattern]) => pattern.test(name)) ?? [];
  return { value: rounded(written * factor, unit), unit, written: rounded(written) };
}

/** To cents, and to tenths of a millimeter: 12 mm are not 8 mm. */
function rounded(value: number, unit = ''): number {
  const steps = unit === 'm' ? 10_000 : 100;
  return Math.round(value * steps) / steps;
}

const isMoney = ({ unit }: Quantity): boolean => /^[A-Z]{3}$/.test(unit);

/** Small whole numbers without a unit count something. */
const mayBeMoney = (each: Quantity): boolean =>
  isMoney(each) || (each.unit === '' && (each.value >= 20 || !Number.isInteger(each.value)));

/** A number without a unit may have any, and two days are 48 hours. Other units are NaN minutes, the same as nothing. */
export function isSame(one: Quantity, other: Quantity): boolean {
  if (one.unit === other.unit) return one.value === other.value;
  if (one.unit === '' || other.unit === '') return one.written === other.written;
  const minutes = ({ value, unit }: Quantity): number => value * ({ minute: 1, day: 1440 }[unit] ?? NaN);
  return minutes(one) === minutes(other);
}

/** Beyond these, almost any value is the sum or difference of two. */
const mostFacts = 12;

/** With more, two steps hide too many wrong amounts. With three, they hide 2 of 7,208 changed digits. */
const mostFactsOfTwoSteps = 3;

/**
 * What follows by one step of ordinary arithmetic: sum and difference of alike, count times price,
 * equal parts, percentages, and VAT if `hasTax`. Of three numbers also the result of two, multiplied by the third.
 */
export function derivedQuantities(given: readonly Quantity[], hasTax: boolean): Quantity[] {
  const facts = given
    .filter((each, at) => given.findIndex((other) => each.unit === other.unit && isSame(each, other)) === at)
    .slice(0, mostFacts);
  const rates = [
    ...facts.flatMap(({ unit, value }) => (unit === '%' ? [value / 100] : [])),
    ...(hasTax ? [0.19, 0.07] : []),
  ];
  const factors = rates.flatMap((rate) => [rate, 1 - rate, 1 + rate, 1 / (1 + rate), rate / (1 + rate)]);
  const plain = facts.filter(({ unit }) => unit !== '%');
  const combined = (one: Quantity, other: Quantity): Quantity[] => {
    const results = [...added(one, other), ...multiplied(one, other)];
    // "60 m for 3 weeks at 1.10 per m and week", "4 and 2 more at 65 each"
    const others =
      facts.length > mostFactsOfTwoSteps ? [] : facts.filter((each) => each !== one && each !== other);
    return [
      ...results,
      ...results.flatMap((result) =>
        others.flatMap((third) => [...multiplied(result, third), ...multiplied(third, result)]),
      ),
    ];
  };
  return [
    ...facts.flatMap((one) => facts.flatMap((other) => (other === one ? [] : combined(one, other)))),
    ...plain.flatMap(({ value, unit }) => factors.map((factor) => quantity(value * factor, unit))),
  ];
}

const quantity = (value: number, unit: string): Quantity => ({
  value: rounded(value, unit),
  unit,
  written: rounded(value, unit),
});

function added(one: Quantity, other: Quantity): Quantity[] {
  const unit = one.unit || other.unit;
  const isAlike = one.unit === other.unit || one.unit === '' || other.unit === '';
  const isMixed = (isMoney(one) || isMoney(other)) && !(mayBeMoney(one) && mayBeMoney(other));
  return isAlike && !isMixed && unit !== '%'
    ? [quantity(one.value + other.value, unit), quantity(Math.abs(one.value - other.value), unit)]
    : [];
}

/** "12 Tage je 48", "3.600 in 6 Raten". */
function multiplied(one: Quantity, other: Quantity): Quantity[] {
  const isCount = other.unit !== '%' && !isMoney(other) && other.written > 0 && other.written <= 1000;
  if (!isCount || one.unit === '%' || (other.unit !== '' && one.unit !== '' && !isMoney(one))) return [];
  return [quantity(one.value * other.written, one.unit), quantity(one.value / other.written, one.unit)];
}

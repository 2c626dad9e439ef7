/** A number with what it counts: `EUR`, `%`, `minute`, `day`, `month`, `m`, `kg`, and '' for pieces or money. */
export interface Quantity {
  readonly value: number;
  readonly unit: string;
  /** The number as it is written: `value` of two weeks is 14 days. */
  readonly written: number;
}

const units: readonly (readonly [pattern: string, unit: string, factor: number])[] = [
  ['min\\.?|minuten?|minütige?[mnrs]?|minutes?', 'minute', 1],
  ['viertelstunden?', 'minute', 15],
  ['dreiviertelstunden?', 'minute', 45],
  ['h|std\\.?|stunden?|stündige?[mnrs]?|hours?', 'minute', 60],
  ['tage?[ns]?|tägige?[mnrs]?|nacht|nächten?|days?|nights?', 'day', 1],
  ['wochen?|wöchige?[mnrs]?|weeks?', 'day', 7],
  ['mon\\.|monate?[ns]?|monats\\p{Ll}{1,12}|monatige?[mnrs]?|months?', 'month', 1],
  ['quartale?[ns]?|vierteljahre?[ns]?|quarters?', 'month', 3],
  ['halbjahre?[ns]?', 'month', 6],
  ['jahre?[ns]?|jährige?[mnrs]?|years?', 'month', 12],
  ['mm|millimetern?', 'm', 0.001],
  ['cm|zentimetern?', 'm', 0.01],
  ['m|lfm|metern?', 'm', 1],
  ['km|kilometern?', 'm', 1000],
  ['m²|m2|qm|quadratmetern?', 'm²', 1],
  ['m³|m3|cbm|kubikmetern?', 'm³', 1],
  ['g|gramm', 'kg', 0.001],
  ['kg|kilo(?:gramm)?', 'kg', 1],
  ['t|tonnen?', 'kg', 1000],
];

/** The unit directly after a number, and what German writes between them: `gleiche Monatsraten`, `Werktagen`. */
export const unitAfterNumber = `(?:(?:weitere|gleiche|volle|ganze|gute|knappe)[mnrs]?\\s)?(?:kalender|werk|arbeits|bank|urlaubs|miet)?(${units.map(([pattern]) => pattern).join('|')})(?![\\p{L}\\d²³%]|-%)`;

const unitPatterns = units.map(([pattern, unit, factor]) => ({
  pattern: new RegExp(`^(?:${pattern})$`, 'iu'),
  unit,
  factor,
}));

export function quantityOf(written: number, name = ''): Quantity {
  const found = unitPatterns.find(({ pattern }) => pattern.test(name));
  return {
    value: rounded(written * (found?.factor ?? 1)),
    unit: found?.unit ?? (isMoney(name) ? name : ''),
    written,
  };
}

/** One form for `14 Tage` and `zwei Wochen`, and for `1,5 t` and `1.500 kg`. */
export const keyOf = ({ value, unit }: Quantity): string =>
  unit === 'minute' && value % (24 * 60) === 0 ? `day=${value / (24 * 60)}` : `${unit}=${value}`;

export const isMoney = (unit: string): boolean => /^(?:[A-Z]{3}|Kronen)$/.test(unit);
/** Small whole numbers without a unit count something. */
export const mayBeMoney = ({ value, unit }: Quantity): boolean =>
  isMoney(unit) || (unit === '' && (value >= 20 || !Number.isInteger(value)));
const rounded = (value: number): number => Math.round(value * 100) / 100;
const quantity = (value: number, unit: string): Quantity => ({
  value: rounded(value),
  unit,
  written: rounded(value),
});

/** Beyond these, almost any value is the sum or difference of two. */
const mostInOneStep = 12;
const mostInTwoSteps = 6;

/** A result, and which of the quantities it is made of: a calculation uses each once. */
interface Result {
  readonly quantity: Quantity;
  readonly from: number;
}

/**
 * The quantities that follow by ordinary arithmetic: sum and difference of alike, count times price, equal parts, the
 * share of one in another, percentages, and VAT if `hasTax`; for amounts of money also two of these steps with
 * different quantities ("12 days at 48, but invoiced 720"), and a percentage of their result.
 */
export function derivedQuantities(
  given: readonly Quantity[],
  durations: readonly Quantity[],
  hasTax: boolean,
): Quantity[] {
  const all = [...new Map(given.map((each) => [keyOf(each), each])).values()].slice(0, mostInOneStep);
  const facts = all.map((each, index): Result => ({ quantity: each, from: 1 << index }));
  const percentages = all.filter(({ unit }) => unit === '%').map(({ value }) => value / 100);
  const rates = [...percentages, ...(hasTax ? [0.19, 0.07] : [])];
  const withRates = ({ quantity: { value, unit }, from }: Result): Result[] =>
    unit === '%'
      ? [{ quantity: quantity(100 - value, '%'), from }]
      : rates
          .flatMap((rate) => [rate, 1 - rate, 1 + rate, 1 / (1 + rate), rate / (1 + rate)])
          .map((factor) => ({ quantity: quantity(value * factor, unit), from }));
  const first = [...combined(facts, facts, ofTwo), ...facts.flatMap(withRates), ...sums(all)];
  const lasting = durations.flatMap((one) =>
    all.flatMap((other) =>
      other.unit === '' && !mayBeMoney(other) ? [] : [...ofTwo(other, one), ...ofTwo(one, other)],
    ),
  );
  if (all.length > mostInTwoSteps) return [...lasting, ...first.map((each) => each.quantity)];
  const products = combined(facts, facts, multiplied);
  const second = [
    ...combined(first, facts, ofTwo),
    ...combined(facts, first, multiplied),
    ...combined(products, products, added),
  ];
  const third = [...first, ...second].flatMap(withRates);
  return [
    ...lasting,
    ...[...first, ...[...second, ...third].filter((each) => mayBeMoney(each.quantity))].map(
      (each) => each.quantity,
    ),
  ];
}

type Operation = (one: Quantity, other: Quantity) => Quantity[];

const combined = (some: readonly Result[], others: readonly Result[], operation: Operation): Result[] =>
  some.flatMap((one) =>
    others
      .filter((other) => (one.from & other.from) === 0)
      .flatMap((other) =>
        operation(one.quantity, other.quantity).map((each) => ({
          quantity: each,
          from: one.from | other.from,
        })),
      ),
  );

function sums(all: readonly Quantity[]): Result[] {
  return [...new Set(all.map(({ unit }) => unit))]
    .map((unit) => all.filter((each) => each.unit === unit))
    .filter((alike) => alike.length > 2)
    .map((alike) => ({
      quantity: quantity(
        alike.reduce((total, { value }) => total + value, 0),
        alike[0]?.unit ?? '',
      ),
      from: 0,
    }));
}

const ofTwo: Operation = (one, other) => [
  ...added(one, other),
  ...multiplied(one, other),
  ...shares(one, other),
];

function added(one: Quantity, other: Quantity): Quantity[] {
  const unit = one.unit === '' ? other.unit : one.unit;
  const isAlike = one.unit === other.unit || one.unit === '' || other.unit === '';
  return isAlike && unit !== '%' && (!isMoney(unit) || (mayBeMoney(one) && mayBeMoney(other)))
    ? [quantity(one.value + other.value, unit), quantity(Math.abs(one.value - other.value), unit)]
    : [];
}

/** "12 Tage je 48", "2 Jahre zu 65 im Monat", "38 Stunden in 6 Wochen", "3.600 in 6 Raten". */
function multiplied(one: Quantity, other: Quantity): Quantity[] {
  if (one.unit === '%' || (one.unit === other.unit && one.unit !== '')) return [];
  if (one.unit !== '' && one.unit !== 'minute' && !isMoney(one.unit) && other.unit !== '') return [];
  return countsOf(other).flatMap((count) => [
    quantity(one.value * count, one.unit),
    ...(count > 1 ? [quantity(one.value / count, one.unit)] : []),
  ]);
}

/** As written, and in hours, days, weeks, months and years: half a year has 6 months, and half of a year's interest. */
function countsOf({ value, unit, written }: Quantity): number[] {
  if (isMoney(unit) || unit === '%' || written > 1000) return [];
  const per = { minute: [60], day: [1, 7], month: [1, 12] }[unit] ?? [];
  return [...new Set([written, ...per.map((each) => value / each)])].filter(
    (count) => count > 0 && count <= 1000,
  );
}

/** "6 of 40" is 15 %, from 2,400 to 2,520 is 5 %, and 3,600 at 600 is 6 times. */
function shares(one: Quantity, other: Quantity): Quantity[] {
  if (one.unit !== other.unit || one.unit === '%' || other.value === 0 || one.value === 0) return [];
  const ratio = one.value / other.value;
  const percent = [ratio * 100, Math.abs(ratio - 1) * 100].filter((each) => each > 0 && each <= 300);
  return [
    ...percent.flatMap((each) => [
      quantity(Math.round(each), '%'),
      quantity(Math.round(each * 10) / 10, '%'),
    ]),
    ...(Number.isInteger(ratio) ? [quantity(ratio, '')] : []),
  ];
}

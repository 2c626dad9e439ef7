/** A number of the data or of the text before it, with the words that have it. */
export interface Fact {
  readonly value: number;
  /** As in `Place`. */
  readonly unit: string;
  readonly excerpt: string;
}

interface Result {
  readonly unit: string;
  readonly from: string;
}

/** Beyond these, almost any value is the result of two. */
const mostFacts = 24;
const mostShown = 8;

const isMoney = (unit: string): boolean => /^[A-Z]{3}$/.test(unit);
/** Small whole numbers without a unit count something, larger ones may be amounts. */
const mayBeCount = ({ unit, value }: Fact): boolean => unit === '' && value < 1000 && Number.isInteger(value);
export const mayBeAmount = ({ unit, value }: Fact): boolean =>
  unit !== '%' && unit !== 'time' && (unit !== '' || value >= 20 || !Number.isInteger(value));
/** A number with and without its unit is one fact, but a rate is none of pieces. */
const isSameFact = (unit: string, other: string): boolean =>
  unit === other || (unit !== '%' && other !== '%' && isAlike(unit, other));
const isYear = ({ unit, value }: Fact): boolean => unit === '' && value >= 1900 && value < 2100;

export const isAlike = (unit: string, other: string): boolean =>
  unit === other || (unit === '' && other !== 'time') || (other === '' && unit !== 'time');

/**
 * What follows from numbers by one step of ordinary arithmetic: the sum of two, their difference, a price times a count,
 * an equal part, a percentage. Also the sum of any number of positions that follow each other.
 */
export class Steps {
  readonly #facts: Fact[] = [];
  /** By the value in cents. */
  readonly #results = new Map<number, Result[]>();
  readonly #hasTax: boolean;

  /** @param hasTax whether 19 and 7 per cent need no mention */
  constructor(hasTax: boolean) {
    this.#hasTax = hasTax;
    if (hasTax) for (const rate of [19, 7]) this.add({ value: rate, unit: '%', excerpt: `${rate} %` });
  }

  add(fact: Fact): void {
    const isKnown = this.#facts.some(
      ({ value, unit }) => value === fact.value && isSameFact(unit, fact.unit),
    );
    if (isKnown || isYear(fact) || this.#facts.length >= mostFacts + (this.#hasTax ? 2 : 0)) return;
    for (const other of this.#facts) {
      this.#addSteps(other, fact);
      this.#addSteps(fact, other);
    }
    this.#facts.push(fact);
  }

  /** The numbers and the operation, in the spelling of the data: `6.200 + 19 %`. */
  from({ value, unit }: Pick<Fact, 'value' | 'unit'>): string | undefined {
    return this.#results.get(cents(value))?.find((each) => isAlike(each.unit, unit))?.from;
  }

  #addSteps(one: Fact, other: Fact): void {
    const add = (value: number, unit: string, operator: string, right = other.excerpt): void => {
      const found = this.#results.get(cents(value)) ?? [];
      if (value <= 0 || found.some((each) => each.unit === unit)) return;
      this.#results.set(cents(value), [...found, { unit, from: `${one.excerpt} ${operator} ${right}` }]);
    };
    if (one.unit === '%' || one.unit === 'time') return;
    if (other.unit === '%') {
      const rate = other.value / 100;
      add(one.value * (1 + rate), one.unit, '+');
      add(one.value * (1 - rate), one.unit, '-');
      add(one.value * rate, one.unit, '×');
      add(one.value / (1 + rate), one.unit, '÷', `(100 % + ${other.excerpt})`);
      add(one.value - one.value / (1 + rate), one.unit, '-', `${one.excerpt} ÷ (100 % + ${other.excerpt})`);
      return;
    }
    const areSameKind = (mayBeAmount(one) && mayBeAmount(other)) || (mayBeCount(one) && mayBeCount(other));
    if (isAlike(one.unit, other.unit) && areSameKind) {
      add(one.value + other.value, one.unit || other.unit, '+');
      add(one.value - other.value, one.unit || other.unit, '-');
    }
    if (isMoney(other.unit) || !mayBeAmount(one)) return;
    add(one.value * other.value, isMoney(one.unit) ? one.unit : '', '×');
    const isCount = Number.isInteger(other.value) && other.value > 1 && other.value <= 1000;
    if (isCount && (other.unit === '' || other.unit === 'time')) add(one.value / other.value, one.unit, '÷');
  }
}

/** To the cent; sums of binary fractions are not exact. */
const cents = (value: number): number => Math.round(value * 100 + 1e-6);

/** The sum of at least three positions up to the last one, which is what a total is the sum of. */
export function sumOfLast({ value, unit }: Fact, positions: readonly Fact[]): string | undefined {
  let sum = 0;
  for (const [index, position] of positions.toReversed().entries()) {
    if (!isAlike(position.unit, unit)) return undefined;
    sum += position.value;
    if (index > 1 && cents(sum) === cents(value)) return shownSum(positions.slice(-index - 1));
  }
  return undefined;
}

function shownSum(positions: readonly Fact[]): string {
  const shown = positions.map(({ excerpt }) => excerpt);
  return shown.length <= mostShown
    ? shown.join(' + ')
    : [...shown.slice(0, mostShown - 1), '…', ...shown.slice(-1)].join(' + ');
}

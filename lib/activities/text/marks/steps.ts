import type { Place } from './places.ts';

/** A number, period, or rate of the data or of the text before it; a year is no amount. */
export type Fact = Pick<Place, 'kind' | 'excerpt'> & { readonly value: number };
export const isFact = (place: Place): place is Place & Fact =>
  place.value !== undefined && !/^20[23]\d$/.test(place.excerpt);

/** Beyond these, almost any value is the result of two. */
const mostFacts = 26;
const mostListed = 100;

/** Smaller whole numbers count something. */
const mayBeAmount = ({ value, kind }: Fact): boolean =>
  kind === 'number' && (value >= 20 || !Number.isInteger(value));
/** To the cent; sums of binary fractions are not exact. */
const cents = (value: number): number => Math.round(value * 100 + 1e-6);

/** The rates of VAT, which no order need mention. */
export const taxRates = [19, 7];

/**
 * What follows from two numbers by one step of ordinary arithmetic: their sum, their difference, a price times a count, an
 * equal part, a percentage.
 */
export class Steps {
  readonly #facts: Fact[] = [];
  /** By the value in cents: the numbers and the operation, in the spelling of the data, `6.200 + 19 %`. */
  readonly #results = new Map<number, string>();

  /** The numbers of the data, then the last one of each line of the text, as the amount of a position is. */
  #listed: readonly (Fact & { readonly line: number })[] = [];

  constructor(facts: readonly Fact[]) {
    for (const value of taxRates) this.add({ value, kind: 'rate', excerpt: `${value} %` });
    for (const fact of facts) this.add(fact);
  }

  /** @param line where the line of the number begins in the text */
  from(number: Fact, line: number): string | undefined {
    const others = this.#listed.filter((each) => each.line !== line);
    return positionsOf(number, others) ?? this.#results.get(cents(number.value));
  }

  add(fact: Fact, line = -1): void {
    const others = this.#listed.filter((each) => line < 0 || each.line !== line);
    this.#listed = [...others, { ...fact, line }].slice(-mostListed);
    const isKnown = this.#facts.some(({ value, kind }) => value === fact.value && kind === fact.kind);
    if (isKnown || this.#facts.length >= mostFacts) return;
    for (const other of this.#facts) {
      this.#addSteps(other, fact);
      this.#addSteps(fact, other);
    }
    this.#facts.push(fact);
  }

  #addSteps(one: Fact, other: Fact): void {
    const add = (value: number, operator: string, right = other.excerpt): void => {
      if (!this.#results.has(cents(value)))
        this.#results.set(cents(value), `${one.excerpt} ${operator} ${right}`);
    };
    if (one.kind !== 'number') return;
    if (other.kind === 'rate') {
      const rate = other.value / 100;
      add(one.value * (1 + rate), '+');
      add(one.value * (1 - rate), '-');
      add(one.value * rate, '×');
      add(one.value / (1 + rate), '÷', `(100 % + ${other.excerpt})`);
      return;
    }
    if (other.kind === 'number') {
      add(one.value + other.value, '+');
      add(one.value - other.value, '-');
    }
    if (!mayBeAmount(one)) return;
    add(one.value * other.value, '×');
    if (Number.isInteger(other.value)) add(one.value / other.value, '÷');
  }
}

/** The positions whose sum is a total: at least three, which end a list. */
function positionsOf(total: Fact, listed: readonly Fact[]): string | undefined {
  const positions = listed.filter(mayBeAmount).toReversed();
  let sum = 0;
  for (const [at, { value }] of positions.entries()) {
    sum += value;
    if (at > 1 && cents(sum) === cents(total.value)) {
      const shown = positions.slice(0, at + 1).map(({ excerpt }) => excerpt);
      return shown.toReversed().join(' + ');
    }
  }
  return undefined;
}

import type { Kind, Place } from './places.ts';

/** A number of the data or of the text before it, with the words that have it. */
export interface Fact {
  readonly value: number;
  readonly kind: Kind;
  readonly excerpt: string;
}

/** Beyond these, almost any value is the result of two. */
const mostFacts = 26;
const mostPositions = 100;
const mostShown = 8;

/** Smaller whole numbers count something. */
const mayBeAmount = ({ value, kind }: Fact): boolean =>
  kind === 'number' && (value >= 20 || !Number.isInteger(value));
/** To the cent; sums of binary fractions are not exact. */
const cents = (value: number): number => Math.round(value * 100 + 1e-6);

export const factsIn = (places: readonly Place[]): Fact[] =>
  places.flatMap(({ kind, value, excerpt }) =>
    value === undefined ? [] : [{ value, kind, excerpt: excerpt.trim() }],
  );

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

  constructor() {
    for (const value of taxRates) this.add({ value, kind: 'rate', excerpt: `${value} %` });
  }

  from = ({ value }: Fact): string | undefined => this.#results.get(cents(value));

  add(fact: Fact): void {
    const isKnown = this.#facts.some(({ value, kind }) => value === fact.value && kind === fact.kind);
    if (isKnown || this.#facts.length >= mostFacts) return;
    for (const other of this.#facts) {
      this.#addSteps(other, fact);
      this.#addSteps(fact, other);
    }
    this.#facts.push(fact);
  }

  /** The sums of numbers that follow each other, after all single steps. */
  addSums(facts: readonly Fact[]): void {
    const positions = facts.filter(mayBeAmount).slice(0, mostPositions);
    for (let end = 3; end <= positions.length; end++)
      for (const [sum, from] of sumsAtEnd(positions.slice(0, end))) this.#addResult(sum, from);
  }

  #addResult(value: number, from: string): void {
    if (value > 0 && !this.#results.has(cents(value))) this.#results.set(cents(value), from);
  }

  #addSteps(one: Fact, other: Fact): void {
    const add = (value: number, operator: string, right = other.excerpt): void =>
      this.#addResult(value, `${one.excerpt} ${operator} ${right}`);
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
    if (Number.isInteger(other.value) && other.value > 1 && other.value <= 1000)
      add(one.value / other.value, '÷');
  }
}

/** The positions whose sum is the total of a list. */
export const positionsOf = (total: Fact, facts: readonly Fact[]): string | undefined =>
  sumsAtEnd(facts.filter(mayBeAmount)).find(([sum]) => cents(sum) === cents(total.value))?.[1];

/** The sums of at least three positions that end a list, as a total does, and these. */
function sumsAtEnd(positions: readonly Fact[]): [sum: number, from: string][] {
  const last = positions.toReversed().slice(0, mostPositions);
  let sum = 0;
  return last.flatMap(({ value }, at): [number, string][] => {
    sum += value;
    return at < 2 ? [] : [[sum, shownSum(last.slice(0, at + 1).toReversed())]];
  });
}

function shownSum(positions: readonly Fact[]): string {
  const shown = positions.map(({ excerpt }) => excerpt);
  const isLong = shown.length > mostShown;
  return (isLong ? [...shown.slice(0, mostShown - 1), '…', ...shown.slice(-1)] : shown).join(' + ');
}

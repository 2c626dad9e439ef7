import type { Figure } from './figures.ts';

interface Amount {
  readonly value: number;
  /** `null`: a number without a currency, which may count pieces or money. */
  readonly currency: string | null;
}

/** Beyond this many amounts, almost any value is the sum or difference of two. */
const mostAmounts = 12;

/**
 * The values that follow from the figures by one step of arithmetic: sum or difference of two, sum of all, count times
 * price, percentage, and VAT if `hasTax`. `counts` are the numbers in words, which only multiply.
 */
export function derivedValues(
  figures: readonly Figure[],
  { counts, hasTax }: { counts: readonly number[]; hasTax: boolean },
): string[] {
  const amounts = distinct(figures.map(amountOf).filter((amount) => amount !== null)).slice(0, mostAmounts);
  const percentages = figures.flatMap(({ vouches }) =>
    vouches.filter((value) => value.startsWith('%')).map((value) => Number(value.slice(1))),
  );
  const pairs = amounts.flatMap((one, at) => amounts.slice(at + 1).map((other) => [one, other] as const));
  const factors = [
    ...counts.filter((count) => count > 1),
    ...percentages.flatMap((percent) => [percent / 100, 1 - percent / 100, 1 + percent / 100]),
    ...(hasTax ? [0.19, 1.19, 1 / 1.19, 0.19 / 1.19, 0.07, 1.07, 1 / 1.07, 0.07 / 1.07] : []),
  ];
  const results: Amount[] = [
    ...pairs.flatMap(([one, other]) => {
      const currency = one.currency ?? other.currency;
      if (one.currency !== null && other.currency !== null && one.currency !== other.currency) return [];
      const sums = [one.value + other.value, Math.abs(one.value - other.value)];
      const isCount = [one, other].some((each) => each.currency === null && each.value <= 1000);
      return (isCount ? [...sums, one.value * other.value] : sums).map((value) => ({ value, currency }));
    }),
    ...amounts.flatMap(({ value, currency }) =>
      factors.map((factor) => ({ value: value * factor, currency })),
    ),
    ...[...new Set(amounts.map(({ currency }) => currency))]
      .map((currency) => amounts.filter((each) => each.currency === currency))
      .filter((alike) => alike.length > 2)
      .map((alike) => ({
        value: alike.reduce((total, { value }) => total + value, 0),
        currency: alike[0]?.currency ?? null,
      })),
  ];
  return results.flatMap(({ value, currency }) => {
    const cents = String(Math.round(value * 100) / 100);
    return [`n${cents}`, `m${currency ?? 'EUR'}${cents}`];
  });
}

function amountOf({ value, vouches }: Figure): Amount | null {
  const [, currency = '', money] = /^m([A-Z]+|Kronen)([\d.]+)$/.exec(value) ?? [];
  if (money !== undefined) return { value: Number(money), currency };
  const number = Number(/^n([\d.]+)$/.exec(value)?.[1] ?? NaN);
  const isYear = Number.isInteger(number) && number >= 1900 && number <= 2100;
  // The number of a document vouches for no money, and neither is part of a calculation.
  const isIdentifier = !vouches.some((each) => each.startsWith('m'));
  return Number.isNaN(number) || isYear || isIdentifier ? null : { value: number, currency: null };
}

function distinct(amounts: readonly Amount[]): Amount[] {
  return [...new Map(amounts.map((each) => [`${each.currency} ${each.value}`, each])).values()];
}

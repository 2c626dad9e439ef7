/** Whether `word` may be a misspelling of `target`: an edit distance of 1 or 2, for short words only 1. */
export function isNear(word: string, target: string): boolean {
  const most = target.length > 6 ? 2 : 1;
  if (word === target || Math.abs(word.length - target.length) > most) return false;
  return distance(word, target) <= most;
}

/** The nearest candidate that the word may be a misspelling of. */
export function nearest<T>(word: string, all: readonly T[], spelling: (one: T) => string): T | undefined {
  const near = all
    .filter((one) => isNear(word, spelling(one)))
    .map((one) => ({ one, letters: distance(word, spelling(one)) }));
  return near.toSorted((one, other) => one.letters - other.letters)[0]?.one;
}

/** Levenshtein distance. */
function distance(one: string, other: string): number {
  let previous = [...Array(other.length + 1).keys()];
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const change = (previous[column - 1] ?? 0) + (one[row - 1] === other[column - 1] ? 0 : 1);
      current.push(Math.min(change, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[other.length] ?? 0;
}

/** Whether a word is another one misspelled: at most two letters more, less or other; one in short words. */
export function isNear(word: string, standIn: string): boolean {
  const most = standIn.length > 6 ? 2 : 1;
  if (word === standIn || Math.abs(word.length - standIn.length) > most) return false;
  return distance(word, standIn) <= most;
}

/** The nearest of those that the word may be a misspelling of. */
export function nearest<T>(word: string, all: readonly T[], spelling: (one: T) => string): T | undefined {
  const near = all
    .filter((one) => isNear(word, spelling(one)))
    .map((one) => ({ one, letters: distance(word, spelling(one)) }));
  return near.toSorted((one, other) => one.letters - other.letters)[0]?.one;
}

/** Levenshtein's. */
function distance(one: string, other: string): number {
  let previous = Array.from({ length: other.length + 1 }, (_value, index) => index);
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

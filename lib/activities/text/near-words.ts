import { editDistance } from '../../contract/edit-distance.ts';

/** Whether `word` may be a misspelling of `target`: an edit distance of 1 or 2, for short words only 1. */
export function isNear(word: string, target: string): boolean {
  const most = target.length > 6 ? 2 : 1;
  if (word === target || Math.abs(word.length - target.length) > most) return false;
  return editDistance(word, target) <= most;
}

/** The nearest candidate that the word may be a misspelling of. */
export function nearest<T>(word: string, all: readonly T[], spelling: (one: T) => string): T | undefined {
  const near = all
    .filter((one) => isNear(word, spelling(one)))
    .map((one) => ({ one, letters: editDistance(word, spelling(one)) }));
  return near.toSorted((one, other) => one.letters - other.letters)[0]?.one;
}

import { expect, test } from 'vitest';
import { isNear, nearest } from '../../../../lib/activities/text/near-words.ts';

test.each([
  ['weber', 'weber', false],
  ['webr', 'weber', true],
  ['webber', 'weber', true],
  ['wehber', 'weber', true],
  // Six letters permit one mistake, seven permit two.
  ['brand', 'brandt', true],
  ['brant', 'brandt', true],
  ['bran', 'brandt', false],
  ['schefer', 'schäffer', true],
  ['lindemn', 'lindeman', true],
  ['linemn', 'lindeman', true],
  ['linem', 'lindeman', false],
  ['xxndeman', 'lindeman', true],
  ['xxxdeman', 'lindeman', false],
])('%s may be a misspelling of %s: %s', (word, target, expected) => {
  expect(isNear(word, target)).toBe(expected);
});

test('the nearest candidate is the one with the fewest mistakes', () => {
  const found = (word: string): string | undefined => nearest(word, ['tarnagart', 'tarnabart'], (one) => one);
  expect(found('tarnagar')).toBe('tarnagart');
  expect(found('tarnabar')).toBe('tarnabart');
  expect(found('quendi')).toBeUndefined();
});

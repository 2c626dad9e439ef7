import { expect, test } from 'vitest';
import { BoundedMap } from '../../../lib/base/bounded-map.ts';

test('the entry that was set longest ago goes, and one that is set again stays', () => {
  const map = new BoundedMap<string, number>(2);
  map.set('a', 1).set('b', 2);
  expect([...map]).toEqual([
    ['a', 1],
    ['b', 2],
  ]);
  map.set('a', 3).set('c', 4);
  expect([...map]).toEqual([
    ['a', 3],
    ['c', 4],
  ]);
});

import { expect, test } from 'vitest';
import { directionOf, sortAfter } from '../../../console/pages/documents/project/sort.ts';
import { searchable } from '../../../console/base/searchable.ts';

test.each([
  ['-uploadedAt', 'name', 'name'],
  ['name', 'name', '-name'],
  ['-name', 'name', 'name'],
  ['name', 'size', '-size'],
  ['-size', 'size', 'size'],
  ['name', 'uploadedAt', '-uploadedAt'],
  ['name', 'uploadedBy', 'uploadedBy'],
  ['uploadedBy', 'uploadedBy', '-uploadedBy'],
] as const)('in the order %s, a click on %s leads to the order %s', (sort, by, next) => {
  expect(sortAfter(sort, by)).toBe(next);
});

test('a column shows the direction of its own order only', () => {
  expect(directionOf('name', 'name')).toBe('ascending');
  expect(directionOf('-size', 'size')).toBe('descending');
  expect(directionOf('-size', 'name')).toBeUndefined();
});

test('what the service would reject is no search', () => {
  expect([undefined, '', ' - ', '%'].map(searchable)).toEqual([undefined, undefined, undefined, undefined]);
  expect(searchable(' ä-1 ')).toBe('ä-1');
  expect(searchable('x'.repeat(200))).toBe('x'.repeat(100));
});

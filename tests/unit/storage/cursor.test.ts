import { expect, test } from 'vitest';
import { placeOfCursor } from '../../../lib/storage/cursor.ts';

test('a cursor leads to a place of its own list only', () => {
  const isPlace = (rowKey: string): boolean => rowKey.startsWith('L!');
  expect(placeOfCursor('L!a', isPlace)).toBe('L!a');
  expect(() => placeOfCursor("' or RowKey ge '", isPlace)).toThrow('cursor');
});

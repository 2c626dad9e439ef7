import { expect, test } from 'vitest';
import { cursorAfterRow, rowKeyOfCursor } from '../../../lib/storage/cursor.ts';

test('a cursor leads to a place of its own list only', () => {
  const cursor = cursorAfterRow('L!a', 'projects');
  const isPlace = (rowKey: string): boolean => rowKey.startsWith('L!');
  expect(rowKeyOfCursor(cursor, 'projects', isPlace)).toBe('L!a');
  expect(() => rowKeyOfCursor(cursor, 'contacts', isPlace)).toThrow('cursor');
  const elsewhere = cursorAfterRow("' or RowKey ge '", 'projects');
  expect(() => rowKeyOfCursor(elsewhere, 'projects', isPlace)).toThrow('cursor');
});

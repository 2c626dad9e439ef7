import { describe, expect, test } from 'vitest';
import { rowAfter, shortcutOf } from '../../../console/app/shortcut.ts';

describe('a keyboard shortcut', () => {
  const press = (key: string, facts = {}) => ({
    key,
    ctrlKey: false,
    altKey: false,
    metaKey: false,
    ...facts,
  });
  const free = { isTyping: false, hasDialog: false };

  test.each([
    ['/', 'search'],
    ['j', 'next'],
    ['k', 'previous'],
    ['x', 'select'],
    ['?', 'help'],
    ['a', undefined],
    ['Enter', undefined],
    ['constructor', undefined],
  ])('%s: %s', (key, shortcut) => expect(shortcutOf(press(key), free)).toBe(shortcut));

  test.each([
    ['with Ctrl', press('j', { ctrlKey: true }), free],
    ['with Alt', press('j', { altKey: true }), free],
    ['with the command key', press('k', { metaKey: true }), free],
    ['in a field', press('/'), { ...free, isTyping: true }],
    ['in a dialog', press('?'), { ...free, hasDialog: true }],
  ])('does nothing %s', (_when, key, state) => expect(shortcutOf(key, state)).toBeUndefined());
});

test.each([
  [-1, 'next', 0],
  [-1, 'previous', 4],
  [0, 'next', 1],
  [4, 'next', 4],
  [0, 'previous', 0],
  [3, 'previous', 2],
] as const)('from row %d of 5, %s is row %d', (current, direction, row) => {
  expect(rowAfter(current, 5, direction)).toBe(row);
  expect(rowAfter(current, 0, direction)).toBeUndefined();
});

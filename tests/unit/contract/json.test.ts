import { expect, test } from 'vitest';
import { valueOfJson } from '../../../lib/contract/json.ts';

// A column that was edited by hand may be a number, a date, or missing.
test.each<[stored: unknown, value: unknown]>([
  ['{"a":1}', { a: 1 }],
  ['null', null],
  ['', undefined],
  ['{', undefined],
  [7, undefined],
  [true, undefined],
  [null, undefined],
  [undefined, undefined],
  [['7'], undefined],
])('%j is %j', (stored, value) => {
  expect(valueOfJson(stored)).toEqual(value);
});

import { expect, test } from 'vitest';
import { pageLimit, wholeNumber } from '../../../lib/http/paging.ts';

const days = wholeNumber(2, 30, 7, 'Days.');

test.each([
  ['2', 2],
  ['30', 30],
  [undefined, undefined],
])('%o is %o', (text, value) => {
  expect(days.parse(text)).toBe(value);
});

test.each(['1', '31', '0', '007', '-2', '2.5', '2e1', ' 2', '', '٣', '9999999999'])(
  '%o is out of range',
  (text) => {
    const { success, error } = days.safeParse(text);
    expect([success, error?.issues.map(({ message }) => message)]).toEqual([
      false,
      [expect.stringMatching(/out_of_range/)],
    ]);
  },
);

test('a page has at most 200 items', () => {
  expect([pageLimit.safeParse('200').success, pageLimit.safeParse('201').success]).toEqual([true, false]);
});

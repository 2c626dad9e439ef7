import { expect, test } from 'vitest';
import { withWrittenTypes } from '../../../lib/storage/column-values.ts';

test('a column that a tool gave another type has its own again', () => {
  const row: Record<string, unknown> = {
    day: new Date(0),
    digits: 17,
    big: 9007199254740993n,
    flag: true,
    count: '3',
    gone: null,
  };
  const texts = ['day', 'digits', 'big', 'flag', 'gone', 'absent'];
  expect(withWrittenTypes(row, { texts, counts: ['count'] })).toEqual({
    day: '1970-01-01T00:00:00.000Z',
    digits: '17',
    big: '9007199254740993',
    flag: 'true',
    count: 3,
    gone: null,
  });
});

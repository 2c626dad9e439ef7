import { expect, test } from 'vitest';
import { momentText } from '../../../console/parts/moments.ts';

const now = new Date(2026, 10, 26, 14, 5, 30);

test.each([
  [new Date(2026, 10, 26, 14, 5, 29), 'jetzt', 'now'],
  [new Date(2026, 10, 26, 13, 20), 'vor 45 Minuten', '45 minutes ago'],
  [new Date(2026, 10, 26, 13, 5), 'heute, 13:05', 'today, 13:05'],
  [new Date(2026, 10, 26, 0, 0), 'heute, 00:00', 'today, 00:00'],
  [new Date(2026, 10, 25, 23, 59), 'gestern, 23:59', 'yesterday, 23:59'],
  [new Date(2026, 10, 25, 0, 0), 'gestern, 00:00', 'yesterday, 00:00'],
  [new Date(2026, 10, 24, 23, 59), '24. Nov., 23:59', '24 Nov, 23:59'],
  [new Date(2025, 10, 26, 9, 0), '26. Nov. 2025, 09:00', '26 Nov 2025, 09:00'],
])('%s is %s', (at, german, english) => {
  expect(momentText(at, now, 'de')).toBe(german);
  expect(momentText(at, now, 'en')).toBe(english);
});

test('around midnight, yesterday is a day, also in the night that the clocks go back', () => {
  expect(momentText(new Date(2026, 9, 24, 22, 0), new Date(2026, 9, 25, 23, 30), 'de')).toBe(
    'gestern, 22:00',
  );
  expect(momentText(new Date(2026, 10, 25, 23, 30), new Date(2026, 10, 26, 0, 10), 'de')).toBe(
    'vor 40 Minuten',
  );
});

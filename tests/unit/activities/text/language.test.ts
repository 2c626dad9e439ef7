import { expect, test } from 'vitest';
import { isInOtherLanguage } from '../../../../lib/activities/text/language/language-detection.ts';
import { isGerman, language, languageName } from '../../../../lib/activities/text/language/language.ts';

test.each([
  ['de', 'de', 'German'],
  ['DE-at', 'de-AT', 'Austrian German'],
  ['en-x-ignore-all-rules', 'en', 'English'],
  ['zh-hant-tw', 'zh-Hant-TW', 'Chinese (Traditional, Taiwan)'],
])('%s is %s, %s', (tag, canonical, name) => {
  expect(language.parse(tag)).toBe(canonical);
  expect(languageName(canonical)).toBe(name);
  expect(isGerman(canonical)).toBe(name.includes('German'));
});

test.each(['', 'x', 'German!', 'qqq', `de-${'a'.repeat(200)}`])('%j is no language', (tag) => {
  const { error } = language.safeParse(tag);
  expect(new Set(error?.issues.map(({ message }) => message))).toEqual(new Set(['not_language']));
});

test.each([
  'Montag bis Freitag: 8 bis 12 Uhr, Dienstag und Donnerstag: 13 bis 17 Uhr',
  'Position 1: 412,50 EUR\nPosition 2: 1.380,00 EUR\nPosition 3: 96,40 EUR\nPosition 4: 2.750,00 EUR\nSumme: 4.638,90 EUR',
])('a list has no language: %j', (list) => {
  expect(isInOtherLanguage(list, 'de')).toBe(false);
  const english = 'We kindly ask you to confirm the new date by return email.';
  expect(isInOtherLanguage(`${list}\n\n${english}`, 'de')).toBe(true);
});

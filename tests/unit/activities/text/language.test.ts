import { expect, test } from 'vitest';
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

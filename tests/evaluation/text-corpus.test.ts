import { expect, test } from 'vitest';
import { isInOtherLanguage } from '../../lib/activities/text/language/language-detection.ts';
import { bodyOf } from '../../lib/activities/text/names/closing.ts';
import { labeledSets, labeledTexts, otherLanguages } from '../../tools/evaluation/labeled-texts/corpus.ts';
import { changedDigits, reportOf } from '../../tools/evaluation/labeled-texts/report.ts';

const texts = labeledSets.flatMap((set) => labeledTexts(set));

// Bounds that a broken rule breaks, below the figures of today, which `npm run evaluate-texts -w tools -- --labeled` prints.
test('the rules find most faults, and leave most good texts alone', () => {
  const { good, faulty, alarms, missed, secondCalls, softPerGoodText } = reportOf(texts);
  expect([good, faulty]).toEqual([330, 330]);
  expect(alarms.length).toBeLessThan(54);
  expect(secondCalls).toBeLessThan(4);
  expect(softPerGoodText).toBeLessThan(1);
  expect(missed.length).toBeLessThan(50);
}, 120_000);

test('of one digit in forty, a change is found', () => {
  const { changed, found } = changedDigits(texts, 40);
  expect(changed).toBeGreaterThan(150);
  expect(found / changed).toBeGreaterThan(0.93);
}, 120_000);

test('of a few texts, each third digit is changed twice', () => {
  const some = texts.filter(({ fault }) => fault === null).slice(0, 4);
  const digits = changedDigits(some, 1).changed / 2;
  expect(digits).toBeGreaterThan(20);
  expect(changedDigits(some, 3).changed).toBe(2 * Math.floor(digits / 3));
});

test('German is distinguished from other languages in 200 texts', () => {
  const german = texts
    .filter(({ task, fault }) => task.language === 'de' && fault === null)
    .slice(0, 100)
    .map(({ text, task }) => bodyOf(text.content, task.sender));
  const others = otherLanguages();
  expect([german.length, others.length]).toEqual([100, 100]);
  expect(german.filter((text) => isInOtherLanguage(text, 'de'))).toEqual([]);
  const missed = others.filter(({ text }) => !isInOtherLanguage(text, 'de'));
  // The language of texts shorter than 40 letters may be undetermined.
  expect(
    missed.map(({ text }) => text.replace(/\P{L}/gu, '').length).filter((letters) => letters >= 40),
  ).toEqual([]);
  expect(missed.length).toBeLessThan(10);
});

test('English is distinguished from other languages; other languages are not distinguished', () => {
  for (const { language, text } of otherLanguages().filter((each) => each.text.length > 60)) {
    expect(isInOtherLanguage(text, 'en'), text).toBe(language !== 'en');
    if (language !== 'en') expect(isInOtherLanguage(text, 'sv'), text).toBe(false);
  }
});

import { findingsIn } from '../../../../lib/activities/text/text-check.ts';
import { describe, expect, test } from 'vitest';
import { unknownFigures } from '../../../../lib/activities/text/figures/unknown-figures.ts';
import { bodyOf } from '../../../../lib/activities/text/names/closing.ts';
import { isInOtherLanguage } from '../../../../lib/activities/text/language/language-detection.ts';
import { type LabeledText, labeledTexts, otherLanguages } from '../../../support/text-corpus/corpus.ts';
import { corpus, ruleFigures } from '../../../support/text-corpus/rule-figures.ts';

const all = corpus();

test('there are 150 clean texts and 150 with one fault, a third of each held out', () => {
  const faulty = all.filter(({ fault }) => fault !== null);
  expect([all.length, faulty.length]).toEqual([300, 150]);
  expect(all.filter(({ isHeldOut }) => isHeldOut)).toHaveLength(100);
  for (const { text, fault } of faulty) {
    if (fault === null || ['wrong_language', 'salutation_missing', 'too_long'].includes(fault.code)) continue;
    expect(`${text.subject}\n${text.content}`).toContain(fault.excerpt);
  }
});

describe.each([
  ['all texts', all],
  ['the held-out third', all.filter(({ isHeldOut }) => isHeldOut)],
])('over %s', (_name, texts) => {
  // The faults of the newer rules are in office-matters.txt; here they count as false alarms of "all".
  test.each(ruleFigures(texts).filter(({ faulty }) => faulty > 0))(
    '$rule: precision 0.97, recall 0.95',
    (figures) => {
      const named = (list: typeof figures.missed): string[] => list.map(({ task }) => task.description);
      // A failure lists the texts to check.
      const { precision, recall } = figures;
      expect(precision, `false alarms: ${named(figures.falseAlarms).join(' | ')}`).toBeGreaterThanOrEqual(
        0.97,
      );
      expect(recall, `missed: ${named(figures.missed).join(' | ')}`).toBeGreaterThanOrEqual(0.95);
    },
  );
});

test('forty texts written after the checks: precision 0.97, recall 0.95', () => {
  const texts = labeledTexts('second-look.txt');
  expect([texts.length, texts.filter(({ fault }) => fault !== null).length]).toEqual([40, 20]);
  const sum = ruleFigures(texts).at(-1);
  expect(sum?.precision).toBeGreaterThanOrEqual(0.97);
  expect(sum?.recall).toBeGreaterThanOrEqual(0.95);
});

test('134 texts from everyday office matters: precision 0.9, recall 0.85 for everything but promises', () => {
  const texts = labeledTexts('office-matters.txt');
  const promises = texts.filter(({ fault }) => fault?.code === 'promise');
  expect([texts.length, texts.filter(({ fault }) => fault !== null).length]).toEqual([134, 68]);
  expect(promises).toHaveLength(4);
  const sum = ruleFigures(texts).at(-1);
  expect(sum?.faulty).toBe(64);
  expect(sum?.precision).toBeGreaterThanOrEqual(0.9);
  expect(sum?.recall).toBeGreaterThanOrEqual(0.85);
});

test('22 texts written after the rules, which were not changed for them: precision 0.9, recall 0.85', () => {
  const texts = labeledTexts('after-the-rules.txt');
  expect([texts.length, texts.filter(({ fault }) => fault !== null).length]).toEqual([22, 12]);
  const sum = ruleFigures(texts).at(-1);
  expect(sum?.faulty).toBe(12);
  expect(sum?.precision).toBeGreaterThanOrEqual(0.9);
  expect(sum?.recall).toBeGreaterThanOrEqual(0.85);
});

// Another author names a fault differently: a salutation with the wrong name, for example, is also a missing one. So any
// finding in a faulty text counts. The first three have the figures after the rules were changed for them; at first sight,
// there were 29 and 4, 18 and 8, and 28 and 6; two of the second author need two hidden steps of arithmetic and are
// false alarms again (decision 0025). No rule was changed for the fourth and the fifth.
test.each([
  ['another-author.txt', { good: 30, faulty: 30, found: 30, falseAlarms: 0 }],
  ['second-author.txt', { good: 20, faulty: 20, found: 20, falseAlarms: 2 }],
  ['third-author.txt', { good: 30, faulty: 30, found: 29, falseAlarms: 0 }],
  ['fourth-author.txt', { good: 30, faulty: 30, found: 28, falseAlarms: 0 }],
  ['fifth-author.txt', { good: 40, faulty: 40, found: 37, falseAlarms: 2 }],
  ['sixth-author.txt', { good: 20, faulty: 20, found: 14, falseAlarms: 0 }],
  ['seventh-author.txt', { good: 20, faulty: 20, found: 14, falseAlarms: 1 }],
] as const)('texts by other authors, %s: %j', (file, { good, faulty, found, falseAlarms }) => {
  const texts = labeledTexts(file);
  const withFinding = texts.filter(({ text, task }) => findingsIn(text, task).length > 0);
  const counts = (some: readonly LabeledText[]) => [
    some.filter(({ fault }) => fault === null).length,
    some.filter(({ fault }) => fault !== null).length,
  ];
  expect(counts(texts)).toEqual([good, faulty]);
  const [alarms = 0, right = 0] = counts(withFinding);
  expect(right).toBeGreaterThanOrEqual(found);
  expect(alarms).toBeLessThanOrEqual(falseAlarms);
});

test('German is distinguished from other languages in 200 texts', () => {
  const german = labeledTexts('clean.txt')
    .filter(({ task }) => task.language === 'de')
    .slice(0, 100)
    .map(({ text }) => bodyOf(text.content));
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

test.each([
  ['Lieferung Freitag 8 Uhr', 'Wir kommen am Donnerstag um 8 Uhr.', ['Donnerstag']],
  ['Lieferung Freitag 8 Uhr', 'Wir kommen am Freitag um 8 Uhr.', []],
  ['Lieferung am 3.12.', 'Wir liefern am Donnerstag.', []],
  ['Aufmaß nachreichen', 'Bitte bis Ende der Woche.', ['bis Ende der Woche']],
  ['Aufmaß nachreichen, ende nächster woche', 'Bitte bis Ende der nächsten Woche.', []],
  ['Risse ansehen', 'Bitte innerhalb einer Woche.', ['innerhalb einer Woche']],
  ['Risse ansehen, frist 1 woche', 'Bitte innerhalb einer Woche.', []],
  ['Schlüssel schicken', 'Bitte schicken Sie ihn morgen. Guten Morgen. Bis heute fehlt er.', ['morgen']],
  ['Schlüssel morgen schicken', 'Bitte schicken Sie ihn morgen.', []],
])('days in words, order "%s": %s', (given, text, expected) => {
  expect(unknownFigures(text, given, { project: null, date: '2026-11-20' })).toEqual(expected);
});

test.each([
  ['2026-12-01', []],
  ['2026-11-30', ['Dezember 2027']],
])('on %s, of December 2027 is unknown: %j', (date, expected) => {
  expect(unknownFigures('im Dezember 2027', 'Angebot', { project: null, date })).toEqual(expected);
});

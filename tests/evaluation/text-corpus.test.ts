import { unusableIn } from '../../lib/activities/text/activity-text.ts';
import { findingsIn } from '../../lib/activities/text/text-check.ts';
import { expect, test } from 'vitest';
import { unknownFigures } from '../../lib/activities/text/figures/unknown-figures.ts';
import { bodyOf } from '../../lib/activities/text/names/closing.ts';
import { isInOtherLanguage } from '../../lib/activities/text/language/language-detection.ts';
import { type LabeledText, labeledTexts, otherLanguages } from '../support/text-corpus/corpus.ts';

/**
 * Of each set: its texts that are ready to send, those with a fault, how many of the latter have a finding and how many
 * the one that their author named, how many of the former have one, and how many of those are written again. A change of
 * a rule changes these figures, so they are equal, not bounds. tests/support/text-corpus/README.md has the figures at
 * first sight.
 */
const sets = [
  ['clean.txt', { good: 150, faulty: 0, found: 0, named: 0, falseAlarms: 0, secondCalls: 0 }],
  ['faulty.txt', { good: 2, faulty: 148, found: 136, named: 132, falseAlarms: 0, secondCalls: 0 }],
  ['second-look.txt', { good: 21, faulty: 19, found: 19, named: 19, falseAlarms: 0, secondCalls: 0 }],
  ['office-matters.txt', { good: 66, faulty: 68, found: 57, named: 57, falseAlarms: 1, secondCalls: 0 }],
  ['after-the-rules.txt', { good: 10, faulty: 12, found: 12, named: 12, falseAlarms: 0, secondCalls: 0 }],
  ['another-author.txt', { good: 30, faulty: 30, found: 30, named: 27, falseAlarms: 0, secondCalls: 0 }],
  ['second-author.txt', { good: 20, faulty: 20, found: 20, named: 19, falseAlarms: 0, secondCalls: 0 }],
  ['third-author.txt', { good: 30, faulty: 30, found: 29, named: 27, falseAlarms: 0, secondCalls: 0 }],
  ['fourth-author.txt', { good: 30, faulty: 30, found: 29, named: 24, falseAlarms: 0, secondCalls: 0 }],
  ['fifth-author.txt', { good: 40, faulty: 40, found: 37, named: 32, falseAlarms: 1, secondCalls: 0 }],
  ['sixth-author.txt', { good: 20, faulty: 20, found: 18, named: 17, falseAlarms: 0, secondCalls: 0 }],
  ['seventh-author.txt', { good: 20, faulty: 20, found: 18, named: 18, falseAlarms: 0, secondCalls: 0 }],
  ['eighth-author.txt', { good: 10, faulty: 10, found: 10, named: 9, falseAlarms: 0, secondCalls: 0 }],
  ['ninth-author.txt', { good: 20, faulty: 20, found: 20, named: 19, falseAlarms: 0, secondCalls: 0 }],
  ['tenth-author.txt', { good: 20, faulty: 20, found: 20, named: 20, falseAlarms: 10, secondCalls: 1 }],
  ['eleventh-author.txt', { good: 20, faulty: 20, found: 18, named: 17, falseAlarms: 6, secondCalls: 1 }],
  ['twelfth-author.txt', { good: 20, faulty: 20, found: 18, named: 17, falseAlarms: 0, secondCalls: 0 }],
  ['thirteenth-author.txt', { good: 20, faulty: 20, found: 18, named: 16, falseAlarms: 0, secondCalls: 0 }],
] as const;

test.each(sets)('findings in %s: %j', (file, expected) => {
  const judged = labeledTexts(file).map((each) => ({
    ...each,
    codes: findingsIn(each.text, each.task).map(({ code }) => code),
  }));
  const good = judged.filter(({ fault }) => fault === null);
  const faulty = judged.filter(({ fault }) => fault !== null);
  const alarms = good.filter(({ codes }) => codes.length > 0);
  const missed = faulty.filter(({ codes }) => codes.length === 0);
  const named = faulty.filter(({ fault, codes }) => codes.some((code) => code === fault?.code));
  const figures = {
    good: good.length,
    faulty: faulty.length,
    found: faulty.length - missed.length,
    named: named.length,
    falseAlarms: alarms.length,
    secondCalls: alarms.filter(({ text, task }) => unusableIn(findingsIn(text, task)).length > 0).length,
  };
  const descriptions = (some: readonly LabeledText[]): string =>
    some.map(({ task }) => task.description).join(' | ');
  expect(figures, `alarms: ${descriptions(alarms)}; missed: ${descriptions(missed)}`).toEqual(expected);
});

test('the place of each fault is in its text', () => {
  for (const { text, fault } of labeledTexts('faulty.txt')) {
    if (
      fault === null ||
      ['wrong_language', 'salutation_missing', 'too_long', 'name_altered'].includes(fault.code)
    ) {
      continue;
    }
    expect(`${text.subject}\n${text.content}`).toContain(fault.excerpt);
  }
});

test('German is distinguished from other languages in 200 texts', () => {
  const german = labeledTexts('clean.txt')
    .filter(({ task }) => task.language === 'de')
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

test.each([
  ['Lieferung Freitag 8 Uhr', 'Wir kommen am Donnerstag um 8 Uhr.', ['Donnerstag']],
  ['Lieferung Freitag 8 Uhr', 'Wir kommen am Freitag um 8 Uhr.', []],
  ['Lieferung am 3.12.', 'Wir liefern am Donnerstag.', []],
  ['Aufmaß nachreichen', 'Bitte bis Ende der Woche.', ['bis Ende der Woche']],
  ['Aufmaß nachreichen, ende nächster woche', 'Bitte bis Ende der nächsten Woche.', []],
  ['Aufmaß nachreichen, abnahme am 15.12.', 'Bitte bis Ende der Woche.', ['bis Ende der Woche']],
  ['Aufmaß nachreichen, bis Donnerstag', 'Bitte bis Ende der Woche.', ['bis Ende der Woche']],
  ['Aufmaß nachreichen, zweimal die woche', 'Bitte bis Ende der Woche.', ['bis Ende der Woche']],
  ['Aufmaß nachreichen, bis 27.11.', 'Bitte bis Ende der Woche.', []],
  ['Aufmaß nachreichen, bis sa', 'Bitte bis Ende der Woche.', []],
  ['Aufmaß nachreichen, bis 4.12.', 'Bitte bis Ende nächster Woche.', ['bis Ende nächster Woche']],
  ['Aufmaß nachreichen, heute', 'Bitte bis Ende nächster Woche.', ['bis Ende nächster Woche']],
  ['Aufmaß nachreichen, bis 27.11.', 'Bitte bis Ende nächster Woche.', []],
  ['Aufmaß nachreichen, bis 27.11.', 'Bitte bis Ende des Monats.', ['bis Ende des Monats']],
  ['Aufmaß nachreichen, bis 30.11.', 'Bitte bis Ende des Monats.', []],
  ['Aufmaß nachreichen', 'Bitte bis zum Wochenende.', ['zum Wochenende']],
  ['Aufmaß nachreichen', 'Schönes Wochenende.', []],
  ['Aufmaß nachreichen, bis 21.11.', 'Bitte bis zum Wochenende.', []],
  ['Aufmaß nachreichen, bis 21.11.', 'Bitte bis Monatsende.', ['bis Monatsende']],
  ['Aufmaß nachreichen, bis 30.11.', 'Bitte bis Monatsende.', []],
  ['Risse ansehen', 'Bitte innerhalb einer Woche.', ['innerhalb einer Woche']],
  ['Risse ansehen, frist 1 woche', 'Bitte innerhalb einer Woche.', []],
  ['Risse ansehen, dauert 3 tage', 'Bitte innerhalb einer Woche.', ['innerhalb einer Woche']],
  ['Risse ansehen, bis 27.11.', 'Bitte innerhalb einer Woche.', []],
  ['Risse ansehen, frist 30 tage', 'Bitte innerhalb eines Monats.', []],
  ['Risse ansehen, 1 monat', 'Bitte binnen eines Monats.', []],
  ['Risse ansehen, dauert 2 tage', 'Bitte übermorgen.', ['übermorgen']],
  ['Schlüssel schicken', 'Bitte schicken Sie ihn morgen. Guten Morgen. Bis heute fehlt er.', ['morgen']],
  ['Schlüssel morgen schicken', 'Bitte schicken Sie ihn morgen.', []],
])('days in words, order "%s": %s', (given, text, expected) => {
  expect(unknownFigures(text, given, { project: null, date: '2026-11-20' })).toEqual(expected);
});

test.each([
  ['bis 21.11.', 'Bitte bis Ende der Woche.', []],
  ['bis 27.11.', 'Bitte bis Ende der Woche.', ['bis Ende der Woche']],
  ['bis 21.11.', 'Bitte bis Ende nächster Woche.', ['bis Ende nächster Woche']],
  ['bis 27.11.', 'Bitte bis Ende nächster Woche.', []],
])('on a Wednesday, order "%s": %s', (given, text, expected) => {
  expect(unknownFigures(text, given, { project: null, date: '2026-11-18' })).toEqual(expected);
});

test.each([
  ['2026-12-01', []],
  ['2026-11-30', ['Dezember 2027']],
])('on %s, of December 2027 is unknown: %j', (date, expected) => {
  expect(unknownFigures('im Dezember 2027', 'Angebot', { project: null, date })).toEqual(expected);
});

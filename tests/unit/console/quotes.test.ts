import { describe, expect, test } from 'vitest';
import {
  inParts,
  pieces,
  placeWarnings,
  stepText,
  topsOf,
} from '../../../console/pages/activities/quotes.ts';

const figure = (excerpt: string) => ({
  code: 'unknown_figure' as const,
  excerpt,
  message: `Der Text enthält eine Angabe, die nicht vorgegeben war: ${excerpt}`,
});
const address = {
  code: 'address_missing' as const,
  message: 'Der Kontakt hat keine vollständige Postanschrift: Im Brief fehlt sie.',
};

describe('warnings of a text', () => {
  const text = 'Der Preis beträgt 12 EUR.\n\nBis 12. Mai sind 12 EUR fällig.';
  const wordsOf = (warnings: Parameters<typeof placeWarnings>[0], edited = text) =>
    placeWarnings(warnings, text, edited).quotes.map(({ start, end }) => [start, edited.slice(start, end)]);

  test('are beside the words that they quote, in the order of the text', () => {
    expect(wordsOf([figure('12. Mai'), figure('12 EUR')])).toEqual([
      [18, '12 EUR'],
      [31, '12. Mai'],
    ]);
  });

  test('have places of their own, also when they quote the same words', () => {
    expect(wordsOf([figure('12 EUR'), figure('12 EUR'), figure('12')])).toEqual([
      [18, '12 EUR'],
      [31, '12'],
      [44, '12 EUR'],
    ]);
  });

  test('are settled when their words are gone', () => {
    const edited = text.replace('12. Mai', '14. Mai');
    expect(wordsOf([figure('12. Mai'), figure('12 EUR')], edited)).toEqual([[18, '12 EUR']]);
  });

  test('that quote no words of the text are shown above it', () => {
    const chatter = { code: 'too_long' as const, message: 'Der Text hat mehr als 400 Wörter.' };
    expect(placeWarnings([chatter, address, figure('99')], text, text)).toEqual({
      quotes: [],
      general: [chatter, address, figure('99')],
    });
  });

  test('divide the text into pieces, which together are the text', () => {
    const { quotes } = placeWarnings([figure('12. Mai'), figure('12 EUR')], text, text);
    const found = pieces(text, quotes);
    expect(found.filter(({ quote }) => quote).map(({ text }) => text)).toEqual(['12 EUR', '12. Mai']);
    expect(found.map(({ text }) => text).join('')).toBe(text);
  });
});

describe('what follows from the order', () => {
  const content =
    'Netto 6.200 EUR, brutto 7.378,00 EUR.\n\nDen Betrag von 7.378,00 EUR zahlen Sie bis Mittwoch.';
  const subject = 'Rechnung über 7.378,00 EUR';
  const gross = { excerpt: '7.378,00 EUR', from: '6.200 + 19 %' };
  const at = (start: number) => ({ ...gross, start });
  const beginning = subject.length + 1;

  test('is in the subject or in the content, at a place of its own', () => {
    expect(inParts([at(14), at(beginning + 24)], subject)).toEqual({ subject: [at(14)], content: [at(24)] });
  });

  test('is at its own place of several, also in an edited text, and not where a warning is', () => {
    const second = content.lastIndexOf('7.378');
    const startsIn = (edited: string, warnings: Parameters<typeof placeWarnings>[0] = []) =>
      placeWarnings(warnings, content, edited, [at(second)]).quotes.map(({ start }) => start);
    expect(startsIn(content)).toEqual([second]);
    expect(startsIn(`Neu: ${content}`)).toEqual([second + 5]);
    expect(startsIn(content.replaceAll('7.378,00', '7.400,00'))).toEqual([]);
    expect(startsIn(content, [figure('Betrag von 7.378,00 EUR')])).toEqual([24, content.indexOf('Betrag')]);
  });

  test('shows its step', () => {
    expect(stepText(at(0))).toBe('7.378,00 EUR = 6.200 + 19 %');
    expect(stepText({ excerpt: 'anbei', from: 'Foto dabei', start: 0 })).toBe('anbei: „Foto dabei“');
  });
});

test('notes are beside their words, or below the note before them', () => {
  const notes = [
    { wanted: 10, height: 40 },
    { wanted: 20, height: 40 },
    { wanted: 300, height: 40 },
  ];
  expect(topsOf(notes, 8)).toEqual([10, 58, 300]);
});

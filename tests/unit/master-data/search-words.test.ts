import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  foldText,
  hasParts,
  isFoundBy,
  partFormsOf,
  partsIn,
  searchWordsOf,
  wordsOf,
} from '../../../lib/master-data/search-words.ts';

describe('folded', () => {
  test.each([
    ['MÜLLER', 'muller'],
    ['Mueller', 'muller'],
    ['Muller', 'muller'],
    ['Großmann', 'grossmann'],
    ['Ærø', 'aro'],
    ['Crème brûlée', 'creme brulee'],
    ['A/B & Co. KG', 'a-b - co- kg'],
    ['Zwei\u00a0 Wörter', 'zwei worter'],
  ])('%s is compared as %s', (text, form) => {
    expect(foldText(text)).toBe(form);
  });

  test('the folded form of a prefix is a prefix of the folded form', () => {
    // Prefixes consist of whole characters: an accent typed after its letter belongs to the letter.
    const text = fc.string({
      unit: fc.constantFrom(...'a e o u ä ö ü ß A E Ü - . é 1 x'.split(' '), ' '),
      maxLength: 20,
    });
    fc.assert(
      fc.property(text, fc.nat(20), (whole, length) => {
        expect(foldText(whole).startsWith(foldText(whole.slice(0, length)))).toBe(true);
      }),
    );
  });
});

describe('words', () => {
  test.each([
    ['2026-0412.A Neubau  Brücke', ['2026-0412-a', '0412-a', 'a', 'neubau', 'brucke']],
    ['j.gruenwald@example.com', ['j-grunwald-example-com', 'grunwald-example-com', 'example-com', 'com']],
    ['(Nord) & "Süd"', ['nord-', 'sud-']],
    ['Bau bau BAU', ['bau']],
    ['…', []],
  ])('of %j begin at %j', (text, words) => {
    expect(wordsOf(foldText(text))).toEqual(words);
  });

  test.each([
    ['  Mül  BAU ', ['mul', 'bau']],
    ['2026-04', ['2026-04']],
    ['(nord', ['nord']],
    ['müller Mueller', ['muller']],
    ['--- &', []],
  ])('of the search %j are %j', (search, sought) => {
    expect(searchWordsOf(search)).toEqual(sought);
  });
});

test('the words of a text are bounded in number and length, before they are made', () => {
  const lengths: number[] = [];
  const cut = (word: string): string => {
    lengths.push(word.length);
    return word.slice(0, 5);
  };
  expect(wordsOf('a-b-c-d-e-f-g-h-i-j', 3, cut)).toEqual(['a-b-c', 'b-c-d', 'c-d-e']);
  expect(lengths).toHaveLength(3);
});

test('a word is found at every place where the index has one, and nowhere else', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '-', ' ', 'ä', 'e', '1'), maxLength: 12 });
  fc.assert(
    fc.property(text, text, (name, search) => {
      const words = wordsOf(foldText(name));
      const sought = searchWordsOf(search);
      const byWords = sought.every((start) => words.some((word) => word.startsWith(start)));
      expect(isFoundBy(sought, foldText(name))).toBe(byWords);
    }),
  );
});

describe('any part of a text', () => {
  const isFound = (search: string, text: string): boolean => hasParts(partsIn(search), partFormsOf(text));

  test.each([
    ['rechnung', 'Schlussrechnung Gerüstbau.pdf'],
    ['GERUEST', 'Schlussrechnung Gerüstbau.pdf'],
    ['gerust rechn', 'Schlussrechnung Gerüstbau.pdf'],
    ['rüst', 'Geruestbau'],
    ['entwurf', 'Bauentwurf.pdf'],
    ['erlaubnis', 'Umbauerlaubnis'],
    ['er', 'Feuer'],
    ['strasse', 'Hauptstraße'],
    ['uller', 'Müller'],
    ['resund', 'Øresund'],
    ['cafe', 'Eiscafé'],
    ['4-12', '2026-04-12'],
    ['.pdf', 'Plan.pdf'],
  ])('%s is in %s', (search, text) => {
    expect(isFound(search, text)).toBe(true);
  });

  test.each([
    ['rechnung', 'Rechner.pdf'],
    ['entwurf', 'Vorlage'],
    ['rechnung dach', 'Schlussrechnung Gerüstbau'],
    ['stbaupdf', 'Gerüstbau.pdf'],
  ])('%s is not in %s', (search, text) => {
    expect(isFound(search, text)).toBe(false);
  });

  test('a part of the text as it is written is found', () => {
    const text = fc.string({
      unit: fc.constantFrom(...Array.from('aeouäöüßxAE1-. ')),
      minLength: 1,
      maxLength: 15,
    });
    fc.assert(
      fc.property(text, fc.nat(14), fc.nat(14), (whole, from, length) => {
        expect(isFound(whole.slice(from, from + length), whole)).toBe(true);
      }),
    );
  });
});

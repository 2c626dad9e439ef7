import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { folded, soughtIn, wordsOf } from '../../../lib/records/search-words.ts';

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
    expect(folded(text)).toBe(form);
  });

  test('the folded form of a prefix is a prefix of the folded form', () => {
    // Prefixes consist of whole characters: an accent typed after its letter belongs to the letter.
    const text = fc.string({
      unit: fc.constantFrom(...'a e o u ä ö ü ß A E Ü - . é 1 x'.split(' '), ' '),
      maxLength: 20,
    });
    fc.assert(
      fc.property(text, fc.nat(20), (whole, length) => {
        expect(folded(whole).startsWith(folded(whole.slice(0, length)))).toBe(true);
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
    expect(wordsOf(text)).toEqual(words);
  });

  test.each([
    ['  Mül  BAU ', ['mul', 'bau']],
    ['2026-04', ['2026-04']],
    ['(nord', ['nord']],
    ['müller Mueller', ['muller']],
    ['--- &', []],
  ])('of the search %j are %j', (search, sought) => {
    expect(soughtIn(search)).toEqual(sought);
  });
});

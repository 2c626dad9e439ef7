import { expect, test } from 'vitest';
import { damagedWords } from '../../../../lib/activities/text/language/damaged-characters.ts';

test.each([
  ['NUL and two digits', 'wir pr\u0000fcfen die T\u0000fcren', ['pr\ufffdfcfen', 'T\ufffdfcren']],
  ['two digits whose NUL is lost', 'wir prfcfen Gre4ben', ['prfcfen', 'Gre4ben']],
  ['lost umlauts', 'fr Sie knnen wir prfen', ['fr', 'knnen', 'prfen']],
  ['mojibake', 'fÃ¼r 12 â‚¬ nach Â§ 4', ['fÃ¼r', 'â‚¬', 'Â§']],
  ['the replacement character', 'f\ufffdr Sie', ['f\ufffdr']],
  ['question marks', 'f?r Gr??e', ['f?r', 'Gr??e']],
  [
    'escapes',
    String.raw`pr\u00fcfen, pr%C3%BCfen, pr=FCfen, pr=C3=BCfen`,
    [String.raw`pr\u00fcfen`, 'pr%C3%BCfen', 'pr=FCfen', 'pr=C3=BCfen'],
  ],
  ['letters of other code pages', 'wir pr¼fen die T¤ren', ['pr¼fen', 'T¤ren']],
  [
    'lost umlauts at the beginning and the end',
    'die bergabe der ffnung, Strae 5',
    ['bergabe', 'ffnung', 'Strae'],
  ],
  ['entities', 'f&uuml;r S&ouml;hne &amp; Co', ['f&uuml;r', 'S&ouml;hne', '&amp;']],
])('%s', (_kind, text, found) => {
  expect(damagedWords(text, true)).toEqual(found);
});

test.each([
  'Wer kommt? Bitte bis Fr, 27.11.; siehe https://firma.example/?q=a&b=c und B&B GmbH.',
  'Der Bandfilter und die Handfeger sind da, 5 °C, 3 µm, §§ 4 und 5, „Größe“ – 12 €.',
  '5 ÷ 2, ¼ Liter, 100%CO2, x=F, gem. VOB, Straßen, C:\\users\\u007',
  'Zeile\tmit Tabulator\r\nund Umbruch, Ihr Café in Århus',
])('no damage: %s', (text) => {
  expect(damagedWords(text, true)).toEqual([]);
});

test('an English text has words without umlauts', () => {
  expect(damagedWords('Fr Brown, mre or less', false)).toEqual([]);
});

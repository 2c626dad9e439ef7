import { expect, test } from 'vitest';
import { blocks } from '../../../../lib/activities/letter/filling/letter-text.ts';

test.each<[text: string, paragraphs: readonly (readonly string[])[]]>([
  // A sign may begin a sentence anywhere, so only what is indented belongs to its item; numbers in their order go on.
  ['- eins\nEin Satz.\n- zwei', [['-\teins'], ['Ein Satz.'], ['-\tzwei']]],
  ['- eins\n  weiter\n- zwei', [['-\teins', 'weiter'], ['-\tzwei']]],
  ['1. eins\nweiter\n2. zwei', [['1.\teins', 'weiter'], ['2.\tzwei']]],
  ['1. eins\nweiter\n3. drei', [['1. eins', 'weiter', '3. drei']]],
])('the paragraphs of %j', (text, paragraphs) => {
  expect(blocks(text).map(({ lines }) => lines)).toEqual(paragraphs);
});

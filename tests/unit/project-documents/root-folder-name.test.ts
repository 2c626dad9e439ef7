import { expect, test } from 'vitest';
import { rootFolderName } from '../../../lib/project-documents/root-folder-name.ts';

test.each([
  ['Neubau Brücke', 'Neubau Brücke'],
  ['Bru\u0308cke', 'Br\u00fccke'],
  ['a"b*c:d<e>f?g/h\\i|j', 'a_b_c_d_e_f_g_h_i_j'],
  ['#1 100% ~x', '1 100_ _x'],
  ['a\u0000\u0007b', 'a_b'],
  ['a \t\u00a0\u3000 b', 'a _ b'],
  ['a  \u00a0\u3000 b', 'a b'],
  ['a___b', 'a_b'],
  ['  ._ a . _', 'a'],
  ['', 'Projekt'],
  ['...', 'Projekt'],
  ['###', 'Projekt'],
  ['\ud800x', 'x'],
  ['x'.repeat(100), 'x'.repeat(80)],
  [`${'x'.repeat(79)} yz`, 'x'.repeat(79)],
  [`${'x'.repeat(79)}😀`, 'x'.repeat(79)],
  [`${'x'.repeat(79)}e\u0301\u0323`, 'x'.repeat(79)],
  ['😀'.repeat(41), '😀'.repeat(40)],
])('%j becomes %j', (name, sanitized) => {
  expect(rootFolderName({ number: '4711', name })).toBe(`4711_${sanitized}`);
});

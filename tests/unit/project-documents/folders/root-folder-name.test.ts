import { expect, test } from 'vitest';
import { checkName } from '../../../../local/stand-ins/drive/state/names.ts';
import { rootFolderName } from '../../../../lib/project-documents/folders/root-folder-name.ts';

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

test.each([
  ['4711', 'vti_x', '4711_vti-x'],
  ['4711', 'a_vti_b_VTI_c', '4711_a_vti-b_VTI-c'],
  ['_vti', 'Neubau', '_vti-Neubau'],
  ['a_vti_vti', 'x', 'a_vti-vti_x'],
  ['CON.1', 'x', 'CON_1_x'],
  ['com1.2.3', 'x', 'com1_2.3_x'],
  ['CONRAD.1', 'x', 'CONRAD.1_x'],
  ['4711', 'CON', '4711_CON'],
])('project %s %j does not get a reserved name: %j', (number, name, expected) => {
  expect(rootFolderName({ number, name })).toBe(expected);
  expect(() => checkName(expected, 'folder')).not.toThrow();
});

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseTargetPath } from '../../../lib/contract/target-path.ts';

const unc = String.raw`\\fs1\Projekte\4711 Müller`;

test.each([
  ['"copy as path" of the Explorer', `"${unc}"`],
  ['the direction mark of "Properties"', `\u202a${unc}`],
  ['direction marks around quotes', `\u202a"${unc}"\u202c`],
  ['a space and a line break of a mail', ` ${unc} \r\n`],
  ['a no-break space', `${unc}\u00a0`],
  ['a byte order mark', `\ufeff${unc}`],
  ['a space within quotes', `" ${unc} "`],
  ['the file: URL of Chromium', 'file://fs1/Projekte/4711%20M%C3%BCller'],
  ['the file: URL of Firefox', 'file://///fs1/Projekte/4711%20M%C3%BCller'],
  ['a file: URL that is not encoded', `FILE:${unc}`],
  ['a quoted file: URL', '"file://fs1/Projekte/4711%20M%C3%BCller"'],
])('%s is the path that was meant', (_what, pasted) => {
  const parsed = parseTargetPath(pasted);
  expect('path' in parsed ? parsed.path.text : parsed).toBe(unc);
});

test.each([
  ['a quote at one end', `"${unc}`, 'path_characters'],
  ['two quoted paths', `"${unc}" "${unc}"`, 'path_characters'],
  ['a drive in a URL', 'file:///C:/Projekte/4711', 'path_drive'],
  ['a URL that cannot be decoded', 'file://fs1/Projekte/100%', 'path_characters'],
  ['a space inside', String.raw`\\fs1\Projekte\4711 \Pläne`, 'path_space_at_end'],
  ['a direction mark inside', '\\\\fs1\\Projekte\\4711\u202ex', 'path_invisible_characters'],
  ['nothing but quotes', '""', 'empty'],
  ['nothing but a mark', '\u202a', 'empty'],
])('%s is a fault of its own', (_what, pasted, code) => {
  const parsed = parseTargetPath(pasted);
  expect('faults' in parsed ? parsed.faults.map((fault) => fault.code) : parsed).toContain(code);
});

test('what is stored is clean: parsed again, it is the same path', () => {
  const piece = fc.constantFrom('"', '\\', '/', ' ', 'a', '%', 'ü', ':', '\u202a', '\n', 'file:', '%20');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const parsed = parseTargetPath(pieces.join(''));
      if ('path' in parsed) expect(parseTargetPath(parsed.path.text)).toEqual(parsed);
    }),
  );
});

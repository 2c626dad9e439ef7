import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { letterName } from '../../../../lib/activities/letter/filling/letter-name.ts';
import { fileNameFault } from '../../../../lib/document-library/file-name.ts';

const date = '2026-11-20';

test.each([
  ['Bau & Söhne GmbH', 'Angebot', '2026-11-20_Bau & Söhne GmbH_Angebot.docx'],
  ['A/B "C" <D>', 'x:y|z?*\\', '2026-11-20_A-B -C- -D_x-y-z.docx'],
  ['', 'Angebot', '2026-11-20_Angebot.docx'],
  ['~$Müller.', '  Zeile 1\r\nZeile 2. ', '2026-11-20_$Müller_Zeile 1--Zeile 2.docx'],
  ['Mu\u0308ller', '_vti_x', '2026-11-20_Müller__vti_x.docx'.replace('_vti_', '-vti-')],
  ['', '...', '2026-11-20.docx'],
  ['x'.repeat(130), 'Angebot', `2026-11-20_${'x'.repeat(40)}_Angebot.docx`],
])('%j and %j become %j', (recipient, subject, name) => {
  expect(letterName({ date, recipient, subject })).toBe(name);
});

test.each([
  'x'.repeat(500),
  '😀'.repeat(300),
  `${'a'.repeat(108)}. .docx`,
  '\0\u0007\ud800',
  '%20#?&',
  'CON',
  '.lock',
])('the library accepts the name for the subject %j', (subject) => {
  expectAccepted(letterName({ date, recipient: subject, subject }));
});

test('the library accepts the name for any recipient and any subject', () => {
  const text = fc.oneof(
    // Any code point. fast-check's own unit 'binary' takes 1 s of processor time to create.
    fc.string({ unit: fc.nat({ max: 0x10ffff }).map((code) => String.fromCodePoint(code)), maxLength: 300 }),
    fc.string({
      unit: fc.constantFrom(...Array.from('.-~_ $\0\t:/\\|"<>*?#%vti\u0308\ud800')),
      maxLength: 300,
    }),
  );
  fc.assert(
    fc.property(text, text, (recipient, subject) => expectAccepted(letterName({ date, recipient, subject }))),
    { numRuns: 2000 },
  );
});

function expectAccepted(name: string): void {
  expect(fileNameFault(name)).toBeNull();
  expect(name.length).toBeLessThanOrEqual(250);
  expect(name.isWellFormed()).toBe(true);
  expect(name).toMatch(/^2026-11-2.*[^\s.-]\.docx$/u);
}

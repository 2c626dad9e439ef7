import { beforeAll, expect, test } from 'vitest';
import type { LetterValues } from '../../../lib/activities/letter/filling/placeholders.ts';
import { fillTemplate, prepareTemplate } from '../../../lib/activities/letter/word-template.ts';
import { sampleLetters } from '../../../tools/letter-template/sample-letters.ts';
import { letterMoment } from '../../support/letter-moment.ts';
import { officeTemplates } from '../../support/office-templates.ts';
import { firstPage, type PageWord, pdfWords, savedAs } from '../../support/word-processor.ts';
import { requires } from '../../../agent/smb/tests/support/requires.ts';

// Templates laid out in other ways than the shipped one, with the longest name of a company that is realistic: nothing is
// cut off, nothing lies over something else.

const timeoutMs = 240_000;
const names = Object.keys(officeTemplates) as (keyof typeof officeTemplates)[];
const longest: LetterValues = {
  ...sampleLetters.full,
  company:
    'Ingenieurgemeinschaft für Hoch- und Tiefbau, Sanierung und Denkmalpflege Schleswig-Holstein und Mecklenburg-Vorpommern mbB, Niederlassung Kiel',
};
const short = { ...sampleLetters.minimal, subject: 'Kurze Anfrage' };

// In the PDF, a word that is broken across lines is in pieces.
const unbroken = (text: string): string => text.replace(/\s/g, '');
const textOf = (words: readonly PageWord[]): string => unbroken(words.map(({ text }) => text).join(''));

type Page = Awaited<ReturnType<typeof firstPage>>;
function hasInkBelowItsMiddle(
  { width, height, dots }: Page,
  { left, right, top, bottom }: PageWord,
): boolean {
  const dotsPerMm = height / 297;
  const dotAt = (millimeters: number): number => Math.round(millimeters * dotsPerMm);
  for (let y = dotAt((top + bottom) / 2); y < dotAt(bottom); y++) {
    if (dots.subarray(y * width + dotAt(left), y * width + dotAt(right)).some((dot) => dot < 200)) {
      return true;
    }
  }
  return false;
}

requires('LibreOffice', 'DejaVu fonts').describe(`the letters of five other templates`, () => {
  const letters: Record<string, PageWord[]> = {};
  let pdfs: Record<string, Buffer> = {};
  const words = (name: string): PageWord[] => letters[name] ?? [];

  beforeAll(async () => {
    const files = names.flatMap((name) => {
      const template = prepareTemplate(officeTemplates[name], ['content']);
      return [
        [`${name}-longest`, fillTemplate(template, longest, letterMoment)],
        [`${name}-short`, fillTemplate(template, short, letterMoment)],
      ] as const;
    });
    pdfs = await savedAs(Object.fromEntries(files), 'pdf');
    for (const [name, pdf] of Object.entries(pdfs)) {
      letters[name] = await pdfWords(pdf);
    }
  }, timeoutMs);

  test.each(names)('%s: the longest address is complete and above the subject', async (name) => {
    const onFirstPage = words(`${name}-longest`).filter(({ page }) => page === 1);
    const subject = onFirstPage.find(({ text }) => text === 'Neubau');
    // Only here, nothing stands beside the address.
    const right = name === 'footerColumns' ? 210 : 105;
    const address = onFirstPage.filter(({ left, top }) => left < right && top < (subject?.top ?? 0));
    for (const value of [
      longest.company,
      longest.lastName,
      longest.street,
      `${longest.zip}${longest.city}`,
    ]) {
      expect(textOf(address)).toContain(unbroken(value));
    }
    const bottom = Math.max(...address.map((word) => word.bottom));
    // Text that is cut off is still in the PDF, but has no ink.
    const page = await firstPage(pdfs[`${name}-longest`] ?? Buffer.alloc(0));
    // The line of the sender is too small for 50 dots per inch.
    const large = address.filter(({ top, bottom }) => bottom - top > 4);
    expect(large.filter((word) => !hasInkBelowItsMiddle(page, word)).map(({ text }) => text)).toEqual([]);
    // The boxes of glyphs in neighboring lines overlap a little.
    expect(bottom).toBeLessThan((subject?.top ?? 0) + 1);
  });

  test.each(names)(
    '%s: the text is complete, on pages without a placeholder, and inside the margins',
    (name) => {
      const all = words(`${name}-longest`);
      expect(textOf(all)).toContain(unbroken('Für Rückfragen stehen wir Ihnen gern zur Verfügung.'));
      expect(textOf(all)).toContain('JörgSchäfer');
      expect(textOf(all)).toContain('23.November2026');
      expect(textOf(all)).not.toContain('{{');
      expect(Math.max(...all.map(({ page }) => page))).toBe(2);
      for (const { left, right } of all) {
        expect([left >= 24.5, right <= 190.5]).toEqual([true, true]);
      }
    },
  );

  test.each(names)(
    '%s: a short letter has one page, and its subject is not higher than that of a long one',
    (name) => {
      const letter = words(`${name}-short`);
      expect(Math.max(...letter.map(({ page }) => page))).toBe(1);
      const subject = letter.find(({ text }) => text === 'Kurze');
      const ofLong = words(`${name}-longest`).find(({ text }) => text === 'Neubau');
      expect(subject?.top).toBeLessThanOrEqual((ofLong?.top ?? 0) + 0.1);
      // Address fields of a fixed place keep the text where it is.
      if (name !== 'footerColumns') {
        expect(subject?.top).toBeGreaterThan((ofLong?.top ?? 0) - 12);
      }
    },
  );

  test('footerColumns: each page has its own header, and the footer in columns', () => {
    const letter = words('footerColumns-longest');
    const headers = [1, 2].map((page) =>
      textOf(letter.filter((word) => word.page === page && word.top < 25)),
    );
    expect(headers[0]).toBe('MusterBauGmbH');
    expect(headers[1]).toContain('Seite2');
    for (const page of [1, 2]) {
      const footer = letter.filter((word) => word.page === page && word.top > 262);
      expect(textOf(footer)).toContain('FördeSparkasse');
      expect(new Set(footer.map(({ top }) => top.toFixed(1))).size).toBe(2);
    }
  });
});

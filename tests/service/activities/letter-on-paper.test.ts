import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { placeholders, type LetterValues } from '../../../lib/activities/letter/placeholders.ts';
import { fillTemplate, prepareTemplate } from '../../../lib/activities/letter/word-template.ts';
import { letterMoment } from '../../support/letter-moment.ts';
import { paragraphsOf, partOf, wordFile } from '../../support/word-file.ts';
import {
  type Area,
  firstPage,
  missingWordProcessor,
  pdfPages,
  savedAs,
} from '../../support/word-processor.ts';

// Starting LibreOffice takes three seconds on a quiet machine and much longer on a busy one.
const timeoutMs = 240_000;
const missing = await missingWordProcessor();
const letterTemplate = await readFile(
  join(import.meta.dirname, '../../../local/letter-template/Briefvorlage.docx'),
);

const values: LetterValues = {
  company: 'Bau & Söhne GmbH <Nord>',
  title: 'Frau Dr.',
  firstName: 'Anna',
  lastName: 'Weber',
  street: 'Hauptstraße',
  houseNumber: '12a',
  zip: '24103',
  city: 'Kiel',
  subject: 'Abnahme der Dachsanierung {{company}}',
  content: [
    'Sehr geehrte Frau Dr. Weber,',
    'die Abnahme der Dachsanierung verschiebt sich. Bitte prüfen Sie, ob Ihnen der neue Termin passt, und geben Sie uns eine kurze Rückmeldung.',
    'Wir bringen mit:\nPrüfprotokoll\nSchlüssel',
    'Mit freundlichen Grüßen',
  ].join('\n\n'),
  userFirstName: 'Jörg',
  userLastName: 'Schäfer',
  userEmail: 'j.schaefer@firma.example',
  userPhone: '+49 431 123456',
  userFax: '',
  userCompany: 'Schäfer & Partner',
  userStreet: 'Am Kai 5',
  userPostalCode: '24105',
  userCity: 'Kiel',
};

describe.skipIf(missing !== null)(
  `a letter as LibreOffice lays it out${missing === null ? '' : ` (skipped: ${missing})`}`,
  () => {
    test('has one page with every value in its place', { timeout: timeoutMs }, async () => {
      const pdf = await savedAs(fillTemplate(prepareTemplate(letterTemplate), values, letterMoment), 'pdf');
      expect(await pdfPages(pdf)).toHaveLength(1);

      const textIn = async (area: Area): Promise<string | undefined> => (await pdfPages(pdf, area))[0];
      // DIN 5008, form B: letterhead 45 mm high, then the address field with the information block beside it.
      expect(await textIn({ left: 0, top: 0, width: 210, height: 45 })).toBe('Schäfer & Partner');
      expect(await textIn({ left: 20, top: 45, width: 85, height: 45 })).toBe(
        'Schäfer & Partner · Am Kai 5 · 24105 Kiel ' +
          'Bau & Söhne GmbH <Nord> Frau Dr. Anna Weber Hauptstraße 12a 24103 Kiel',
      );
      expect(await textIn({ left: 120, top: 45, width: 90, height: 45 })).toMatch(
        /^Ihr Kontakt Jörg Schäfer Telefon \+49 431 123456 E-Mail j\.schaefer@firma\.example Datum 23\.11\.2026$/,
      );
      expect(await textIn({ left: 0, top: 90, width: 210, height: 180 })).toBe(
        `${values.subject} ${values.content.replace(/\s+/g, ' ')} Jörg Schäfer Schäfer & Partner`,
      );
      expect(await textIn({ left: 0, top: 270, width: 210, height: 27 })).toBe(
        'Schäfer & Partner · Am Kai 5 · 24105 Kiel Telefon +49 431 123456 · j.schaefer@firma.example',
      );

      const { width, height, dots } = await firstPage(pdf);
      expect([Math.round(width / 10), Math.round(height / 10)]).toEqual([41, 59]);
      const ink = (fromTop: number, toTop: number): number =>
        dots
          .subarray(Math.round(height * fromTop) * width, Math.round(height * toTop) * width)
          .filter((dot) => dot < 200).length;
      // Letterhead, address and text carry ink; between text and footer the page of a short letter is white.
      expect(ink(0.03, 0.1)).toBeGreaterThan(100);
      expect(ink(0.16, 0.25)).toBeGreaterThan(200);
      expect(ink(0.3, 0.55)).toBeGreaterThan(400);
      expect(ink(0.7, 0.9)).toBe(0);
      expect(ink(0.92, 1)).toBeGreaterThan(50);
    });

    test('opens without repair: saved again it still has its text', { timeout: timeoutMs }, async () => {
      const hostile = Object.fromEntries(
        placeholders.map((name) => [name, `<${name}> & "x" ]]> {{#a}} 😀\u0007`]),
      ) as LetterValues;
      const letter = fillTemplate(
        prepareTemplate(letterTemplate),
        {
          ...hostile,
          content: `a\tb\nc\n\n${'ü'.repeat(20_000)}`,
        },
        letterMoment,
      );
      const again = await savedAs(letter, 'docx:MS Word 2007 XML');
      const text = paragraphsOf(again);
      expect(text).toContain('<company> & "x" ]]> {{#a}} 😀');
      expect(text).toContain('a\tb\nc');
      expect(text).toContain('ü'.repeat(20_000));
    });

    test(
      'may come from a template that a word processor has saved with its placeholders in pieces',
      { timeout: timeoutMs },
      async () => {
        const run = (text: string, format = ''): string =>
          `<w:r><w:rPr>${format}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
        const pieces = ['{', '{', 'com', 'pany', '}', '}'].map((piece, index) =>
          run(piece, index % 2 === 0 ? '<w:b/>' : '<w:i/>'),
        );
        const drawn = wordFile(
          `<w:p>${run('An ')}${pieces.join('')}</w:p><w:p>${run('{{con', '<w:b/>')}${run('tent}}')}</w:p>`,
        );
        const template = await savedAs(drawn, 'docx:MS Word 2007 XML');
        expect(partOf(template, 'word/document.xml')).not.toContain('{{company}}');
        const text = paragraphsOf(fillTemplate(prepareTemplate(template), values, letterMoment));
        expect(text).toEqual(
          expect.arrayContaining([`An ${values.company}`, ...values.content.split('\n\n')]),
        );
      },
    );

    test('of 200 pages is read back with its last page', { timeout: timeoutMs }, async () => {
      const paragraph = (text: string): string => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
      const page = `${paragraph('Vertragsbedingungen '.repeat(15)).repeat(8)}<w:p><w:r><w:br w:type="page"/></w:r></w:p>`;
      const long = wordFile(
        `${page.repeat(199)}${paragraph('{{content}}')}${paragraph('Ende für {{company}}')}`,
      );
      const pages = await pdfPages(
        await savedAs(fillTemplate(prepareTemplate(long), values, letterMoment), 'pdf'),
      );
      expect(pages).toHaveLength(200);
      expect(pages[199]).toContain('Ende für Bau & Söhne GmbH <Nord>');
      expect(pages[199]).toContain('Prüfprotokoll');
    });
  },
);

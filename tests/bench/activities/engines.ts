import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import Docxtemplater from 'docxtemplater';
import { TemplateHandler } from 'easy-template-x';
import PizZip from 'pizzip';
import type { LetterValues } from '../../../lib/activities/letter/placeholders.ts';
import { letterMoment } from '../../support/letter-moment.ts';
import { fillTemplate, prepareTemplate } from '../../../lib/activities/letter/word-template.ts';
import { wordFile } from '../../support/word-file.ts';

const values: LetterValues = {
  company: 'Bau & Söhne GmbH',
  title: 'Frau Dr.',
  firstName: 'Anna',
  lastName: 'Weber',
  street: 'Hauptstraße',
  houseNumber: '12a',
  zip: '24103',
  city: 'Kiel',
  subject: 'Abnahme der Dachsanierung',
  content: `Sehr geehrte Frau Dr. Weber,\n\n${'die Abnahme der Dachsanierung verschiebt sich um eine Woche.\n\n'.repeat(6)}Mit freundlichen Grüßen`,
  userFirstName: 'Jörg',
  userLastName: 'Schäfer',
  userEmail: 'j.schaefer@firma.example',
  userPhone: '+49 431 123456',
  userFax: '+49 431 123457',
  userCompany: 'Schäfer & Partner',
  userStreet: 'Am Kai 5',
  userPostalCode: '24105',
  userCity: 'Kiel',
};

const paragraph = (text: string): string =>
  `<w:p><w:pPr><w:spacing w:after="120"/><w:jc w:val="both"/></w:pPr><w:r><w:rPr><w:sz w:val="22"/></w:rPr><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;

/** The local stack's letter, and a letter with 200 pages of terms that has placeholders in every fortieth paragraph. */
export const templates = {
  '1 page': () => readFile(join(import.meta.dirname, '../../../local/letter-template/Briefvorlage.docx')),
  '200 pages': async () => {
    const terms = Array.from({ length: 7200 }, (_, index) =>
      paragraph(
        `${index % 40 === 0 ? '{{company}}, {{city}}, vertreten durch {{userLastName}}: ' : ''}§ ${index} ${'Es gelten die Bedingungen. '.repeat(4)}`,
      ),
    );
    const header = paragraph('{{userCompany}} {{userPhone}}');
    return wordFile(`${paragraph('{{subject}}')}${paragraph('{{content}}')}${terms.join('')}`, {
      'word/header1.xml': header,
    });
  },
};
export type TemplateName = keyof typeof templates;

/** Each engine receives the template once and returns the function that creates a letter. */
export const engines = {
  docxtemplater: async (file: Buffer) => async () => {
    const document = new Docxtemplater(new PizZip(file), {
      delimiters: { start: '{{', end: '}}' },
      linebreaks: true,
    });
    document.render(values);
    return document.toBuffer();
  },
  'easy-template-x': async (file: Buffer) => {
    const handler = new TemplateHandler({ delimiters: { tagStart: '{{', tagEnd: '}}' } });
    return () => handler.process(file, values);
  },
  'this service': async (file: Buffer) => {
    const template = prepareTemplate(file);
    return async () => fillTemplate(template, values, letterMoment);
  },
};
export type EngineName = keyof typeof engines;

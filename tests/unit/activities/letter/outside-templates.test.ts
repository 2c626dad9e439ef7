import { describe, expect, test } from 'vitest';
import { structureErrors } from '../../../../lib/activities/letter/template/structure-errors.ts';
import { TemplateParts } from '../../../../lib/activities/letter/word/template-parts.ts';
import { InvalidTemplateError } from '../../../../lib/activities/letter/word/template-rejection.ts';
import { templateZip } from '../../../../lib/activities/letter/word/template-zip.ts';
import { fillTemplate, prepareTemplate } from '../../../../lib/activities/letter/word-template.ts';
import { letterMoment } from '../../../support/letter-moment.ts';
import { outsideTemplates, outsideValues } from '../../../support/outside-templates.ts';
import { paragraphsOf, partOf, wordFile } from '../../../support/word-file.ts';

const run = (text: string, format = ''): string => `<w:r>${format}<w:t>${text}</w:t></w:r>`;
const p = (...inside: string[]): string => `<w:p>${inside.join('')}</w:p>`;

test.each(outsideTemplates.map((each) => [each.name, each] as const))(
  'a template with %s',
  (_name, { file, lines, format }) => {
    const letter = fillTemplate(prepareTemplate(file), outsideValues, letterMoment);
    // The text of a box is a paragraph in a paragraph, which this reader takes apart.
    const shown = paragraphsOf(letter).filter((each) => each !== '' || lines.includes(''));
    expect(shown.join('\n').replace(/\n(?=Kasten)/, '')).toBe(lines.join('\n'));
    const xml = partOf(letter, 'word/document.xml');
    for (const each of format === undefined ? [] : lines.slice(0, -1)) {
      const words = each.trim().replace(/Kasten$|^.*\t/, '');
      expect(xml).toMatch(new RegExp(`<w:r>${format}(?:(?!</w:r>).)*${words}`));
    }
    expect(structureErrors(new TemplateParts(templateZip(letter)))).toEqual([]);
  },
);

test('a row of a label and its value goes with them, unless it is the only one', () => {
  const row = (label: string, value: string): string =>
    `<w:tr><w:tc>${p(run(label))}</w:tc><w:tc>${p(run(value))}</w:tc></w:tr>`;
  const rowsOf = (...rows: string[]): number => {
    const file = prepareTemplate(wordFile(`<w:tbl>${rows.join('')}</w:tbl>${p()}`));
    const xml = partOf(fillTemplate(file, outsideValues, letterMoment), 'word/document.xml');
    return xml.match(/<w:tr>/g)?.length ?? 0;
  };
  expect(rowsOf(row('Telefax', '{{userFax}}'), row('E-Mail', '{{userEmail}}'))).toBe(1);
  expect(rowsOf(row('Telefax', '{{userFax}}'))).toBe(1);
});

describe('the structure of a file has an error', () => {
  const errors = (body: string): string[] => structureErrors(new TemplateParts(templateZip(wordFile(body))));

  test.each([
    ['a paragraph in a run', p(`<w:r>${p()}</w:r>`), /a paragraph is in w:r/],
    ['a run in a run', p(`<w:r>${run('x')}</w:r>`), /a run is in w:r/],
    ['text outside a run', p('<w:t>x</w:t>'), /text is in w:p, outside a run/],
    ['properties behind a run', p(run('x'), '<w:pPr/>'), /w:pPr is not the first element of w:p/],
    [
      'properties in another order',
      p('<w:pPr><w:jc w:val="left"/><w:keepNext/></w:pPr>'),
      /w:keepNext .* wrong order/,
    ],
    ['a property twice', p('<w:pPr><w:keepNext/><w:keepNext/></w:pPr>'), /w:keepNext .* twice/],
    [
      'a cell without a paragraph',
      `<w:tbl><w:tr><w:tc/></w:tr></w:tbl>${p()}`,
      /a cell does not end with a paragraph/,
    ],
    ['a row without a cell', `<w:tbl><w:tr/></w:tbl>${p()}`, /a row has no cell/],
    ['a table without a row', `<w:tbl/>${p()}`, /a table has no row/],
    [
      'two changes with one id',
      p('<w:ins w:id="1"/><w:del w:id="1"/>'),
      /two elements have the id of a change 1/,
    ],
    [
      'two bookmarks with one id',
      p('<w:bookmarkStart w:id="1"/><w:bookmarkStart w:id="1"/>'),
      /id of w:bookmarkStart 1/,
    ],
    [
      'two paragraphs with one id',
      '<w:p w14:paraId="A"/><w:p w14:paraId="A"/>',
      /two elements have the paragraph id A/,
    ],
    [
      'a relationship that is missing',
      p('<w:hyperlink r:id="r9"/>'),
      /w:hyperlink has r:id r9, which has no relationship/,
    ],
  ])('with %s', (_what, body, message) => {
    expect(errors(body)).toEqual([expect.stringMatching(message)]);
  });

  test('and none for a change and a bookmark with one id', () => {
    expect(errors(p('<w:ins w:id="1"/><w:bookmarkStart w:id="1"/>'))).toEqual([]);
  });
});

describe('a template is rejected', () => {
  const faults = (body: string): string[] => {
    try {
      prepareTemplate(wordFile(body));
    } catch (error) {
      if (error instanceof InvalidTemplateError) return error.faults.map(({ message }) => message);
      throw error;
    }
    return [];
  };

  test('if its letters have an error that it does not have itself', () => {
    const numbered = '<w:pPr><w:numPr><w:numberingChange w:id="5" w:author="T"/></w:numPr></w:pPr>';
    expect(faults(p(numbered, run('{{content}}')))).toEqual([
      expect.stringMatching(/^A letter made from this template would have an error .* id of a change 5$/),
    ]);
    // The error is its author's, and letters are no worse.
    expect(faults(p(numbered, run('{{company}}')) + p(numbered))).toEqual([]);
  });

  test('if a part is not well-formed', () => {
    expect(faults(p('<w:r>'))).toEqual([
      'The part word/document.xml is not well-formed XML; open the template in Word and save it.',
    ]);
  });

  test('with the paragraph of a brace that has no partner', () => {
    const found = faults(p(run('in Ordnung')) + p(run('Tel. '), run('userPhone}} ab 8 Uhr')));
    expect(found).toEqual([
      'There is a }} without a {{ before it. It is in the paragraph "Tel. userPhone}} ab 8 Uhr".',
    ]);
  });

  test('with what a name means that has an invisible character or another bracket', () => {
    expect(faults(p(run('{{com\u200bpany}}')))[0]).toMatch(
      /invisible characters inside; did you mean \{\{company\}\}\?$/,
    );
    expect(faults(p(run('{{{company}}}')))[0]).toBe('{{{company}}} has three braces: write {{company}}.');
  });
});

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type LetterValues, placeholders } from '../../../../lib/activities/letter/placeholders.ts';
import type { TextFormat } from '../../../../lib/activities/letter/text-format.ts';
import { fittingPt, smallestPt } from '../../../../lib/activities/letter/type-size.ts';
import { fillTemplate, prepareTemplate } from '../../../../lib/activities/letter/word-template.ts';
import { letterMoment } from '../../../support/letter-moment.ts';
import { paragraphsOf, partOf, wordFile } from '../../../support/word-file.ts';

const empty = Object.fromEntries(placeholders.map((name) => [name, ''])) as LetterValues;
const run = (text: string, format = ''): string =>
  `<w:r>${format}<w:t xml:space="preserve">${text}</w:t></w:r>`;
const p = (inside: string, properties = ''): string => `<w:p>${properties}${inside}</w:p>`;

interface Cell {
  readonly inside: string;
  readonly properties?: string;
}
// 80 mm wide and 40 mm high, without left and right margins, as Word writes it.
const table = (
  cells: readonly Cell[],
  height = '<w:trHeight w:hRule="exact" w:val="2268"/>',
  width = '<w:tcW w:w="4536" w:type="dxa"/>',
): string =>
  `<w:tbl><w:tblPr><w:tblCellMar><w:left w:w="0" w:type="dxa"/><w:right w:w="0" w:type="dxa"/></w:tblCellMar></w:tblPr><w:tr w:rsidR="00A1"><w:trPr>${height}</w:trPr>${cells
    .map(({ inside, properties = '' }) => `<w:tc><w:tcPr>${width}${properties}</w:tcPr>${inside}</w:tc>`)
    .join('')}</w:tr></w:tbl>${p(run('Ende'))}`;
const styles = (inside: string): Record<string, string> => ({
  'word/styles.xml': `<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:docDefaults><w:rPrDefault><w:rPr><w:sz w:val="24"/></w:rPr></w:rPrDefault></w:docDefaults>${inside}</w:styles>`,
});
const filled = (body: string, values: Partial<LetterValues>, parts = styles('')): Buffer =>
  fillTemplate(prepareTemplate(wordFile(body, parts)), { ...empty, ...values }, letterMoment);
const sizesOf = (file: Buffer): number[] =>
  [...partOf(file, 'word/document.xml').matchAll(/<w:sz w:val="(\d+)"\/>/g)].map(
    ([, halfPoints]) => Number(halfPoints) / 2,
  );

const long = 'Gesellschaft für Hochbau und Sanierung '.repeat(8).trim();
const address = p(run('{{company}}')) + p(run('{{street}}')) + p(run('{{city}}'));

describe('a table cell in a row of exact height', () => {
  test('keeps its type size when the text fits, and gets a smaller one when it does not', () => {
    expect(sizesOf(filled(table([{ inside: address }]), { company: 'Bau GmbH', city: 'Kiel' }))).toEqual([]);
    const sizes = sizesOf(
      filled(table([{ inside: address }]), { company: long, street: 'Am Kai 5', city: 'Kiel' }),
    );
    expect(sizes).toHaveLength(3);
    expect(new Set(sizes)).toEqual(new Set([9]));
  });

  test('may grow in the letter, so no font hides a line', () => {
    const xml = partOf(filled(table([{ inside: address }]), { company: 'Bau' }), 'word/document.xml');
    expect(xml).toContain('<w:trHeight w:hRule="atLeast" w:val="2268"/>');
  });

  test.each([
    ['no properties', '', '<w:r><w:rPr><w:sz w:val="20"/></w:rPr><w:t'],
    ['empty ones', '<w:rPr/>', '<w:r><w:rPr><w:sz w:val="20"/></w:rPr><w:t'],
    ['a size', '<w:rPr><w:b/><w:sz w:val="24"/></w:rPr>', '<w:rPr><w:b/><w:sz w:val="'],
    [
      'others around the size',
      '<w:rPr><w:i/><w:u w:val="single"/></w:rPr>',
      '<w:rPr><w:i/><w:sz w:val="20"/><w:u w:val="single"/></w:rPr>',
    ],
    ['others before it', '<w:rPr><w:i/></w:rPr>', '<w:rPr><w:i/><w:sz w:val="20"/></w:rPr>'],
  ])('writes the size where the schema requires it, in a run with %s', (_what, properties, written) => {
    const inside = p(run('{{company}}', properties)) + p(run('{{city}}'));
    const letter = filled(table([{ inside }]), { company: long, city: 'Kiel' });
    expect(partOf(letter, 'word/document.xml')).toContain(written);
    expect(paragraphsOf(letter)).toEqual([long, 'Kiel', 'Ende']);
  });

  test('reads sizes and spacing from the styles', () => {
    const style = (inside: string): Record<string, string> =>
      styles(
        `<w:style w:type="paragraph" w:default="1" w:styleId="N"><w:name w:val="Normal"/></w:style><w:style w:type="paragraph" w:styleId="A"><w:basedOn w:val="B"/></w:style><w:style w:type="paragraph" w:styleId="B"><w:basedOn w:val="N"/>${inside}</w:style>`,
      );
    const inside = p(run('{{company}}'), '<w:pPr><w:pStyle w:val="A"/></w:pPr>') + p(run('{{city}}'));
    const size = (style_: string): number =>
      sizesOf(filled(table([{ inside }]), { company: long }, style(style_)))[0] ?? 0;
    const plain = size('<w:rPr><w:sz w:val="22"/></w:rPr>');
    expect(plain).toBeGreaterThan(8);
    expect(
      size('<w:pPr><w:spacing w:line="480" w:lineRule="auto"/></w:pPr><w:rPr><w:sz w:val="22"/></w:rPr>'),
    ).toBeLessThan(plain);
    expect(size('<w:pPr><w:spacing w:after="600"/></w:pPr><w:rPr><w:sz w:val="22"/></w:rPr>')).toBeLessThan(
      plain,
    );
  });

  test('reads the default style for paragraphs that name none', () => {
    const normal = (inside: string): Record<string, string> =>
      styles(`<w:style w:type="paragraph" w:default="1" w:styleId="N">${inside}</w:style>`);
    const inside = p(run('{{company}}')) + p(run('{{city}}'));
    const size = (style: string): number =>
      sizesOf(filled(table([{ inside }]), { company: long }, normal(style)))[0] ?? 0;
    expect(size('<w:pPr><w:spacing w:after="600"/></w:pPr>')).toBeLessThan(size(''));
  });

  test('reads the style of a paragraph before the default one, and ends at a cycle of styles', () => {
    const circular = styles(
      '<w:style w:type="paragraph" w:default="1" w:styleId="N"><w:rPr><w:sz w:val="64"/></w:rPr></w:style><w:style w:type="paragraph" w:styleId="A"><w:basedOn w:val="B"/></w:style><w:style w:type="paragraph" w:styleId="B"><w:basedOn w:val="A"/><w:rPr><w:sz w:val="12"/></w:rPr></w:style>',
    );
    const inside = p(run('{{company}}'), '<w:pPr><w:pStyle w:val="A"/></w:pPr>');
    expect(sizesOf(filled(table([{ inside }]), { company: long.repeat(3) }, circular))).toEqual([]);
  });

  test('keeps the earlier format of a run in its tracked change', () => {
    const change =
      '<w:rPrChange w:id="1"><w:rPr><w:sz w:val="40"/><w:u w:val="single"/></w:rPr></w:rPrChange>';
    const letter = filled(table([{ inside: p(run('{{company}}', `<w:rPr><w:b/>${change}</w:rPr>`)) }]), {
      company: long.repeat(2),
    });
    expect(partOf(letter, 'word/document.xml')).toMatch(
      new RegExp(`<w:rPr><w:b/><w:sz w:val="\\d+"/>${change}</w:rPr>`),
    );
  });

  test('keeps type that is small enough', () => {
    const inside =
      p(run('{{company}}', '<w:rPr><w:sz w:val="32"/></w:rPr>')) +
      p(run('{{city}}', '<w:rPr><w:sz w:val="16"/></w:rPr>'));
    const [large = 0, small = 0] = sizesOf(filled(table([{ inside }]), { company: long, city: 'Kiel' }));
    expect(large).toBeGreaterThan(8);
    expect(large).toBeLessThan(16);
    expect(small).toBe(8);
  });

  test.each<[string, string]>([
    ['the text of the letter', table([{ inside: p(run('{{content}}')) + address }])],
    ['a row that grows', table([{ inside: address }], '<w:trHeight w:val="2268" w:hRule="atLeast"/>')],
    ['a row without height', table([{ inside: address }], '')],
    ['an exact row of no height', table([{ inside: address }], '<w:trHeight w:hRule="exact"/>')],
    ['a cell without width', table([{ inside: address }], undefined, '<w:tcW w:w="0" w:type="auto"/>')],
    ['a merged cell', table([{ inside: address, properties: '<w:vMerge w:val="restart"/>' }])],
    ['text beside the table', `${table([{ inside: p(run('x')) }])}${address}`],
  ])('does not change %s', (_what, body) => {
    expect(sizesOf(filled(body, { company: long.repeat(3), content: long.repeat(5) }))).toEqual([]);
  });

  test('is independent of other cells, and so is one in a nested table', () => {
    const nested = `<w:tbl><w:tblPr/><w:tr><w:trPr><w:trHeight w:val="300" w:hRule="exact"/></w:trPr><w:tc><w:tcPr><w:tcW w:w="2000" w:type="dxa"/></w:tcPr>${p(run('{{city}}'))}</w:tc></w:tr></w:tbl>${p('')}`;
    const body = table([{ inside: address }, { inside: p(run('{{title}}')) }, { inside: nested }]);
    const letter = filled(body, { company: long, title: 'Herr', city: 'Neustadt an der Weinstraße' });
    const xml = partOf(letter, 'word/document.xml');
    expect(xml).toMatch(/<w:r><w:t[^>]*>Herrn</);
    expect(xml).toMatch(/<w:r><w:rPr><w:sz w:val="12"\/><\/w:rPr><w:t[^>]*>Neustadt/);
  });
});

describe('the type size', () => {
  const format: TextFormat = { sizePt: 11, line: { times: 1 }, aroundPt: 0 };
  const room = { widthPt: 226.8, heightPt: 112.5 };
  const sizeOf = (...texts: string[]): number =>
    fittingPt(
      room,
      texts.map((text) => ({ text, format })),
    );

  test.each([
    [['Bau GmbH', 'Herrn Max Meier', 'Am Kai 5', '24103 Kiel'], 11],
    [Array<string>(8).fill('Eine Zeile'), 11],
    [Array<string>(9).fill('Eine Zeile'), 10],
    [['Fassadensanierungsarbeitsgemeinschaft'], 9.5],
    // For a single word, the type shrinks to no less than 8 points; a longer word is broken.
    [['Donaudampfschifffahrtsgesellschaftsbauunternehmung'], 11],
    [Array<string>(40).fill('Eine Zeile'), 6],
  ])('of %j is %d points', (texts, pt) => {
    expect(sizeOf(...texts)).toBe(pt);
  });

  test('counts smaller type at its own size', () => {
    const small = Array.from({ length: 9 }, () => ({ text: 'x', format: { ...format, sizePt: 8 } }));
    expect(fittingPt(room, [{ text: 'x', format }, ...small])).toBe(11);
  });

  test('counts fixed lines at their height', () => {
    const fixed = { ...format, line: { pt: 20 } };
    expect(fittingPt(room, [{ text: 'a\nb\nc\nd\ne', format: fixed }])).toBe(11);
    expect(fittingPt(room, [{ text: 'a\nb\nc\nd\ne\nf', format: fixed }])).toBe(6);
  });

  test('never grows with the text, remains within its bounds, and is a multiple of half a point', () => {
    const words = fc.array(fc.string({ maxLength: 30 }), { maxLength: 30 });
    fc.assert(
      fc.property(fc.array(words, { minLength: 1, maxLength: 12 }), fc.nat(), (paragraphs, which) => {
        const texts = paragraphs.map((each) => each.join(' '));
        const size = sizeOf(...texts);
        expect(size).toBeGreaterThanOrEqual(smallestPt);
        expect(size).toBeLessThanOrEqual(11);
        expect((size * 2) % 1).toBe(0);
        const longer = texts.map((text, index) =>
          index === which % texts.length ? `${text} und noch mehr` : text,
        );
        // A word that does not fit at 8 points is broken and does not change the size, so words are short here.
        if (texts.every((text) => text.split(/\s+/).every((word) => word.length < 15)))
          expect(sizeOf(...longer)).toBeLessThanOrEqual(size);
      }),
    );
  });
});

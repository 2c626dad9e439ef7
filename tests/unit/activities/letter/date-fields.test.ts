import { describe, expect, test } from 'vitest';
import { momentAs } from '../../../../lib/activities/letter/filling/letter-moment.ts';
import { type LetterValues, placeholders } from '../../../../lib/activities/letter/filling/placeholders.ts';
import {
  InvalidTemplateError,
  type TemplateFault,
} from '../../../../lib/activities/letter/word/template-rejection.ts';
import { fillTemplate, prepareTemplate } from '../../../../lib/activities/letter/word-template.ts';
import { letterMoment } from '../../../support/letter-moment.ts';
import { paragraphsOf, partOf, wordFile } from '../../../support/word-file.ts';

const named = Object.fromEntries(placeholders.map((name) => [name, `<${name}>`])) as LetterValues;
const letterOf = (body: string, parts: Record<string, string> = {}): Buffer =>
  fillTemplate(prepareTemplate(wordFile(body, parts)), named, letterMoment);

const run = (inside: string, format = ''): string => `<w:r>${format}${inside}</w:r>`;
const char = (type: string): string => `<w:fldChar w:fldCharType="${type}"/>`;
const code = (text: string): string => `<w:instrText xml:space="preserve">${text}</w:instrText>`;
const complex = (instruction: string, result = '<w:t>20.11.2026</w:t>'): string =>
  [char('begin'), code(instruction), char('separate'), result, char('end')]
    .map((piece) => run(piece))
    .join('');

describe('a date field', () => {
  test.each([
    ['in five runs', complex(' DATE \\@ &quot;dd.MM.yyyy&quot; ')],
    [
      'in one run',
      run(
        `${char('begin')}${code(' DATE \\@ "dd.MM.yyyy" \\* MERGEFORMAT ')}${char('separate')}<w:t>alt</w:t>${char('end')}`,
      ),
    ],
    ['without a result', run(`${char('begin')}${code('date\\@"dd.MM.yyyy"')}${char('end')}`)],
    [
      'with its code in pieces',
      run(char('begin')) +
        run(code(' DA')) +
        run(code('TE \\@ "dd.')) +
        run(code('MM.yyyy"')) +
        run(char('separate')) +
        run('<w:t>20.</w:t>') +
        '<w:proofErr w:type="spellStart"/>' +
        run('<w:t>11.</w:t>') +
        run(char('end')),
    ],
    [
      'simple',
      `<w:fldSimple w:instr=" SAVEDATE \\@ dd.MM.yyyy ">${run('<w:t>20.11.2026</w:t>')}</w:fldSimple>`,
    ],
    ['simple and empty', '<w:fldSimple w:dirty="true" w:instr=" TIME \\@ &quot;dd.MM.yyyy&quot;"/>'],
    ['of the creation date', complex(' CREATEDATE \\@ "dd.MM.yyyy"')],
    [
      'in two tracked insertions',
      `<w:ins>${run(char('begin'))}${run(code('DATE \\@ "dd.MM.yyyy"'))}</w:ins><w:ins>${run(char('end'))}</w:ins>`,
    ],
    [
      'that ends outside the link in which it begins',
      `<w:hyperlink w:anchor="a">${run(char('begin'))}${run(code('DATE \\@ "dd.MM.yyyy"'))}</w:hyperlink>${run(char('end'))}`,
    ],
    [
      'in the result of a link',
      run(char('begin')) +
        run(code(' HYPERLINK "https://firma.example" ')) +
        run(char('separate')) +
        complex(' DATE \\@ "dd.MM.yyyy"') +
        run(char('end')),
    ],
  ])('%s becomes the date of the letter and does not change later', (_what, field) => {
    const letter = letterOf(`<w:p>${run('<w:t>Kiel, </w:t>')}${field}${run('<w:t>.</w:t>')}</w:p>`);
    const text = paragraphsOf(letter).map((line) => line.replace(' HYPERLINK "https://firma.example" ', ''));
    expect(text).toEqual(['Kiel, 23.11.2026.']);
    expect(partOf(letter, 'word/document.xml')).not.toMatch(/(?:DATE|TIME) ?\\@/);
  });

  test('leaves what follows it in the run in which it ends', () => {
    const field = run(char('begin')) + run(code('DATE \\@ "yyyy"')) + run(`${char('end')}<w:t> (Kiel)</w:t>`);
    expect(paragraphsOf(letterOf(`<w:p>${field}</w:p>`))).toEqual(['2026 (Kiel)']);
  });

  test('keeps the format of its run, and is filled in headers too', () => {
    const bold = '<w:rPr><w:b/></w:rPr>';
    const field = run(char('begin'), bold) + run(code('DATE \\@ "yyyy"')) + run(char('end'));
    const letter = letterOf(`<w:p>${field}</w:p>`, { 'word/header1.xml': `<w:p>${field}</w:p>` });
    for (const part of ['word/document.xml', 'word/header1.xml']) {
      expect(partOf(letter, part)).toContain(`<w:r>${bold}<w:t xml:space="preserve">2026</w:t></w:r>`);
    }
  });

  test('does not change other fields', () => {
    const page = complex(' PAGE ', '<w:t>1</w:t>');
    const body = `<w:p>${page}</w:p><w:p>${complex(' DATEINAME ')}</w:p>`;
    expect(partOf(letterOf(body), 'word/document.xml')).toContain(body);
  });

  describe('in the code of another field', () => {
    const condition = (before: string, date: string, after: string, result = ''): string =>
      run(char('begin')) +
      run(code(before)) +
      complex(date) +
      run(code(after)) +
      run(char('separate')) +
      run(`<w:t>${result}</w:t>`) +
      run(char('end'));
    const faults = (body: string): readonly TemplateFault[] => {
      try {
        prepareTemplate(wordFile(body));
      } catch (error) {
        if (error instanceof InvalidTemplateError) return error.faults;
        throw error;
      }
      return [];
    };

    test.each([
      ['a number', ' IF ', 'DATE \\@ "M"', ' > 6 "zweites" "erstes" '],
      ['words in quotes', ' QUOTE "', 'DATE \\@ "d. MMMM"', '" '],
    ])('is a fault of the template: %s', (_what, before, date, after) => {
      const found = faults(`<w:p>${condition(before, date, after, 'alt')}</w:p>`);
      expect(found).toHaveLength(1);
      expect(found[0]).toEqual({
        path: 'word/document.xml',
        message: expect.stringMatching(/^The date field (DATE|TIME) .* is inside the code of another field/),
      });
    });

    test('is no fault if the other field is a date too, which becomes text as a whole', () => {
      const xml = partOf(
        letterOf(`<w:p>${condition(' DATE ', 'DATE', ' \\@ "yyyy" ')}</w:p>`),
        'word/document.xml',
      );
      expect(xml).not.toMatch(/fldChar|instrText/);
      expect(xml).toContain('>2026<');
    });

    test('is a fault when it ends in another paragraph', () => {
      const begin = run(char('begin')) + run(code(' DATE '));
      expect(faults(`<w:p>${begin}</w:p><w:p>${run(char('end'))}</w:p>`)).toHaveLength(1);
    });

    test('is a fault for each of them, beside the other faults', () => {
      const body = `<w:p>${condition(' IF ', 'DATE \\@ M', ' = 1 "a" "b" ')}</w:p><w:p>${condition(' IF ', 'TIME', ' = 1 "a" "b" ')}${run('<w:t>{{ort}}</w:t>')}</w:p>`;
      expect(faults(body).map(({ message }) => message.slice(0, 21))).toEqual([
        'The date field DATE \\',
        'The date field TIME i',
        '{{ort}} is not a plac',
      ]);
    });

    test('is a fault too if the field begins in another paragraph than it ends in', () => {
      const body = `<w:p>${run(char('begin'))}${run(code('DATE'))}${run(char('separate'))}</w:p><w:p>${run(char('end'))}</w:p>`;
      expect(faults(body)).toHaveLength(1);
    });
  });
});

test.each([
  ['d.M.yy', '23.11.26'],
  ['dddd, d. MMMM yyyy', 'Montag, 23. November 2026'],
  ["d. MMMM yyyy 'um' HH:mm 'Uhr'", '23. November 2026 um 00:30 Uhr'],
  ['h:mm:ss AM/PM', '12:30:05 AM'],
  ['h:mm am/pm', '12:30 am'],
  ['H.m', '0.30'],
  ["'Kiel, den' dd.MM.yyyy", 'Kiel, den 23.11.2026'],
  ['d\\ MMMM\\ yyyy', '23 November 2026'],
])('the picture %s results in %s, in the time zone of the office', (picture, shown) => {
  expect(momentAs('DATE', picture, letterMoment)).toBe(shown);
});

test('another time zone has another date', () => {
  expect(momentAs('DATE', null, { ...letterMoment, timeZone: 'UTC' })).toBe('22.11.2026');
  expect(momentAs('DATE', null, letterMoment)).toBe('23.11.2026');
});

test.each([
  ['de', 'DATE', '23.11.2026'],
  ['de', 'TIME', '00:30'],
  ['de', 'SAVEDATE', '23.11.2026 00:30:05'],
  ['en-US', 'DATE', '23 November 2026'],
  ['fr', 'DATE', '23 novembre 2026'],
  ['ar', 'TIME', '00:30'],
] as const)('without a picture a letter in %s shows %s as %s', (language, field, shown) => {
  expect(momentAs(field, null, { ...letterMoment, language })).toBe(shown);
});

describe('the properties of the file', () => {
  const core = (inside: string): string =>
    `<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">${inside}</cp:coreProperties>`;
  const textOf = (xml: string, name: string): (string | undefined)[] =>
    [...xml.matchAll(new RegExp(`<${name}[^>]*>([^<]*)</${name}>`, 'g'))].map(([, text]) => text);

  test.each([
    [
      'has them',
      core(
        '<dcterms:created xsi:type="dcterms:W3CDTF">2019-01-01T00:00:00Z</dcterms:created><dc:language>en-US</dc:language><dc:title>Briefvorlage</dc:title><dcterms:modified xsi:type="dcterms:W3CDTF">2019-01-01T00:00:00Z</dcterms:modified>',
      ),
    ],
    ['has them empty', core('<dc:language/><dc:title></dc:title>')],
    ['has none', core('')],
  ])("are the letter's own when the template %s", (_what, xml) => {
    const properties = partOf(letterOf('<w:p/>', { 'docProps/core.xml': xml }), 'docProps/core.xml');
    expect(textOf(properties, 'dc:title')).toEqual(['&lt;subject&gt;']);
    expect(textOf(properties, 'dc:language')).toEqual(['de']);
    expect(textOf(properties, 'dcterms:created')).toEqual(['2026-11-22T23:30:05Z']);
    expect(textOf(properties, 'dcterms:modified')).toEqual(['2026-11-22T23:30:05Z']);
  });

  test('have a title of one line', () => {
    const template = prepareTemplate(wordFile('<w:p/>', { 'docProps/core.xml': core('') }));
    const letter = fillTemplate(template, { ...named, subject: 'Abnahme\nBauteil\tA' }, letterMoment);
    expect(textOf(partOf(letter, 'docProps/core.xml'), 'dc:title')).toEqual(['Abnahme Bauteil A']);
  });

  test('keep a title that contains placeholders', () => {
    const xml = core('<dc:title>{{company}}: {{subject}}</dc:title>');
    const properties = partOf(letterOf('<w:p/>', { 'docProps/core.xml': xml }), 'docProps/core.xml');
    expect(textOf(properties, 'dc:title')).toEqual(['&lt;company&gt;: &lt;subject&gt;']);
  });
});

test.each([
  ['de', 'de-DE'],
  ['de-AT', 'de-DE'],
  ['fr', 'fr'],
])(
  'the language of the text in a letter in %s is %s, and other languages of the template remain',
  (language, shown) => {
    const lang = (tag: string, first = ''): string => `<w:lang ${first}w:val="${tag}" w:bidi="ar-SA"/>`;
    const styles = (tag: string): string =>
      `<w:docDefaults>${lang(tag, 'w:eastAsia="ja-JP" ')}</w:docDefaults>${lang(tag)}${lang('en-US')}`;
    const template = prepareTemplate(wordFile('<w:p/>', { 'word/styles.xml': styles('de-DE') }));
    const letter = fillTemplate(template, named, { ...letterMoment, language });
    expect(partOf(letter, 'word/styles.xml')).toContain(styles(shown));
  },
);

test('placeholders may be required in the text of a template', () => {
  const file = wordFile(`<w:p>${run('<w:t>{{company}}</w:t>')}</w:p>`, {
    'word/_rels/document.xml.rels':
      '<Relationships><Relationship Id="r1" Type="t" Target="mailto:{{content}}" TargetMode="External"/></Relationships>',
  });
  expect(() => prepareTemplate(file, ['company'])).not.toThrow();
  expect(() => prepareTemplate(file, ['company', 'content'])).toThrow(
    new InvalidTemplateError([
      { path: 'template', message: 'The text of the template has no placeholder {{content}}.' },
    ]),
  );
});

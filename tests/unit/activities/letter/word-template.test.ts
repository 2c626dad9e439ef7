import { deflateRawSync } from 'node:zlib';
import * as fc from 'fast-check';
import PizZip from 'pizzip';
import { describe, expect, test } from 'vitest';
import { blocks } from '../../../../lib/activities/letter/filling/letter-text.ts';
import { placeholders, type LetterValues } from '../../../../lib/activities/letter/filling/placeholders.ts';
import { InvalidTemplateError } from '../../../../lib/activities/letter/word/template-rejection.ts';
import { fillTemplate, prepareTemplate } from '../../../../lib/activities/letter/word-template.ts';
import { letterMoment } from '../../../support/letter-moment.ts';
import { paragraphsOf, partOf, wordFile } from '../../../support/word-file.ts';

const run = (text: string, format = ''): string => `<w:r>${format}<w:t>${text}</w:t></w:r>`;
const p = (...runs: string[]): string => `<w:p>${runs.join('')}</w:p>`;
const bold = '<w:rPr><w:b/></w:rPr>';

const empty = Object.fromEntries(placeholders.map((name) => [name, ''])) as LetterValues;
const named = Object.fromEntries(placeholders.map((name) => [name, `<${name}>`])) as LetterValues;

function filled(file: Buffer, values: Partial<LetterValues>): Buffer {
  return fillTemplate(prepareTemplate(file), { ...empty, ...values }, letterMoment);
}

function faults(file: Buffer): { path: string; message: string }[] {
  try {
    prepareTemplate(file);
  } catch (error) {
    if (error instanceof InvalidTemplateError) return [...error.faults];
    throw error;
  }
  return [];
}

describe('a placeholder', () => {
  test('is any of the nineteen names, with or without spaces', () => {
    const file = wordFile(placeholders.map((name) => p(run(`{{${name}}}`), run(`|{{ ${name} }}`))).join(''));
    expect(paragraphsOf(fillTemplate(prepareTemplate(file), named, letterMoment))).toEqual(
      placeholders.map((name) => `<${name}>|<${name}>`),
    );
  });

  test.each([
    ['within one run', p(run('a {{company}} b'))],
    ['split at every letter', p(run('a '), ...Array.from('{{company}}', (letter) => run(letter)), run(' b'))],
    [
      'split by the spelling checker',
      p(
        run('a {{'),
        '<w:proofErr w:type="spellStart"/>',
        run('com'),
        run('pany'),
        '<w:proofErr w:type="spellEnd"/>',
        run('}} b'),
      ),
    ],
    [
      'split by a bookmark',
      p(
        run('a {'),
        '<w:bookmarkStart w:id="1" w:name="_GoBack"/>',
        run('{company}'),
        '<w:bookmarkEnd w:id="1"/>',
        run('} b'),
      ),
    ],
    [
      'in the data of an inline content control',
      p(
        run('a '),
        `<w:sdt><w:sdtPr><w:alias w:val="{{x}}"/></w:sdtPr><w:sdtContent>${run('{{company}}')}</w:sdtContent></w:sdt>`,
        run(' b'),
      ),
    ],
  ])('is found %s', (_where, body) => {
    expect(paragraphsOf(filled(wordFile(body), { company: 'Bau & Söhne <KG>' }))).toEqual([
      'a Bau & Söhne <KG> b',
    ]);
  });

  test('keeps the format of its first run', () => {
    const xml = partOf(
      filled(wordFile(p(run('{', bold), run('{com', bold), run('pany}}'))), { company: 'X' }),
      'word/document.xml',
    );
    expect(xml).toMatch(/<w:rPr><w:b\/><\/w:rPr><w:t[^>]*>X<\/w:t>/);
  });

  test('is filled in headers, footers, notes, text boxes, document properties and link targets', () => {
    const box = (inside: string): string =>
      `<w:r><mc:AlternateContent><mc:Choice Requires="wps"><wps:txbx><w:txbxContent>${inside}</w:txbxContent></wps:txbx></mc:Choice><mc:Fallback><v:textbox><w:txbxContent>${inside}</w:txbxContent></v:textbox></mc:Fallback></mc:AlternateContent></w:r>`;
    const letter = filled(
      wordFile(p(box(p(run('{{city}}'))), run('{{zip}}')), {
        'word/header1.xml': p(run('H {{company}}')),
        'word/footer2.xml': p(run('F {{userPhone}}')),
        'word/footnotes.xml': `<w:footnote w:id="2">${p(run('N {{title}}'))}</w:footnote>`,
        'word/endnotes.xml': `<w:endnote w:id="2">${p(run('E {{firstName}}'))}</w:endnote>`,
        'docProps/core.xml':
          '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{{subject}}</dc:title></cp:coreProperties>',
        'word/_rels/document.xml.rels':
          '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="t" Target="mailto:%7b%7buserEmail%7D%7D" TargetMode="External"/><Relationship Id="r2" Type="t" Target="mailto:{{ userEmail }}" TargetMode="External"/></Relationships>',
      }),
      { ...named, userEmail: 'a&"b@x.de', subject: 'Zeile 1\nZeile 2' },
    );
    const xml = partOf(letter, 'word/document.xml');
    expect(xml.match(/&lt;city&gt;/g)).toHaveLength(2);
    expect(xml).toContain('&lt;zip&gt;');
    expect(paragraphsOf(letter, 'word/header1.xml')).toEqual(['H <company>']);
    expect(paragraphsOf(letter, 'word/footer2.xml')).toEqual(['F <userPhone>']);
    expect(paragraphsOf(letter, 'word/footnotes.xml')).toEqual(['N <title>']);
    expect(paragraphsOf(letter, 'word/endnotes.xml')).toEqual(['E <firstName>']);
    expect(partOf(letter, 'docProps/core.xml')).toContain('<dc:title>Zeile 1 Zeile 2</dc:title>');
    expect(partOf(letter, 'word/_rels/document.xml.rels').match(/mailto:a%26%22b@x\.de"/g)).toHaveLength(2);
  });
});

test('a comment remains as its author wrote it, placeholders and all', () => {
  const inside = `<w:comment w:id="0" w:author="Tanja">${p(run('{{content}} und {{alles}} {{'))}</w:comment>`;
  const file = wordFile(p(run('{{content}}')), { 'word/comments.xml': inside });
  const letter = filled(file, { content: 'Guten Tag' });
  expect(paragraphsOf(letter, 'word/comments.xml')).toEqual(['{{content}} und {{alles}} {{']);
  expect(paragraphsOf(letter)).toEqual(['Guten Tag']);
});

describe('XML as other programs write it', () => {
  const swapped = (bytes: Buffer): Buffer => Buffer.from(bytes).swap16();
  const declared =
    (encoding: string) =>
    (xml: string): string =>
      xml.replace('encoding="UTF-8"', `encoding="${encoding}"`);
  // UseJunior/safe-docx#875: with a mark, as Word writes strict files. superdoc/docx-editor#2349: customXml in UTF-16.
  const encodings: [string, (xml: string) => Buffer][] = [
    ['UTF-8 with a byte order mark', (xml) => Buffer.from(`\ufeff${xml}`)],
    ['the same without a declaration', (xml) => Buffer.from(`\ufeff${xml.replace(/<\?.*?\?>/, '')}`)],
    ['UTF-16, little end first', (xml) => Buffer.from(`\ufeff${declared('utf-16')(xml)}`, 'utf16le')],
    ['UTF-16, big end first', (xml) => swapped(Buffer.from(`\ufeff${declared('UTF-16')(xml)}`, 'utf16le'))],
    ['Latin-1', (xml) => Buffer.from(declared('ISO-8859-1')(xml), 'latin1')],
  ];
  test.each(encodings)('is read in its encoding, and written in UTF-8: %s', (_name, encoded) => {
    const zip = new PizZip(wordFile(p(run('Grüße an {{company}}')), { 'customXml/item1.xml': '<a/>' }));
    for (const { name } of zip.file(/\.(?:xml|rels)$/))
      zip.file(name, encoded(partOf(zip.generate({ type: 'nodebuffer' }), name)));
    const letter = filled(zip.generate({ type: 'nodebuffer' }), { company: 'Müller' });
    expect(paragraphsOf(letter)).toEqual(['Grüße an Müller']);
    for (const name of ['word/document.xml', '[Content_Types].xml', 'customXml/item1.xml']) {
      expect(partOf(letter, name)).not.toMatch(/^\ufeff|encoding="(?!UTF-8)/);
    }
  });

  test.each([
    // plutext/docx4j#313
    ['none, and bytes of Latin-1', 'UTF-8', 'utf-8'],
    ['one that there is not', 'x-none', 'x-none'],
  ])('is a fault that names the part: %s', (_name, encoding, named) => {
    const body = partOf(wordFile(p(run('Grüße an {{company}}'))), 'word/document.xml');
    const xml = Buffer.from(declared(encoding)(body), 'latin1');
    expect(faults(wordFile('', { 'word/document.xml': xml }))).toEqual([
      {
        path: 'template',
        message: expect.stringMatching(
          new RegExp(
            `^The part word/document\\.xml has bytes that its encoding \\(${named}\\).* Word and save it\\.$`,
            'i',
          ),
        ),
      },
    ]);
  });

  test('may have comments and CDATA sections, which are text', () => {
    const paragraph = '<w:p><w:r><w:t><![CDATA[An <{{com]]><!-- x -->pany}}></w:t></w:r></w:p>';
    // alonrbar/easy-template-x#112
    expect(
      paragraphsOf(filled(wordFile(`<!-- Generated by a library -->${paragraph}`), { company: 'M & S' })),
    ).toEqual(['An <M & S>']);
  });

  test('may ignore prefixes, but only those that it declares', () => {
    const body = partOf(wordFile(p(run('{{company}}'))), 'word/document.xml');
    const ignoring = (prefixes: string) =>
      wordFile('', {
        'word/document.xml': Buffer.from(
          body.replace('<w:document ', `<w:document mc:Ignorable="${prefixes}" `),
        ),
      });
    expect(faults(ignoring(' w14  wp '))).toEqual([]);
    expect(faults(ignoring('w14 w16du'))[0]?.message).toContain(
      'ignores the prefix w16du without declaring it',
    );
  });

  test('what macOS keeps beside a part is no XML, and letters do not have it', () => {
    const zip = new PizZip(wordFile(p(run('{{company}}'))));
    zip.file('__MACOSX/word/._document.xml', Buffer.from('000516070002ff00', 'hex'));
    const letter = filled(zip.generate({ type: 'nodebuffer' }), { company: 'A' });
    expect(Object.keys(new PizZip(letter).files).join()).not.toContain('MACOSX');
  });

  test('is a fault with a document type declaration, whose entities nothing here expands', () => {
    const body = partOf(wordFile(p(run('x'))), 'word/document.xml');
    const xml = body.replace('?>', '?><!DOCTYPE w:document [<!ENTITY a "b">]>');
    expect(faults(wordFile('', { 'word/document.xml': Buffer.from(xml) }))[0]?.message).toContain(
      'The part word/document.xml has a document type declaration',
    );
  });

  test.each([
    ['another prefix', 'ns0:', ':ns0'],
    ['no prefix', '', ''],
  ])('is a fault that names the part and the remedy: %s', (_name, prefix, declared) => {
    const main = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
    const xml = `<${prefix}document xmlns${declared}="${main}"><${prefix}body/></${prefix}document>`;
    expect(faults(wordFile('', { 'word/document.xml': Buffer.from(xml) }))).toEqual([
      {
        path: 'template',
        message: expect.stringMatching(
          /^The part word\/document\.xml has another prefix .* Word and save it/,
        ),
      },
    ]);
  });
});

describe('a value', () => {
  test.each([
    ['a placeholder', '{{company}} {{#x}} {{@y}} {{=<% %>=}} }} {{'],
    ['a slot marker', '\ue000company\ue001 \ue002'],
    ['XML', '<w:p/></w:t> & &amp; <!-- ]]> "\''],
    ['a replacement pattern', '$& $1 $$ $`'],
    ['characters outside the basic plane', '😀 漢字 ﷽'],
    ['spaces at both ends', '  x  '],
  ])('that looks like %s is not interpreted', (_what, value) => {
    const body = p(run('[{{subject}}]')) + p(run('{{content}}'));
    expect(paragraphsOf(filled(wordFile(body), { subject: value, content: `x${value}x` }))).toEqual([
      `[${value}]`,
      `x${value}x`,
    ]);
  });

  test('loses the characters that XML forbids, and only those', () => {
    const value = 'a\0b\u0008c\u001fd\ud800e\udc00f\ufffeg\uffffh\ufffdi\u00adj😀';
    expect(paragraphsOf(filled(wordFile(p(run('{{subject}}'))), { subject: value }))).toEqual([
      'abcdefgh\ufffdi\u00adj😀',
    ]);
  });

  test('that is missing is empty, not "undefined"', () => {
    const sentence = 'Dieser Satz ist länger als jede Beschriftung und bleibt stehen:';
    const body = placeholders.map((name) => p(run(`${sentence} [{{${name}}}]`))).join('');
    expect(paragraphsOf(filled(wordFile(body), {}))).toEqual(placeholders.map(() => `${sentence} []`));
  });

  test('keeps line breaks and tabs inside its run', () => {
    const letter = filled(wordFile(p(run('an {{street}}.', bold))), {
      street: 'Hof 1\r\nHaus\t2\u2028links',
    });
    expect(paragraphsOf(letter)).toEqual(['an Hof 1\nHaus\t2\nlinks.']);
    expect(partOf(letter, 'word/document.xml').match(/<w:(?:r|br|tab)\/?>/g)).toEqual([
      '<w:r>',
      '<w:br/>',
      '<w:tab/>',
      '<w:br/>',
    ]);
  });
});

describe('{{content}} alone in its paragraph', () => {
  const pPr = '<w:pPr><w:pStyle w:val="Brieftext"/><w:jc w:val="both"/></w:pPr>';
  const content = 'Guten Tag,\n\nerster Absatz\nmit Umbruch\n \n\n\nzweiter Absatz\n';
  const paragraphs = ['Guten Tag,', 'erster Absatz\nmit Umbruch', 'zweiter Absatz'];

  test('becomes one paragraph per block with the same formatting', () => {
    const body =
      p(run('davor')) +
      `<w:p w14:paraId="1" w:rsidR="2">${pPr}${run('{{content}}', bold)}</w:p>` +
      p(run('danach'));
    const letter = filled(wordFile(body), { content });
    expect(paragraphsOf(letter)).toEqual(['davor', ...paragraphs, 'danach']);
    const xml = partOf(letter, 'word/document.xml');
    // The last paragraph remains on the page of the text that follows.
    const lastPPr = pPr.replace('<w:jc', '<w:keepNext/><w:jc');
    expect([xml.split(pPr).length, xml.split(lastPPr).length]).toEqual([3, 2]);
    expect(xml.match(/<w:r><w:rPr><w:b\/><\/w:rPr><w:t/g)).toHaveLength(3);
    expect(xml.match(/w14:paraId/g)).toHaveLength(1);
  });

  test('gets its properties before those of its runs, and none for a text of one block', () => {
    const properties = '<w:pPr><w:rPr><w:spacing w:val="2"/></w:rPr></w:pPr>';
    const template = wordFile(`<w:p>${properties}${run('{{content}}')}</w:p>`);
    const xml = partOf(filled(template, { content }), 'word/document.xml');
    expect(xml).toContain(properties.replace('<w:rPr>', '<w:keepNext/><w:rPr>'));
    expect(partOf(filled(template, { content: 'x' }), 'word/document.xml')).not.toContain('keepNext');
  });

  test('is found when split over runs, and its bookmark remains unique', () => {
    const body = `<w:p>${pPr}<w:bookmarkStart w:id="7" w:name="Text"/>${run('{{')}${run('content', bold)}${run('}}')}<w:bookmarkEnd w:id="7"/></w:p>`;
    const letter = filled(wordFile(body), { content });
    expect(paragraphsOf(letter)).toEqual(paragraphs);
    expect(partOf(letter, 'word/document.xml').match(/bookmarkStart/g)).toHaveLength(1);
  });

  test('keeps a page break only before the first paragraph, and a section break only after the last one', () => {
    const breaks =
      '<w:pPr><w:pageBreakBefore/><w:jc w:val="both"/><w:sectPr><w:pgSz w:w="11906" w:h="16838"/></w:sectPr></w:pPr>';
    const xml = partOf(
      filled(wordFile(`<w:p>${breaks}${run('{{content}}')}</w:p>`), { content }),
      'word/document.xml',
    );
    const found = xml.match(/<w:p>.*?<\/w:p>/gs) ?? [];
    expect(found.map((one) => [one.includes('pageBreakBefore'), one.includes('w:sectPr')])).toEqual([
      [true, false],
      [false, false],
      [false, false],
      [false, true],
    ]);
    // The section ends with a line of one point of its own.
    expect(found.at(-1)).toContain('w:line="20" w:lineRule="exact"');
  });

  test('is filled in a text box that is anchored in another paragraph', () => {
    const box = `<w:r><w:pict><v:textbox><w:txbxContent><w:p>${pPr}${run('{{content}}')}</w:p></w:txbxContent></v:textbox></w:pict></w:r>`;
    const letter = filled(wordFile(p(box, run('Anker'))), { content });
    const xml = partOf(letter, 'word/document.xml');
    expect(xml.match(/<w:pStyle w:val="Brieftext"\/>/g)).toHaveLength(3);
    expect(xml.match(/Anker/g)).toHaveLength(1);
  });

  test('makes each list item a paragraph with a hanging indent, next to text and other lists', () => {
    const body = `<w:p>${pPr}${run('{{content}}')}</w:p>`;
    const text =
      'Es fehlen:\n- Haus A\n-  Haus B\nund\n1. Plan\n2. Bericht\n\n- Herr Weber\n\n2. BA\n1. OG\n\n9) a\n10) b\nEnde';
    const letter = filled(wordFile(body), { content: text });
    expect(paragraphsOf(letter)).toEqual([
      'Es fehlen:',
      '-\tHaus A',
      '-\tHaus B',
      'und',
      '1.\tPlan',
      '2.\tBericht',
      '-\tHerr Weber',
      '2. BA\n1. OG',
      '9)\ta',
      '10)\tb',
      'Ende',
    ]);
    const properties = [...partOf(letter, 'word/document.xml').matchAll(/<w:pPr>(.*?)<\/w:pPr>/g)];
    const style = '<w:pStyle w:val="Brieftext"/>';
    const indent = '<w:ind w:left="397" w:hanging="397"/>';
    expect(properties.map(([, inside]) => inside).slice(0, 4)).toEqual([
      `${style}<w:jc w:val="both"/>`,
      `${style}${indent}<w:contextualSpacing/><w:jc w:val="left"/>`,
      `${style}${indent}<w:jc w:val="left"/>`,
      `${style}<w:jc w:val="both"/>`,
    ]);
  });

  // As people and models write lists; the third column has the level before each item.
  test.each<[string, string, string[]]>([
    ['signs', 'Es fehlen:\n- a\n- b\nEnde', ['Es fehlen:', '0 -\ta', '0 -\tb', 'Ende']],
    ['items apart by blank lines', '1. a\n\n2. b\n\n3. c', ['0 1.\ta', '0 2.\tb', '0 3.\tc']],
    ['an item with a second line', '- a\n  weiter\n- b', ['0 -\ta\nweiter', '0 -\tb']],
    [
      'a numbered item with a second line',
      '1. a\nweiter\n2. b\nEnde',
      ['0 1.\ta\nweiter', '0 2.\tb', 'Ende'],
    ],
    ['lists in a list', '1. a\n   - x\n   - y\n2. b', ['0 1.\ta', '1 -\tx', '1 -\ty', '0 2.\tb']],
    ['lists in a list, without indent', '1. a\n- x\n- y\n2. b', ['0 1.\ta', '1 -\tx', '1 -\ty', '0 2.\tb']],
    ['three levels', '- a\n  - b\n    - c\n- d', ['0 -\ta', '1 -\tb', '2 -\tc', '0 -\td']],
    ['letters', 'a) x\nb) y\nc) z', ['0 a)\tx', '0 b)\ty', '0 c)\tz']],
    ['squares', '▪ x\n▪ y', ['0 ▪\tx', '0 ▪\ty']],
    ['a single sign', 'Es fehlt:\n- a\n\nEnde', ['Es fehlt:', '0 -\ta', 'Ende']],
    ['a number alone', '2. BA\nam See', ['2. BA\nam See']],
    ['a letter alone', 'a) x', ['a) x']],
    ['a date and a calculation', '24. November\n- 5 Grad', ['24. November', '0 -\t5 Grad']],
    ['other signs', '- a\n• b', ['0 -\ta', '0 •\tb']],
    ['text behind a blank line', '- a\n- b\n\n  Ende', ['0 -\ta', '0 -\tb', 'Ende']],
  ])('has lists as people write them: %s', (_what, content, written) => {
    const shown = blocks(content).map(({ form, level, lines }) =>
      form === 'text' ? lines.join('\n') : `${level} ${lines.join('\n')}`,
    );
    expect(shown).toEqual(written);
  });

  test('shows a list in a list with more indent, and items apart with their space', () => {
    const letter = filled(wordFile(`<w:p>${pPr}${run('{{content}}')}</w:p>`), {
      content: '- a\n  - b\n\n- c',
    });
    const properties = [...partOf(letter, 'word/document.xml').matchAll(/<w:pPr>(.*?)<\/w:pPr>/g)];
    expect(properties.map(([, all = '']) => /w:left="\d+"/.exec(all)?.[0])).toEqual([
      'w:left="397"',
      'w:left="794"',
      'w:left="397"',
    ]);
    expect(properties.map(([, all = '']) => all.includes('contextualSpacing'))).toEqual([true, false, false]);
  });

  test('keeps any text word by word, without empty paragraphs', () => {
    const pieces = [
      'a',
      'Wort',
      '- ',
      '▪ ',
      '1. ',
      '2. ',
      '3) ',
      'a) ',
      'b) ',
      '  ',
      '\n',
      '\n\n',
      ' ',
      '\t',
      '<',
      '&',
      '😀',
    ];
    const text = fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((chosen) => chosen.join(''));
    fc.assert(
      fc.property(text, (any) => {
        const written = blocks(any).map(({ lines }) => lines.join('\n'));
        expect(written.join('\n').split(/\s+/).filter(Boolean)).toEqual(any.split(/\s+/).filter(Boolean));
        if (any.trim() !== '') expect(written.every((paragraph) => paragraph.trim() !== '')).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test('becomes one empty paragraph for an empty text', () => {
    expect(paragraphsOf(filled(wordFile(p(run('{{content}}'))), {}))).toEqual(['']);
  });

  test.each([
    ['other text', p(run('Text: {{content}}')), 'Text: a'],
    ['another placeholder', p(run('{{title}}{{content}}')), 'a'],
    ['a tab', p('<w:r><w:tab/></w:r>', run('{{content}}')), '\ta'],
    [
      'a comment',
      p('<w:commentRangeStart w:id="1"/>', run('{{content}}'), '<w:commentRangeEnd w:id="1"/>'),
      'a',
    ],
    ['a note', p(run('{{content}}'), '<w:r><w:footnoteReference w:id="2"/></w:r>'), 'a'],
    [
      'a deletion',
      p('<w:del w:id="3"><w:r><w:delText>alt</w:delText></w:r></w:del>', run('{{content}}')),
      'alta',
    ],
  ])('becomes paragraphs next to %s', (_what, body, first) => {
    expect(paragraphsOf(filled(wordFile(body), { content: 'a\n\nb' }))).toEqual([first, 'b']);
  });

  test('remains one paragraph with line breaks where it cannot be split, inside a link', () => {
    const body = p(`<w:hyperlink r:id="r1">${run('{{content}}')}</w:hyperlink>`);
    expect(paragraphsOf(filled(wordFile(body), { content: 'a\n\nb' }))).toEqual(['a\n\nb']);
  });
});

describe('a template is rejected', () => {
  test('with every fault listed, in the body and in the header', () => {
    const file = wordFile(
      p(run('{{#users}}{{name}}{{/users}}')) +
        p(run('{{@raw}} {{Company}} {{}} {{=[[ ]]=}} {{company|upper}}')) +
        p(run('{{constructor}} {{__proto__}}')),
      { 'word/header1.xml': p(run('{{toto}} {{city}}')) + p(run('{{offen')) },
    );
    const found = faults(file);
    expect(
      found
        .filter(({ path }) => path === 'word/document.xml')
        .map(({ message }) => /^\{\{(.*?)\}\} is not/.exec(message)?.[1]),
    ).toEqual(
      expect.arrayContaining([
        '#users',
        'name',
        '/users',
        '@raw',
        'Company',
        '',
        '=[[ ]]=',
        'company|upper',
        'constructor',
        '__proto__',
      ]),
    );
    expect(found.find(({ message }) => message.startsWith('{{Company}}'))?.message).toContain(
      'did you mean {{company}}?',
    );
    expect(found.filter(({ path }) => path === 'word/header1.xml').map(({ message }) => message)).toEqual(
      expect.arrayContaining([expect.stringContaining('{{toto}}'), expect.stringContaining('{{offen')]),
    );
    expect(found).toHaveLength(12);
  });

  test.each([
    ['opened and not closed', p(run('a {{company b')), 'begins with {{company is not closed'],
    ['closed and not opened', p(run('a company}} b')), '}}'],
    ['three braces', p(run('a {{{company}}} b')), '{{{company}}} has three braces: write {{company}}.'],
    [
      'inside a field code',
      p('<w:r><w:instrText>HYPERLINK "{{userEmail}}"</w:instrText></w:r>'),
      'field code',
    ],
    [
      'inside deleted text',
      p('<w:del><w:r><w:delText>{{company}}</w:delText></w:r></w:del>'),
      'tracked deletion',
    ],
  ])('for a placeholder %s', (_what, body, message) => {
    const [fault, ...others] = faults(wordFile(body));
    expect(fault?.path).toBe('word/document.xml');
    expect(fault?.message).toContain(message);
    expect(others.every(({ path }) => path === 'word/document.xml')).toBe(true);
  });

  test('with every placeholder that cannot be filled, in all parts, together with the other faults', () => {
    const picture =
      '<wp:docPr id="1" name="{{x}}" descr="Logo {{falsch}} {{company}}" title=\'{{subject}}\'/>';
    const rels =
      '<Relationships><Relationship Id="r1" Type="t" Target="mailto:{{nummer}}" TargetMode="External"/></Relationships>';
    const parts = (unknown: string) => ({
      'word/header1.xml': p('<w:r><w:instrText>{{zip}}</w:instrText></w:r>', run('{{city}}')),
      'word/footer1.xml': p(run(unknown)),
      'customXml/item1.xml': '<anschrift>{{street}} {{strasse}}</anschrift>',
      'word/_rels/document.xml.rels': rels,
    });
    const body =
      p(run(' title="{{company}}" &gt; '), `<w:r><w:drawing>${picture}</w:drawing></w:r>`) +
      p(`<w:hyperlink w:tooltip="{{firstName}}">${run('x')}</w:hyperlink>`) +
      p('<w:r><w:drawing><a:hlinkClick tooltip="{{lastName}}"/></w:drawing></w:r>') +
      p('<w:r><w:pict><v:shape alt="{{userCompany}}"/></w:pict></w:r>') +
      p(`<w:fldSimple w:instr=" HYPERLINK &quot;mailto:{{userEmail}}&quot; ">${run('x')}</w:fldSimple>`) +
      p('<w:r><w:instrText>"{{user</w:instrText></w:r><w:r><w:instrText>Fax}}"</w:instrText></w:r>') +
      p('<w:r><w:delText>{{title}} {{title}}</w:delText></w:r>');
    const named = (file: Buffer): string[] =>
      faults(file).map(({ path, message }) => `${path} ${/^\{\{.*?\}\}/.exec(message)?.[0]}`);
    const unfilled = [
      'word/document.xml {{userFax}}',
      'word/document.xml {{title}}',
      'word/document.xml {{falsch}}',
      'word/document.xml {{company}}',
      'word/document.xml {{subject}}',
      'word/document.xml {{userEmail}}',
      'word/document.xml {{firstName}}',
      'word/document.xml {{lastName}}',
      'word/document.xml {{userCompany}}',
      'word/header1.xml {{zip}}',
      'customXml/item1.xml {{strasse}}',
      'word/_rels/document.xml.rels {{nummer}}',
    ];
    expect(named(wordFile(body, parts('{{userCity}}'))).toSorted()).toEqual(unfilled.toSorted());
    expect(named(wordFile(body, parts('{{ort}}'))).toSorted()).toEqual(
      [...unfilled, 'word/footer1.xml {{ort}}'].toSorted(),
    );
    const [first] = faults(wordFile(p(`<w:r><w:drawing>${picture}</w:drawing></w:r>`)));
    expect(first?.message).toMatch(/^\{\{falsch\}\} cannot be filled in .* an alternative text/);
  });

  test('for an unknown name in a link target', () => {
    const rels =
      '<Relationships><Relationship Id="r1" Type="t" Target="https://x.de/%7B%7Bnummer%7D%7D"/></Relationships>';
    expect(faults(wordFile(p(run('x')), { 'word/_rels/document.xml.rels': rels }))).toEqual([
      { path: 'word/_rels/document.xml.rels', message: expect.stringContaining('{{nummer}}') },
    ]);
  });

  test('for macros', () => {
    expect(
      faults(wordFile(p(run('x')), {}, 'application/vnd.ms-word.template.macroEnabledTemplate.main+xml'))[0]
        ?.message,
    ).toContain('macros');
  });

  const whole = wordFile(p(run('{{company}}')));
  test.each([
    ['empty', Buffer.alloc(0), 'not a zip package'],
    ['text', Buffer.from('Sehr geehrte Damen und Herren'), 'not a zip package'],
    [
      'an old .doc',
      Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(4096)]),
      'old format .doc',
    ],
    [
      'protected with a password',
      Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.from('x\0EncryptedPackage', 'utf16le')]),
      'protected with a password',
    ],
    // nolze/msoffcrypto-tool#78
    [
      'encrypted by a label',
      Buffer.concat([
        Buffer.from('d0cf11e0a1b11ae1', 'hex'),
        Buffer.from('xDRMEncryptedTransform\0EncryptedPackage', 'utf16le'),
      ]),
      'encrypted by a sensitivity label',
    ],
    ['truncated', whole.subarray(0, whole.length - 30), 'not a zip package'],
    ['without its beginning', whole.subarray(200), 'damaged'],
    ['a zip without a document', wordFile('', {}, 'text/xml'), 'not a Word document'],
    ['larger than 10 MiB', Buffer.concat([whole, Buffer.alloc(10 * 1024 * 1024)]), '10 MiB'],
  ])('that is %s', (_what, file, message) => {
    expect(faults(file)).toEqual([{ path: 'template', message: expect.stringContaining(message) }]);
  });

  // In four tests, because a busy machine takes a while for a thousand templates.
  test.each([0, 1, 2, 3])(
    'as damaged, or is filled once, without a crash, when byte 4n + %i is flipped',
    (first) => {
      let rejected = 0;
      for (let at = first; at < whole.length; at += 4) {
        const broken = Buffer.from(whole);
        broken[at] = (broken[at] ?? 0) ^ 0xff;
        const found = faults(broken);
        expect(found.every(({ message }) => message.length > 10)).toBe(true);
        rejected += found.length > 0 ? 1 : 0;
      }
      expect(rejected).toBeGreaterThan(whole.length / 8);
    },
  );
});

describe('what has a fixed height', () => {
  const anchored = (wrap: string, body: string, text = '{{company}}'): string =>
    `<w:p><w:r><w:drawing><wp:anchor behindDoc="0">${wrap}<a:graphic><wps:wsp><wps:txbx><w:txbxContent>${p(run(text))}</w:txbxContent></wps:txbx>${body}</wps:wsp></a:graphic></wp:anchor></w:drawing></w:r></w:p>`;
  const bodyOf = (xml: string): string =>
    /<wps:bodyPr.*<\/wps:wsp>/s.exec(partOf(prepareTemplate(wordFile(xml)).file, 'word/document.xml'))?.[0] ??
    '';
  const none = '<wp:wrapNone/>';

  test.each(['<wps:bodyPr lIns="0"><a:noAutofit/></wps:bodyPr>', '<wps:bodyPr lIns="0"/>'])(
    'a box over the page grows with its text: %s',
    (body) => {
      expect(bodyOf(anchored(none, body))).toBe('<wps:bodyPr lIns="0"><a:spAutoFit/></wps:bodyPr></wps:wsp>');
    },
  );

  test('a box of a strict file gets an element in the namespace of that file', () => {
    const strict = anchored(none, '<wps:bodyPr/>').replace(
      '<a:graphic>',
      '<a:graphic xmlns:a="http://purl.oclc.org/ooxml/drawingml/main">',
    );
    expect(bodyOf(strict)).toBe('<wps:bodyPr><a:spAutoFit/></wps:bodyPr></wps:wsp>');
  });

  test.each([
    ['text flows around it', anchored('<wp:wrapSquare/>', '<wps:bodyPr/>')],
    ['its text begins at its bottom', anchored(none, '<wps:bodyPr rot="0" anchor="b"/>')],
    ['it has no value', anchored(none, '<wps:bodyPr/>', 'Muster Bau')],
    ['it grows already', anchored(none, '<wps:bodyPr><a:spAutoFit/></wps:bodyPr>')],
  ])('a box stays as it is when %s', (_why, xml) => {
    expect(xml).toContain(bodyOf(xml));
  });

  test('rows and frames are at least as high', () => {
    const frame = '<w:pPr><w:framePr w:w="4000" w:h="2000" w:hRule="exact"/></w:pPr>';
    const row = `<w:tbl><w:tr><w:trPr><w:trHeight w:val="9" w:hRule="exact"/></w:trPr><w:tc>${p()}</w:tc></w:tr></w:tbl>`;
    const { file } = prepareTemplate(wordFile(`<w:p>${frame}${run('{{city}}')}</w:p>${row}${p()}`));
    expect(partOf(file, 'word/document.xml').match(/w:hRule="\w+"/g)).toEqual([
      'w:hRule="atLeast"',
      'w:hRule="atLeast"',
    ]);
  });
});

test('a .dotx becomes a .docx', () => {
  const type = 'application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml';
  const letter = filled(wordFile(p(run('{{city}}')), {}, type), { city: 'Kiel' });
  expect(paragraphsOf(letter)).toEqual(['Kiel']);
  expect(partOf(letter, '[Content_Types].xml')).toContain('wordprocessingml.document.main+xml');
});

test('unchanged parts keep their compressed bytes', () => {
  const image = Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * 7919) % 256));
  const file = wordFile(p(run('{{city}}')), {
    'word/media/image1.png': image,
    'word/_rels/document.xml.rels':
      '<Relationships><Relationship Id="r1" Type="t/image" Target="media/image1.png"/></Relationships>',
  });
  const template = prepareTemplate(file);
  const letter = fillTemplate(template, named, letterMoment);
  const start = file.indexOf(deflateRawSync(image));
  expect(start).toBeGreaterThan(0);
  expect(letter.includes(deflateRawSync(image))).toBe(true);
});

test('parts without a placeholder are those of the template, byte for byte', () => {
  // Written otherwise than our serializer writes.
  const parts = {
    'word/header1.xml': `<w:p ><w:r ><w:t >Kiel</w:t></w:r></w:p>`,
    'word/_rels/document.xml.rels': `<Relationships ><Relationship Id="r1"  Type="t/hyperlink" Target="https://firma.example" TargetMode="External" /></Relationships>`,
  };
  const file = wordFile(p(run('{{content}}')), parts);
  const letter = filled(file, { content: 'Text' });
  for (const name of Object.keys(parts)) expect(partOf(letter, name)).toBe(partOf(file, name));
});

test('content outside of a paragraph becomes lines', () => {
  const letter = filled(wordFile(run('{{content}}')), { content: 'one\n\ntwo' });
  expect(partOf(letter, 'word/document.xml')).toMatch(
    /<w:body><w:r><w:t[^>]*>one<\/w:t><w:br\/><w:br\/><w:t[^>]*>two<\/w:t><\/w:r>/,
  );
});

import PizZip from 'pizzip';
import { describe, expect, test } from 'vitest';
import { type Finding, settleTemplate } from '../../../../lib/activities/letter/template/settled-template.ts';
import { TemplateParts } from '../../../../lib/activities/letter/word/template-parts.ts';
import { templateZip } from '../../../../lib/activities/letter/word/template-zip.ts';
import { fillTemplate, prepareTemplate } from '../../../../lib/activities/letter/word-template.ts';
import { sampleLetters } from '../../../../tools/letter-template/sample-letters.ts';
import { letterMoment } from '../../../support/letter-moment.ts';
import { paragraphsOf, partOf, wordFile } from '../../../support/word-file.ts';

const controlData = 'the data of content controls';
const isUnbound = 'is no longer bound to the data';

/** @param parts the body as `word/document.xml` */
function findingsOf(parts: readonly (readonly [string, string])[]): Finding[] {
  const { 'word/document.xml': body = '', ...others } = Object.fromEntries(parts);
  return settleTemplate(new TemplateParts(templateZip(wordFile(body, others)))).findings;
}
const messages = (findings: readonly Finding[], kind: Finding['kind']): string[] =>
  findings.filter((each) => each.kind === kind).map(({ message }) => message);

const run = (text: string, format = ''): string =>
  `<w:r>${format}<w:t xml:space="preserve">${text}</w:t></w:r>`;
const p = (inside: string): string => `<w:p w:rsidR="00AB12CD">${inside}</w:p>`;
const document = (body: string): [string, string] => ['word/document.xml', body];
const settings = (inside: string): [string, string] => ['word/settings.xml', inside];
const change = (name: string, author: string): string => `<w:${name} w:id="1" w:author="${author}"/>`;
const split = (...pieces: string[]): string =>
  p(
    `<w:r><w:fldChar w:fldCharType="begin"/>${pieces.map((piece) => `<w:instrText>${piece}</w:instrText>`).join('')}<w:fldChar w:fldCharType="end"/></w:r>`,
  );
const style = (id: string, inside: string, attributes = ''): string =>
  `<w:style w:type="paragraph" ${attributes}w:styleId="${id}">${inside}</w:style>`;
const alignment = (value: string): string => `<w:pPr><w:jc w:val="${value}"/></w:pPr>`;
const content = (format: string): [string, string] => document(p(`${format}${run('{{con')}${run('tent}}')}`));
const core = (inside: string): [string, string] => [
  'docProps/core.xml',
  `<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/">${inside}</cp:coreProperties>`,
];
const relationships = (
  of: string,
  ...all: [id: string, type: string, target: string][]
): [string, string] => [
  `word/_rels/${of}.xml.rels`,
  `<Relationships>${all.map(([id, type, target]) => `<Relationship Id="${id}" Type="t/${type}" Target="${target}" TargetMode="External"/>`).join('')}</Relationships>`,
];
const inDocument = (target: string): [string, string] => [
  'word/_rels/document.xml.rels',
  `<Relationships><Relationship Id="r9" Type="t/package" Target="${target}"/></Relationships>`,
];
const custom = (...all: [name: string, value: string][]): [string, string] => [
  'docProps/custom.xml',
  `<Properties xmlns:vt="x">${all.map(([name, value]) => `<property name="${name}"><vt:lpwstr>${value}</vt:lpwstr></property>`).join('')}</Properties>`,
];
const box = (wrap: string): string =>
  p(
    `<w:r><w:drawing><wp:anchor>${wrap}<wps:txbx>${p(run('{{company}}'))}</wps:txbx><wps:bodyPr/></wp:anchor></w:drawing></w:r>`,
  );

describe('recipients would have', () => {
  test.each<[string, [string, string][], RegExp[]]>([
    ['nothing', [content(''), settings(''), core('<dc:title>Brief</dc:title>')], []],
    [
      'tracked changes',
      [document(change('ins', 'Anna &amp; Bo') + change('del', 'Cem') + change('rPrChange', 'Cem'))],
      [/^3 tracked changes, by Anna & Bo, Cem$/],
    ],
    [
      'a tracked change of a header',
      [['word/header1.xml', change('moveTo', 'Cem')]],
      [/^1 tracked change, by Cem$/],
    ],
    [
      'a merge field',
      [document(p('<w:fldSimple w:instr=" MERGEFIELD Ort "/>'))],
      [/^the field MERGEFIELD Ort prints nothing/],
    ],
    [
      'a merge field in pieces',
      [document(split(' MERGE', 'FIELD Vor', 'name'))],
      [/MERGEFIELD Vorname prints nothing/],
    ],
    ['PRINTDATE', [document(split(' PRINTDATE \\@ "dd.MM.yyyy" '))], [/^the field PRINTDATE .* prints when/]],
    [
      'a greeting line',
      [document(split(' GREETINGLINE \\f "x" '))],
      [/GREETINGLINE .*no letter is a mail merge/],
    ],
    [
      "the template's path",
      [document(split(' FILENAME \\p '))],
      [/^the field FILENAME \\p prints the letter's name/],
    ],
    ['the user, twice', [document(split('USERNAME') + split(' username '))], [/USERNAME/, /username/]],
    [
      'a reference without target',
      [document(split(' REF Anlage \\h '))],
      [/^the field REF Anlage .*no bookmark "Anlage"$/],
    ],
    [
      'a reference to a bookmark of a header',
      [
        document(split(' PAGEREF anlage ')),
        ['word/header1.xml', p('<w:bookmarkStart w:id="1" w:name="Anlage"/>')],
      ],
      [],
    ],
    [
      'fields that print what they show',
      [document(split(' PAGE ') + split(' NUMPAGES ') + split(' HYPERLINK "x" '))],
      [],
    ],
    ['an embedded document', [document('<w:altChunk r:id="rId9"/>')], [/altChunk/]],
    [
      'properties',
      [
        core('<dc:creator>Tanja Textor</dc:creator><cp:keywords>intern</cp:keywords>'),
        [
          'docProps/app.xml',
          '<Properties><Company>Alt GmbH</Company><Manager>{{userLastName}}</Manager></Properties>',
        ],
      ],
      [
        /^the author "Tanja Textor" in the template itself/,
        /^properties of the file: keywords "intern", company "Alt GmbH"$/,
      ],
    ],
    ['justified text', [content(alignment('both'))], [/^justified text with line breaks/]],
    [
      'text justified by the style that its style is based on',
      [
        content('<w:pPr><w:pStyle w:val="Text"/></w:pPr>'),
        ['word/styles.xml', style('Basis', alignment('both')) + style('Text', '<w:basedOn w:val="Basis"/>')],
      ],
      [/^justified text/],
    ],
    [
      'text justified by the default style',
      [content(''), ['word/styles.xml', style('Standard', alignment('distribute'), 'w:default="1" ')]],
      [/^justified text/],
    ],
    [
      'left-aligned text',
      [content(alignment('left')), ['word/styles.xml', style('S', alignment('both'), 'w:default="1" ')]],
      [],
    ],
    [
      'justified text that the setting keeps',
      [content(alignment('both')), settings('<w:doNotExpandShiftReturn/>')],
      [],
    ],
    [
      'justified text that the setting does not keep',
      [content(alignment('both')), settings('<w:doNotExpandShiftReturn w:val="0"/>')],
      [/^justified/],
    ],
    [
      'other justified text',
      [document(p(alignment('both') + run('{{subject}}')) + p(run('{{content}}')))],
      [],
    ],
    [
      'a text box of a fixed height',
      [document(box('<wp:wrapSquare/>'))],
      [/^a text box of a fixed height.*"\{\{company\}\}"/],
    ],
    ['a text box that grows in letters', [document(box('<wp:wrapNone/>'))], []],
    [
      'a date control',
      [
        document(
          `<w:sdt><w:sdtPr><w:date w:fullDate="2020-01-01T00:00:00Z"/></w:sdtPr><w:sdtContent>${p(run('1. Januar 2020'))}</w:sdtContent></w:sdt>`,
        ),
      ],
      [/^a date control shows "1\. Januar 2020" in each letter/],
    ],
    ['a date block', [document(p('<w:r><w:dayLong/></w:r>'))], [/^a date block shows the day on which/]],
    [
      'a locked date field',
      [
        document(
          p('<w:fldSimple w:fldLock="1" w:instr=" DATE "><w:r><w:t>1.1.2020</w:t></w:r></w:fldSimple>'),
        ),
      ],
      [/^the date field DATE is locked: each letter shows the same date$/],
    ],
    // Microsoft's markup for fields of a merge, and the placeholders of other programs.
    ...(
      [
        ['{company}', 'company'],
        ['${subject}', 'subject'],
        ['&lt;&lt;LastName&gt;&gt;', 'lastName'],
        ['«lastName»', 'lastName'],
        ['[[city]]', 'city'],
        ['[city]', 'city'],
        ['%zip%', 'zip'],
      ] as const
    ).map(([written, meant]): [string, [string, string][], RegExp[]] => [
      written,
      [document(p(run(`An ${written.slice(0, 4)}`) + run(`${written.slice(4)}.`)))],
      [new RegExp(`is printed as it is: did you mean \\{\\{${meant}\\}\\}\\?$`)],
    ]),
    ['a command of other programs', [document(p(run('{% if x %}')))], [/^\{% if x %\} is printed as it is/]],
    ['other words in brackets', [document(p(run('[Anlage] {x} &lt;mailto:a&gt; 100 % und 5 %')))], []],
    [
      'a picture that is a link',
      [
        relationships(
          'document',
          ['r1', 'image', 'file:///C:/Logo.png'],
          ['r2', 'hyperlink', 'https://x.example'],
        ),
      ],
      [/^a picture is a link to file:\/\/\/C:\/Logo\.png: recipients see it only if/],
    ],
    [
      'an embedded workbook',
      [['word/embeddings/Preise.xlsm', 'x'], inDocument('embeddings/Preise.xlsm')],
      [/^the embedded file Preise\.xlsm/],
    ],
    [
      'hidden text',
      [
        document(
          p(run('intern: ', '<w:rPr><w:vanish/></w:rPr>') + run('a', '<w:rPr><w:vanish w:val="0"/></w:rPr>')),
        ),
      ],
      [/^hidden text, which recipients can show: "intern: "$/],
    ],
    [
      'a placeholder in data that nothing shows',
      [['customXml/item1.xml', '<a>{{street}}</a>']],
      [
        new RegExp(
          String.raw`^\{\{street\}\} in ${controlData} \(customXml/item1\.xml\) is shown by none of them: type it`,
        ),
      ],
    ],
    [
      'old data that no control shows any more',
      [
        ['customXml/item1.xml', '<a><b>Alte Firma GmbH</b></a>'],
        ['customXml/item2.xml', '<a x="1"/>'],
      ],
      [/^data of content controls \(customXml\/item1\.xml\): "Alte Firma GmbH"$/],
    ],
    [
      'the prompt of a control',
      [
        document(
          `<w:sdt><w:sdtPr><w:alias w:val="Zeichen"/><w:showingPlcHdr/></w:sdtPr><w:sdtContent>${p(run('Klicken Sie hier'))}</w:sdtContent></w:sdt>`,
        ),
      ],
      [/^the content control "Zeichen" shows its prompt "Klicken Sie hier" in each letter$/],
    ],
    [
      'no prompt',
      [
        document(
          ['<w:showingPlcHdr w:val="0"/>', '<w:showingPlcHdr/>']
            .map(
              (prompt, at) =>
                `<w:sdt><w:sdtPr>${prompt}</w:sdtPr><w:sdtContent>${p(run(at === 0 ? 'Text' : ' '))}</w:sdtContent></w:sdt>`,
            )
            .join(''),
        ),
      ],
      [],
    ],
    [
      "a link to somebody's disk, and one to a share",
      [
        relationships(
          'document',
          ['r1', 'hyperlink', 'file:///C:/AGB.pdf'],
          ['r2', 'hyperlink', '\\\\srv\\agb.pdf'],
          ['r3', 'hyperlink', 'mailto:a@x.example'],
        ),
      ],
      [/^a link to the file file:\/\/\/C:\/AGB\.pdf$/, /^a link to the file \\\\srv/],
    ],
    [
      'a control with a program',
      [['word/activeX/activeX1.bin', 'x'], inDocument('activeX/activeX1.bin')],
      [/^a control with a program \(activeX1\.bin\), of which Word warns$/],
    ],
    [
      'variables of programs',
      [settings('<w:docVars><w:docVar w:name="Vorgang" w:val="7"/></w:docVars>')],
      [/^properties and variables of programs: Vorgang "7"$/],
    ],
    [
      'properties of programs, and not what letters fill',
      [custom(['Kunde', 'Alt GmbH'], ['Ort', '{{city}}'], ['Lang', 'x'.repeat(70)])],
      [/^properties and variables of programs: Kunde "Alt GmbH", Lang "x{60}…"$/],
    ],
    [
      'many properties of programs',
      [custom(...Array.from({ length: 23 }, (_each, at): [string, string] => [`P${at}`, 'x']))],
      [/P19 "x", and 3 more$/],
    ],
  ])('%s', (_name, parts, lines) => {
    expect(messages(findingsOf(parts), 'kept')).toEqual(lines.map((line) => expect.stringMatching(line)));
  });
});

describe('letters no longer have', () => {
  const main = (inside: string): [string, string] => document(p(run('{{content}}')) + inside);
  const bound = (inside: string, more = ''): string =>
    `<w:sdt><w:sdtPr><w:alias w:val="Firma"/>${more}<w:dataBinding w:xpath="/ns0:daten[1]/ns0:firma[1]" w:storeItemID="{1}"/></w:sdtPr><w:sdtContent>${inside}</w:sdtContent></w:sdt>`;

  test.each<[string, [string, string][], RegExp[], string, RegExp]>([
    [
      // python-docx#965, ONLYOFFICE/DocumentServer#1410
      'the data of a content control',
      [main(bound(p(run('{{company}}'))))],
      [
        new RegExp(
          String.raw`^the content control "Firma" ${isUnbound} /daten/firma: letters have its text "\{\{company\}\}"$`,
        ),
      ],
      'word/document.xml',
      /dataBinding/,
    ],
    [
      'the lock of a content control',
      [
        main(
          `<w:sdt><w:sdtPr><w:lock w:val="sdtContentLocked"/></w:sdtPr><w:sdtContent>${p(run('Gruß'))}</w:sdtContent></w:sdt>`,
        ),
      ],
      [/^the content control is unlocked, so that the user can correct "Gruß"$/],
      'word/document.xml',
      /w:lock/,
    ],
    [
      // ivangabriele/markdown-exporter#196
      'the path of the attached template',
      [
        main(''),
        settings('<w:attachedTemplate r:id="r1"/>'),
        relationships('settings', ['r1', 'attachedTemplate', 'file:///C:/Users/t/Brief.dotm']),
      ],
      [/^the attached template file:\/\/\/C:\/Users\/t\/Brief\.dotm is removed: Word would look/],
      'word/_rels/settings.xml.rels',
      /Brief\.dotm/,
    ],
    [
      'a mail merge and its data',
      [
        main(''),
        settings('<w:mailMerge><w:dataSource r:id="r1"/></w:mailMerge>'),
        relationships('settings', ['r1', 'mailMergeSource', 'file:///C:/Kunden&amp;Co.xlsx']),
      ],
      [/^the connection of a mail merge file:\/\/\/C:\/Kunden&Co\.xlsx is removed/],
      'word/settings.xml',
      /mailMerge/,
    ],
    [
      // How Word 2007 and later write the source of a merge (ECMA-376 part 1, 17.14.25).
      'the path of the data of a mail merge',
      [
        main(''),
        settings(
          '<w:mailMerge><w:odso><w:recipientData r:id="r2"/><w:src r:id="r1"/></w:odso></w:mailMerge>',
        ),
        ['word/recipientData.xml', '<x/>'],
        [
          'word/_rels/settings.xml.rels',
          '<Relationships><Relationship Id="r1" Type="t/mailMergeSource" Target="file:///C:/Kunden.xlsx" TargetMode="External"/><Relationship Id="r2" Type="t/recipientData" Target="recipientData.xml"/></Relationships>',
        ],
      ],
      [/^the connection of a mail merge file:\/\/\/C:\/Kunden\.xlsx is removed/],
      'word/_rels/settings.xml.rels',
      /Kunden|recipientData/,
    ],
    [
      'the question whether to update fields, and the styles of another template',
      [main(''), settings('<w:updateFields w:val="true"/><w:linkStyles/>')],
      [/^the update of all fields is removed: Word would ask/, /^the update of the styles is removed/],
      'word/settings.xml',
      /updateFields|linkStyles/,
    ],
    [
      'a value that counts as a prompt',
      [
        main(
          `<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>${p(run('{{company}}'))}</w:sdtContent></w:sdt>`,
        ),
      ],
      [/^the text "\{\{company\}\}" of the content control is no longer its prompt/],
      'word/document.xml',
      /showingPlcHdr/,
    ],
    [
      'protection',
      [
        main(''),
        settings(
          '<w:writeProtection w:recommended="1"/><w:documentProtection w:edit="readOnly" w:enforcement="1"/>',
        ),
      ],
      [
        /^the protection is removed: the user could not correct/,
        /^the protection against writing is removed/,
      ],
      'word/settings.xml',
      /rotection/,
    ],
    [
      'the tracking of changes',
      [main(''), settings('<w:trackRevisions/>')],
      [/^the tracking of changes is removed/],
      'word/settings.xml',
      /trackRevisions/,
    ],
    [
      'the mark as final',
      [main(''), ['docProps/custom.xml', '<Properties><property name="_MarkAsFinal"/></Properties>']],
      [/^the mark as final is removed/],
      'docProps/custom.xml',
      /_MarkAsFinal/,
    ],
    [
      'the path of a picture that they contain',
      [
        document(
          p(run('{{content}}')) + p('<w:r><w:drawing><a:blip r:embed="r1" r:link="r2"/></w:drawing></w:r>'),
        ),
        [
          'word/_rels/document.xml.rels',
          '<Relationships><Relationship Id="r1" Type="t/image" Target="media/a.png"/><Relationship Id="r2" Type="t/image" Target="file:///C:/a.png" TargetMode="External"/></Relationships>',
        ],
      ],
      [/^the link of a picture to file:\/\/\/C:\/a\.png is removed: the picture is in the letter$/],
      'word/_rels/document.xml.rels',
      /C:\/a\.png/,
    ],
    [
      'tracked changes around the text',
      [
        document(
          `<w:p><w:pPr><w:rPr><w:ins w:id="7" w:author="T"/></w:rPr></w:pPr><w:ins w:id="8" w:author="T">${run('{{content}}', '<w:rPr><w:b/><w:rPrChange w:id="9" w:author="T"><w:rPr/></w:rPrChange></w:rPr>')}</w:ins></w:p>`,
        ),
      ],
      [/^the tracked changes in the paragraph of \{\{content\}\} are accepted$/],
      'word/document.xml',
      /w:(?:ins|rPrChange)/,
    ],
    [
      'a control for plain text around its paragraph',
      [
        document(
          `<w:sdt><w:sdtPr><w:text/></w:sdtPr><w:sdtContent>${p(run('{{content}}'))}</w:sdtContent></w:sdt>`,
        ),
      ],
      [/^the content control around \{\{content\}\} is removed/],
      'word/document.xml',
      /w:sdt/,
    ],
    [
      'a control around the text',
      [
        document(
          p(`<w:sdt><w:sdtPr><w:text/></w:sdtPr><w:sdtContent>${run('{{content}}')}</w:sdtContent></w:sdt>`),
        ),
      ],
      [/^the content control around \{\{content\}\} is removed/],
      'word/document.xml',
      /w:sdt/,
    ],
  ])('%s', (_name, parts, lines, path, gone) => {
    const { 'word/document.xml': body = '', ...others } = Object.fromEntries(parts);
    const file = wordFile(body, others);
    expect(partOf(file, path)).toMatch(gone);
    const template = prepareTemplate(file, ['content']);
    expect(messages(template.findings, 'changed')).toEqual(lines.map((line) => expect.stringMatching(line)));
    expect(partOf(fillTemplate(template, sampleLetters.full, letterMoment), path)).not.toMatch(gone);
  });

  describe('a part that is no text, with what only it names', () => {
    const related = (...all: [id: string, type: string, target: string][]): string =>
      `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${all.map(([id, type, target]) => `<Relationship Id="${id}" Type="${type.includes(':') ? type : `t/${type}`}" Target="${target}"/>`).join('')}</Relationships>`;
    const ofPackage: [string, string, string] = [
      'rId1',
      'http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument',
      'word/document.xml',
    ];

    test.each<[string, Record<string, string>, RegExp, string[]]>([
      [
        'the preview',
        {
          'docProps/thumbnail.jpeg': 'x',
          '_rels/.rels': related(ofPackage, ['rId2', 'metadata/thumbnail', 'docProps/thumbnail.jpeg']),
        },
        /^the preview picture is removed/,
        ['docProps/thumbnail.jpeg'],
      ],
      [
        'building blocks',
        {
          'word/glossary/document.xml':
            '<w:glossaryDocument xmlns:w="x">Gruß {{unknown}}</w:glossaryDocument>',
          'word/glossary/settings.xml': '<x/>',
          'word/glossary/_rels/document.xml.rels': related(['rId1', 'settings', 'settings.xml']),
          'word/_rels/document.xml.rels': related(['rId7', 'glossaryDocument', 'glossary/document.xml']),
        },
        /^the building blocks are removed/,
        ['word/glossary/document.xml', 'word/glossary/settings.xml', 'word/glossary/_rels/document.xml.rels'],
      ],
      [
        'authors',
        {
          'word/people.xml': '<w15:people xmlns:w15="x"><w15:person w15:author="T"/></w15:people>',
          'word/_rels/document.xml.rels': related(['rId7', 'people', '/word/people.xml']),
        },
        /^the list of authors is removed/,
        ['word/people.xml'],
      ],
      [
        'a signature',
        {
          '_xmlsignatures/origin.sigs': '',
          '_xmlsignatures/sig1.xml': '<x/>',
          '_xmlsignatures/_rels/origin.sigs.rels': related(['rId1', 'signature', 'sig1.xml']),
          '_rels/.rels': related(ofPackage, [
            'rId2',
            'digital-signature/origin',
            '_xmlsignatures/origin.sigs',
          ]),
        },
        /^the digital signature is removed/,
        ['_xmlsignatures/origin.sigs', '_xmlsignatures/sig1.xml', '_xmlsignatures/_rels/origin.sigs.rels'],
      ],
      [
        'buttons, and panes of add-ins',
        {
          'customUI/customUI.xml': '<x/>',
          'word/webextensions/taskpanes.xml': '<x/>',
          '_rels/.rels': related(
            ofPackage,
            ['rId2', 'ui/extensibility', 'customUI/customUI.xml'],
            ['rId3', 'webextensiontaskpanes', 'word/webextensions/taskpanes.xml'],
          ),
        },
        /^the (?:buttons|panes of add-ins) are removed/,
        ['customUI/customUI.xml', 'word/webextensions/taskpanes.xml'],
      ],
      [
        'keys',
        {
          'word/customizations.xml': '<x/>',
          'word/_rels/document.xml.rels': related(['rId7', 'keyMapCustomizations', 'customizations.xml']),
        },
        /^the keys and toolbars are removed/,
        ['word/customizations.xml'],
      ],
    ])('%s', (_what, parts, line, gone) => {
      const template = prepareTemplate(wordFile(p(run('{{content}}')), parts), ['content']);
      expect(new Set(messages(template.findings, 'changed').map((each) => line.test(each)))).toEqual(
        new Set([true]),
      );
      for (const path of gone) expect(() => partOf(template.file, path)).toThrow('missing');
      for (const path of Object.keys(parts).filter((each) => !gone.includes(each)))
        for (const name of gone) expect(partOf(template.file, path)).not.toContain(name.replace(/^.*\//, ''));
    });

    test('its declared type, and the reference to it', () => {
      const file = wordFile(p(run('{{content}}')) + '<w:sectPr><w:printerSettings r:id="rId7"/></w:sectPr>', {
        'word/header9.xml': '',
        'word/_rels/document.xml.rels': related(['rId7', 'printerSettings', 'header9.xml']),
      });
      const template = prepareTemplate(file, ['content']);
      expect(messages(template.findings, 'changed')).toEqual([
        expect.stringMatching(/^the settings of a printer are removed/),
      ]);
      expect(partOf(template.file, '[Content_Types].xml')).not.toContain('header9');
      expect(partOf(template.file, 'word/document.xml')).not.toContain('printerSettings');
    });

    test('but not a part that has the name of a file elsewhere', () => {
      const template = prepareTemplate(
        wordFile(p(run('{{content}}')), {
          'word/settings.xml': '<w:attachedTemplate r:id="r1"/>',
          'word/numbering.xml': '<x/>',
          ...Object.fromEntries([relationships('settings', ['r1', 'attachedTemplate', 'numbering.xml'])]),
        }),
      );
      expect(partOf(template.file, 'word/numbering.xml')).toContain('<x/>');
    });

    test('but not a part that something else names, too', () => {
      const template = prepareTemplate(
        wordFile(p(run('{{content}}')), {
          'word/people.xml': '<x/>',
          'word/_rels/document.xml.rels': related(
            ['rId7', 'people', 'people.xml'],
            ['rId8', 'other', 'people.xml'],
          ),
        }),
        ['content'],
      );
      expect(partOf(template.file, 'word/people.xml')).toContain('<x/>');
      expect(partOf(template.file, 'word/_rels/document.xml.rels')).not.toContain('rId7');
    });
  });

  test('other data than those that a letter is made of', () => {
    const store = '<daten><strasse>{{street}}</strasse></daten>';
    const letter = fillTemplate(
      prepareTemplate(wordFile(p(run('{{content}}')), { 'customXml/item1.xml': store })),
      sampleLetters.full,
      letterMoment,
    );
    expect(partOf(letter, 'customXml/item1.xml')).toContain(
      `<strasse>${sampleLetters.full.street}</strasse>`,
    );
  });

  test('a locked date field keeps what it shows', () => {
    const field = '<w:fldSimple w:fldLock="1" w:instr=" DATE "><w:r><w:t>1.1.2020</w:t></w:r></w:fldSimple>';
    const letter = fillTemplate(prepareTemplate(wordFile(p(field))), sampleLetters.full, letterMoment);
    expect(paragraphsOf(letter)).toEqual(['1.1.2020']);
  });
});

describe('what nobody sees in a template reaches no recipient unsaid', () => {
  const main = (inside = ''): [string, string] => document(p(run('{{content}}')) + inside);
  const picture = (attributes: string): string =>
    p(`<w:r><w:drawing><wp:inline><wp:docPr id="1" ${attributes}/></wp:inline></w:drawing></w:r>`);
  const app = (inside: string): [string, string] => [
    'docProps/app.xml',
    `<Properties>${inside}</Properties>`,
  ];
  const linked = (of: string): [string, string] => [
    `word/${of.replace(/([^/]*)$/, '_rels/$1')}.xml.rels`,
    '<Relationships><Relationship Id="r1" Type="t/frame" Target="file:///C:/Geheim.htm" TargetMode="External"/></Relationships>',
  ];
  const image = (bytes: string): [string, string][] => [
    main(),
    ['word/media/a.jpg', bytes],
    inDocument('media/a.jpg'),
  ];
  const hiding = style('Intern', '<w:rPr><w:vanish/></w:rPr>');

  /** Everything that is in a file, its names and notes included. */
  function contentOf(file: Buffer): string {
    const zip = new PizZip(file);
    return [file.toString('latin1'), ...Object.values(zip.files).map((each) => each.asBinary())].join('\n');
  }
  const noted = (file: Buffer): Buffer => {
    const zip = new PizZip(file);
    zip.file('word/media/x.png', '', { comment: 'Geheim 1' });
    return zip.generate({ type: 'nodebuffer', comment: 'Geheim 2' });
  };

  test.each<[string, [string, string][]]>([
    ['the path of a picture', [main(picture('name="C:\\Users\\Geheim\\logo.png"'))]],
    ['the path in an alternative text', [main(picture('descr="\\\\srv\\Geheim\\logo.png"'))]],
    [
      'the path in a title',
      [
        main(
          p(
            '<w:r><w:pict><v:imagedata xmlns:o="urn:schemas-microsoft-com:office:office" o:title="file:///C:/Geheim/a.png"/></w:pict></w:r>',
          ),
        ),
      ],
    ],
    ['the account that may edit', [main('<w:permStart w:id="1" w:ed="Geheim"/><w:permEnd w:id="1"/>')]],
    [
      'a smart tag',
      [
        main(
          p(
            '<w:smartTag w:element="PersonName"><w:smartTagPr><w:attr w:name="ProductID" w:val="Geheim"/></w:smartTagPr></w:smartTag>',
          ),
        ),
      ],
    ],
    ['a file of a system', [main(), ['__MACOSX/._Geheim', 'Geheim']]],
    ['a picture that is no longer used', [main(), ['word/media/alt.png', 'Geheim']]],
    ['a draft that no relationship names', [main(), ['word/old/entwurf.xml', '<a>Geheim</a>']]],
    [
      'a part that only such a draft names',
      [
        main(),
        ['word/old/entwurf.xml', '<a/>'],
        [
          'word/old/_rels/entwurf.xml.rels',
          '<Relationships><Relationship Id="r1" Type="t/image" Target="../media/Geheim.png"/></Relationships>',
        ],
        ['word/media/Geheim.png', ''],
      ],
    ],
    ['notes of the archive', [main(), ['word/media/x.png', '']]],
  ])('%s is removed', (name, parts) => {
    const { 'word/document.xml': body = '', ...others } = Object.fromEntries(parts);
    const plain = wordFile(body, others);
    const file = name === 'notes of the archive' ? noted(plain) : plain;
    expect(contentOf(file)).toContain('Geheim');
    const template = prepareTemplate(file);
    expect(messages(template.findings, 'changed').join()).toMatch(/ is removed: /);
    const left = contentOf(fillTemplate(template, sampleLetters.full, letterMoment));
    expect(left).not.toMatch(/Geheim|w:permEnd/);
  });

  test.each<[string, [string, string][], RegExp?]>([
    ['data in an attribute', [main(), ['customXml/item1.xml', '<a><b kunde="Geheim GmbH"/></a>']]],
    [
      'the path of a page',
      [main(), ['word/webSettings.xml', '<w:webSettings xmlns:w="x"/>'], linked('webSettings')],
    ],
    [
      'the data of a chart',
      [main(), ['word/charts/chart1.xml', '<c:chart xmlns:c="x"/>'], linked('charts/chart1')],
    ],
    ['its own template', [main(), app('<Template>Geheim.dotx</Template>')]],
    [
      'a text whose style hides it',
      [main(p(run('Geheim', '<w:rPr><w:rStyle w:val="Intern"/></w:rPr>'))), ['word/styles.xml', hiding]],
    ],
    [
      'a paragraph whose style hides it',
      [main(p(`<w:pPr><w:pStyle w:val="Intern"/></w:pPr>${run('Geheim')}`)), ['word/styles.xml', hiding]],
    ],
    [
      'the place of a photo',
      image('\xff\xd8 Exif\0\0 Geheim'),
      /^the picture word\/media\/a\.jpg has notes of a camera/,
    ],
    [
      'the author of a picture',
      image('\xff\xd8 <x:xmpmeta>Geheim'),
      /^the picture word\/media\/a\.jpg has notes/,
    ],
  ])('%s is named', (_name, parts, said = /Geheim/) => {
    const kept = messages(findingsOf(parts), 'kept');
    expect(kept).toEqual([expect.stringMatching(said)]);
  });

  test.each<[string, [string, string][]]>([
    [
      'a picture named in another case',
      [main(), ['word/media/Logo 1.png', ''], inDocument('media/logo%201.PNG')],
    ],
    ['a picture without notes', image('\xff\xd8 JFIF')],
    ["Word's own template", [main(), app('<Template>Normal.dotm</Template>')]],
    [
      'the bibliography of every document',
      [main(), ['customXml/item1.xml', '<b:Sources xmlns:b="x" StyleName="APA"/>']],
    ],
    ['an alternative text', [main(picture('descr="Logo: links / rechts, https://x.example/logo"'))]],
    [
      'a run that is shown in spite of its style',
      [
        main(
          p(`<w:pPr><w:pStyle w:val="Intern"/></w:pPr>${run('a', '<w:rPr><w:vanish w:val="0"/></w:rPr>')}`),
        ),
        ['word/styles.xml', hiding],
      ],
    ],
  ])('%s is nothing to say', (_name, parts) => {
    expect(findingsOf(parts)).toEqual([]);
  });
});

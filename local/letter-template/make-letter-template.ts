import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import PizZip from 'pizzip';
import {
  contentTypes,
  documentRelationships,
  packageRelationships,
  settings,
  styles,
} from './letter-package.ts';

// Creates Briefvorlage.docx, the template of the local stack: a business letter according to DIN 5008 form B. The company's
// details are fixed text, those of recipient and sender are placeholders. This script writes plain WordprocessingML;
// LibreOffice (Debian: libreoffice-writer) then opens and saves it, so that the file is the output of a word processor.
// Run: npm run letter-template

const namespaces = [
  'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"',
  'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"',
].join(' ');

const run = (text: string, format = ''): string =>
  `<w:r>${format === '' ? '' : `<w:rPr>${format}</w:rPr>`}<w:t xml:space="preserve">${text}</w:t></w:r>`;
const paragraph = (style: string, ...runs: string[]): string =>
  `<w:p><w:pPr><w:pStyle w:val="${style}"/></w:pPr>${runs.join('')}</w:p>`;
const field = (code: string): string =>
  ['begin', code, 'separate', 'end']
    .map((step) =>
      step === code
        ? `<w:r><w:instrText xml:space="preserve"> ${code} </w:instrText></w:r>`
        : `<w:r><w:fldChar w:fldCharType="${step}"/></w:r>`,
    )
    .join('');

const tab = '<w:r><w:tab/></w:r>';
const millimeters = (length: number): number => Math.round((length * 1440) / 25.4);

/** A table with fixed columns. A row with a height has exactly this height, so its text can shrink; no row splits. */
const table = (
  widths: readonly number[],
  rows: readonly { readonly height?: number; readonly cells: readonly string[] }[],
  { border = '', align = 'top' }: { border?: string; align?: 'top' | 'bottom' } = {},
): string =>
  [
    `<w:tbl><w:tblPr><w:tblW w:w="${millimeters(widths.reduce((sum, width) => sum + width))}" w:type="dxa"/><w:tblInd w:w="0" w:type="dxa"/>${border}<w:tblLayout w:type="fixed"/><w:tblCellMar><w:left w:w="0" w:type="dxa"/><w:right w:w="0" w:type="dxa"/></w:tblCellMar></w:tblPr>`,
    `<w:tblGrid>${widths.map((width) => `<w:gridCol w:w="${millimeters(width)}"/>`).join('')}</w:tblGrid>`,
    ...rows.map(({ height, cells }) =>
      [
        `<w:tr><w:trPr><w:cantSplit/>${height === undefined ? '' : `<w:trHeight w:val="${millimeters(height)}" w:hRule="exact"/>`}</w:trPr>`,
        ...cells.map(
          (cell, column) =>
            `<w:tc><w:tcPr><w:tcW w:w="${millimeters(widths[column] ?? 0)}" w:type="dxa"/><w:vAlign w:val="${align}"/></w:tcPr>${cell}</w:tc>`,
        ),
        '</w:tr>',
      ].join(''),
    ),
    '</w:tbl>',
  ].join('');

const company = ['Muster Bau GmbH', 'Werftstraße 7', '20457 Hamburg'] as const;
const nothing = paragraph('Abstand');

const address = [
  paragraph('Anschrift', run('{{company}}')),
  paragraph('Anschrift', run('{{title}} {{firstName}} {{lastName}}')),
  paragraph('Anschrift', run('{{street}} {{houseNumber}}')),
  paragraph('Anschrift', run('{{zip}} {{city}}')),
].join('');

const informationLine = (label: string, ...value: string[]): string =>
  paragraph('Infoblock', run(label, '<w:color w:val="5A6B7B"/>'), tab, ...value);
const informationBlock = [
  informationLine('Ihr Kontakt', run('{{userFirstName}} {{userLastName}}')),
  informationLine('Telefon', run('{{userPhone}}')),
  informationLine('Telefax', run('{{userFax}}')),
  informationLine('E-Mail', run('{{userEmail}}')),
  informationLine('Büro', run('{{userStreet}}, {{userPostalCode}} {{userCity}}')),
  informationLine('Datum', field('DATE \\@ "dd.MM.yyyy"')),
].join('');

// Distances from the top of the page: the text begins at 27 mm, the address field extends from 45 to 90 mm, and the
// information block next to it begins at 50 mm, 125 mm from the left edge. The field is 85 mm wide and 20 mm from the left
// edge, with its text indented by 5 mm. Nine lines fit at 10 points.
const addressField = table(
  [80, 20, 75],
  [
    { height: 18, cells: [nothing, nothing, nothing] },
    { height: 5.3, cells: [paragraph('Absenderzeile', run(company.join(' · '))), nothing, nothing] },
    { height: 39.7, cells: [address, nothing, informationBlock] },
  ],
);

const signature =
  paragraph('Absender', run('{{userCompany}}')) +
  paragraph('Unterschrift', run('{{userFirstName}} {{userLastName}}'));

const body = [
  addressField,
  paragraph('Betreff', run('{{subject}}')),
  paragraph('Brieftext', run('{{content}}')),
  // One row, because LibreOffice 7.4 separates a closing at the end of a page from the paragraphs it belongs to.
  table([165], [{ cells: [signature] }]),
  nothing,
  '<w:sectPr><w:headerReference w:type="first" r:id="rId4"/><w:headerReference w:type="default" r:id="rId5"/><w:footerReference w:type="first" r:id="rId6"/><w:pgSz w:w="11906" w:h="16838"/>',
  `<w:pgMar w:top="${millimeters(27)}" w:right="${millimeters(20)}" w:bottom="${millimeters(25)}" w:left="${millimeters(25)}" w:header="${millimeters(12)}" w:footer="${millimeters(10)}" w:gutter="0"/><w:titlePg/></w:sectPr>`,
];

const line = (side: string): string =>
  `<w:tblBorders><w:${side} w:val="single" w:sz="4" w:space="0" w:color="5A6B7B"/></w:tblBorders>`;
const firstHeader =
  table([165], [{ height: 11, cells: [paragraph('Briefkopf', run(company[0]))] }], {
    border: line('bottom'),
    align: 'bottom',
  }) + nothing;
const nextHeader =
  table(
    [130, 35],
    [
      {
        height: 9,
        cells: [
          paragraph('Kopfzeile', run('{{subject}}')),
          paragraph('Seitenzahl', run('Seite '), field('PAGE'), run(' von '), field('NUMPAGES')),
        ],
      },
    ],
    { border: line('bottom'), align: 'bottom' },
  ) + nothing;

const column = (...lines: string[]): string => lines.map((text) => paragraph('Fuss', run(text))).join('');
const firstFooter =
  table(
    [45, 65, 55],
    [
      {
        height: 13,
        cells: [
          column(...company),
          column(
            'Geschäftsführung: Petra Muster, Jan Beispiel',
            'Amtsgericht Hamburg, HRB 000000',
            'USt-IdNr. DE000000000',
          ),
          column('Musterbank', 'IBAN DE00 0000 0000 0000 0000 00', 'BIC MUSTDEFFXXX'),
        ],
      },
    ],
    { border: line('top') },
  ) + nothing;

const xml = (root: string, inside: string): string =>
  `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><${root} ${namespaces}>${inside}</${root}>`;

const zip = new PizZip();
zip.file('[Content_Types].xml', contentTypes);
zip.file('_rels/.rels', packageRelationships);
zip.file('word/_rels/document.xml.rels', documentRelationships);
zip.file('word/document.xml', xml('w:document', `<w:body>${body.join('')}</w:body>`));
zip.file('word/styles.xml', xml('w:styles', styles));
zip.file('word/settings.xml', xml('w:settings', settings));
zip.file('word/header1.xml', xml('w:hdr', firstHeader));
zip.file('word/header2.xml', xml('w:hdr', nextHeader));
zip.file('word/footer1.xml', xml('w:ftr', firstFooter));

const folder = await mkdtemp(join(tmpdir(), 'letter-template-'));
try {
  const source = join(folder, 'source.docx');
  await writeFile(source, zip.generate({ type: 'nodebuffer', compression: 'DEFLATE' }));
  await promisify(execFile)('soffice', [
    `-env:UserInstallation=file://${folder}/profile`,
    '--headless',
    '--convert-to',
    'docx:MS Word 2007 XML',
    '--outdir',
    join(folder, 'saved'),
    source,
  ]);
  // LibreOffice writes w:val="true", for which Microsoft's validator reports an error.
  const saved = new PizZip(await readFile(join(folder, 'saved', 'source.docx')));
  for (const { name } of saved.file(/^word\/\w+\.xml$/)) {
    const text = saved.file(name)!.asText();
    saved.file(name, text.replaceAll('<w:cantSplit w:val="true"/>', '<w:cantSplit/>'));
  }
  const file = saved.generate({ type: 'nodebuffer', compression: 'DEFLATE' });
  await writeFile(join(import.meta.dirname, 'Briefvorlage.docx'), file);
} finally {
  await rm(folder, { recursive: true, force: true });
}

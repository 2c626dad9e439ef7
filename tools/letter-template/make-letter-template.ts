import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import PizZip from 'pizzip';
import { inTemporaryFolder } from '../../release/temporary-folder.ts';
import {
  contentTypes,
  documentRelationships,
  packageRelationships,
  settings,
  styles,
} from './letter-package.ts';

// Creates Briefvorlage.docx and Briefvorlage-en.docx, the templates of the local stack: a business letter according to DIN
// 5008 form B, in German and English. The company's details are fixed text, those of recipient and sender are
// placeholders. This script writes plain WordprocessingML; LibreOffice (Debian: libreoffice-writer) then opens and saves
// it, so that the file is the output of a word processor. Run: npm run letter-template -w tools

const german = {
  file: 'Briefvorlage.docx',
  language: 'de-DE',
  contact: 'Ihr Kontakt',
  phone: 'Telefon',
  fax: 'Telefax',
  email: 'E-Mail',
  office: 'Büro',
  date: 'Datum',
  datePicture: 'dd.MM.yyyy',
  page: ['Seite ', ' von '],
  country: [],
  register: [
    'Geschäftsführung: Petra Muster, Jan Beispiel',
    'Amtsgericht Hamburg, HRB 000000',
    'USt-IdNr. DE000000000',
  ],
} as const;
const english = {
  file: 'Briefvorlage-en.docx',
  language: 'en-GB',
  contact: 'Your contact',
  phone: 'Phone',
  fax: 'Fax',
  email: 'Email',
  office: 'Office',
  date: 'Date',
  datePicture: 'd MMMM yyyy',
  page: ['Page ', ' of '],
  country: ['Germany'],
  register: [
    'Managing directors: Petra Muster, Jan Beispiel',
    'Hamburg local court, HRB 000000',
    'VAT ID DE000000000',
  ],
} as const;
type Labels = typeof german | typeof english;

const drawing = 'http://schemas.openxmlformats.org/drawingml/2006';
const shape = 'http://schemas.microsoft.com/office/word/2010/wordprocessingShape';
const namespaces = [
  `xmlns:wp="${drawing}/wordprocessingDrawing" xmlns:a="${drawing}/main" xmlns:wps="${shape}"`,
  'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"',
  'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"',
  'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"',
].join(' ');

const run = (text: string, format = ''): string =>
  `<w:r>${format === '' ? '' : `<w:rPr>${format}</w:rPr>`}<w:t xml:space="preserve">${text}</w:t></w:r>`;
const paragraph = (style: string, ...runs: string[]): string =>
  `<w:p><w:pPr><w:pStyle w:val="${style}"/></w:pPr>${runs.join('')}</w:p>`;
const fieldMark = (type: 'begin' | 'separate' | 'end'): string =>
  `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
const code = (text: string): string => `<w:r><w:instrText xml:space="preserve">${text}</w:instrText></w:r>`;
const field = (...inside: string[]): string =>
  [fieldMark('begin'), ...inside, fieldMark('separate'), fieldMark('end')].join('');

const tab = '<w:r><w:tab/></w:r>';
const millimeters = (length: number): number => Math.round((length * 1440) / 25.4);

/** A table with fixed columns. A row with a height has this height, and grows in letters if a value is long; no row splits. */
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

// Three empty lines: the zone for remarks (12.7 mm).
const remarks = paragraph('Vermerke', '<w:r><w:br/></w:r>', '<w:r><w:br/></w:r>');
const address = [
  remarks,
  paragraph('Anschrift', run('{{company}}')),
  paragraph('Anschrift', run('{{title}} {{firstName}} {{lastName}}')),
  paragraph('Anschrift', run('{{street}} {{houseNumber}}')),
  paragraph('Anschrift', run('{{zip}} {{city}}')),
].join('');

const informationLine = (label: string, ...value: string[]): string =>
  paragraph('Infoblock', run(label, '<w:color w:val="5A6B7B"/>'), tab, ...value);
const informationBlock = (labels: Labels): string =>
  [
    informationLine(labels.contact, run('{{userFirstName}} {{userLastName}}')),
    informationLine(labels.phone, run('{{userPhone}}')),
    informationLine(labels.fax, run('{{userFax}}')),
    informationLine(labels.email, run('{{userEmail}}')),
    informationLine(labels.office, run('{{userStreet}}, {{userPostalCode}} {{userCity}}')),
    informationLine(labels.date, field(code(` DATE \\@ "${labels.datePicture}" `))),
  ].join('');

// DIN 5008, form B. Distances from the top of the page: the text begins at 27 mm; the address field extends from 45 to 90
// mm, with the return address at its top and the address from 62.7 mm; the information block begins at 50 mm, 125 mm from
// the left edge. The field is 85 mm wide and 20 mm from the left edge, with its text indented by 5 mm.
const addressField = (labels: Labels): string =>
  table(
    [80, 20, 75],
    [
      { height: 18, cells: [nothing, nothing, nothing] },
      {
        height: 5,
        cells: [
          paragraph('Absenderzeile', run([...company, ...labels.country].join(' · '))),
          nothing,
          nothing,
        ],
      },
      { height: 40, cells: [address, nothing, informationBlock(labels)] },
    ],
  );

const emus = (length: number): number => Math.round(length * 36_000);
/** A line at the left edge, in millimeters from the top of the page. */
const mark = (name: string, top: number, length: number, id: number): string =>
  [
    '<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing>',
    '<wp:anchor distT="0" distB="0" distL="0" distR="0" simplePos="0" relativeHeight="2" behindDoc="1" locked="1" layoutInCell="0" allowOverlap="1">',
    `<wp:simplePos x="0" y="0"/><wp:positionH relativeFrom="page"><wp:posOffset>${emus(4)}</wp:posOffset></wp:positionH>`,
    `<wp:positionV relativeFrom="page"><wp:posOffset>${emus(top)}</wp:posOffset></wp:positionV>`,
    `<wp:extent cx="${emus(length)}" cy="0"/><wp:effectExtent l="0" t="0" r="0" b="0"/><wp:wrapNone/><wp:docPr id="${id}" name="${name}"/><wp:cNvGraphicFramePr/>`,
    `<a:graphic><a:graphicData uri="${shape}"><wps:wsp><wps:cNvCnPr/><wps:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="${emus(length)}" cy="0"/></a:xfrm>`,
    '<a:prstGeom prst="line"><a:avLst/></a:prstGeom><a:ln w="6350"><a:solidFill><a:srgbClr val="5A6B7B"/></a:solidFill></a:ln></wps:spPr><wps:bodyPr/></wps:wsp></a:graphicData></a:graphic>',
    '</wp:anchor></w:drawing></mc:Choice></mc:AlternateContent></w:r>',
  ].join('');
const marks = paragraph(
  'Abstand',
  mark('Falzmarke oben', 105, 5, 1),
  mark('Lochmarke', 148.5, 7, 2),
  mark('Falzmarke unten', 210, 5, 3),
);

const signature =
  paragraph('Absender', run('{{userCompany}}')) +
  paragraph('Unterschrift', run('{{userFirstName}} {{userLastName}}'));

const body = (labels: Labels): string =>
  [
    addressField(labels),
    paragraph('Betreff', run('{{subject}}')),
    paragraph('Brieftext', run('{{content}}')),
    // One row, because LibreOffice 7.4 separates a closing at the end of a page from the paragraphs it belongs to.
    table([165], [{ cells: [signature] }]),
    nothing,
    '<w:sectPr><w:headerReference w:type="first" r:id="rId4"/><w:headerReference w:type="default" r:id="rId5"/><w:footerReference w:type="first" r:id="rId6"/><w:pgSz w:w="11906" w:h="16838"/>',
    `<w:pgMar w:top="${millimeters(27)}" w:right="${millimeters(20)}" w:bottom="${millimeters(25)}" w:left="${millimeters(25)}" w:header="${millimeters(12)}" w:footer="${millimeters(10)}" w:gutter="0"/><w:titlePg/></w:sectPr>`,
  ].join('');

const line = (side: string): string =>
  `<w:tblBorders><w:${side} w:val="single" w:sz="4" w:space="0" w:color="5A6B7B"/></w:tblBorders>`;
const firstHeader =
  table([165], [{ height: 11, cells: [paragraph('Briefkopf', run(company[0]))] }], {
    border: line('bottom'),
    align: 'bottom',
  }) + marks;
const nextHeader = (labels: Labels): string =>
  table(
    [130, 35],
    [
      {
        height: 9,
        cells: [paragraph('Kopfzeile', run('{{subject}}')), paragraph('Seitenzahl', pageOf(labels))],
      },
    ],
    { border: line('bottom'), align: 'bottom' },
  ) + nothing;

const column = (...lines: string[]): string => lines.map((text) => paragraph('Fuss', run(text))).join('');
const firstFooter = (labels: Labels): string =>
  [
    paragraph('Seitenzahl', run(pageOfSeveral)),
    table(
      [45, 65, 55],
      [
        {
          height: 11,
          cells: [
            column(...company),
            column(...labels.register),
            column('Musterbank', 'IBAN DE00 0000 0000 0000 0000 00', 'BIC MUSTDEFFXXX'),
          ],
        },
      ],
      { border: line('top') },
    ),
    nothing,
  ].join('');

const pageOf = ({ page: [page, of] }: Labels): string =>
  [run(page), field(code(' PAGE ')), run(of), field(code(' NUMPAGES '))].join('');

// This text is replaced by the fields after LibreOffice has saved the file, because it does not save nested ones. Word
// (w15) numbers the first page of several; others, which cannot evaluate the condition, number it always.
const pageOfSeveral = 'SEITE_EINS';
const w15 = 'xmlns:w15="http://schemas.microsoft.com/office/word/2012/wordml"';
function pageFields(labels: Labels): string {
  const { page, of } = { page: labels.page[0], of: labels.page[1] };
  const shown = [code(` > 1 "${page}`), field(code(' PAGE ')), code(of), field(code(' NUMPAGES '))];
  const ofSeveral = field(code(' IF '), field(code(' NUMPAGES ')), ...shown, code('" "" '));
  return `<mc:AlternateContent><mc:Choice ${w15} Requires="w15">${ofSeveral}</mc:Choice><mc:Fallback>${pageOf(labels)}</mc:Fallback></mc:AlternateContent>`;
}

const xml = (root: string, inside: string): string =>
  `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><${root} ${namespaces}>${inside}</${root}>`;

function source(labels: Labels): Buffer {
  const zip = new PizZip();
  zip.file('[Content_Types].xml', contentTypes);
  zip.file('_rels/.rels', packageRelationships);
  zip.file('word/_rels/document.xml.rels', documentRelationships);
  zip.file('word/document.xml', xml('w:document', `<w:body>${body(labels)}</w:body>`));
  zip.file('word/styles.xml', xml('w:styles', styles(labels.language)));
  zip.file('word/settings.xml', xml('w:settings', settings(labels.language)));
  zip.file('word/header1.xml', xml('w:hdr', firstHeader));
  zip.file('word/header2.xml', xml('w:hdr', nextHeader(labels)));
  zip.file('word/footer1.xml', xml('w:ftr', firstFooter(labels)));
  return zip.generate({ type: 'nodebuffer', compression: 'DEFLATE' });
}

await inTemporaryFolder('letter-template', async (folder) => {
  for (const labels of [german, english]) {
    const path = join(folder, labels.file);
    await writeFile(path, source(labels));
    await promisify(execFile)('soffice', [
      `-env:UserInstallation=${pathToFileURL(join(folder, 'profile')).href}`,
      '--headless',
      '--convert-to',
      'docx:MS Word 2007 XML',
      '--outdir',
      join(folder, 'saved'),
      path,
    ]);
    const saved = new PizZip(await readFile(join(folder, 'saved', labels.file)));
    for (const { name } of saved.file(/^word\/\w+\.xml$/)) {
      const text = saved
        .file(name)!
        .asText()
        // LibreOffice writes w:val="true" and ID, for which Microsoft's validator reports errors.
        .replaceAll('<w:cantSplit w:val="true"/>', '<w:cantSplit/>')
        .replaceAll(/(?<=<v:line [^>]*) ID="[^"]*"/g, '')
        .replace(new RegExp(`<w:r>(?:(?!<w:r>).)*${pageOfSeveral}.*?</w:r>`), pageFields(labels));
      saved.file(name, text);
    }
    const file = saved.generate({ type: 'nodebuffer', compression: 'DEFLATE' });
    await writeFile(join(import.meta.dirname, labels.file), file);
  }
});

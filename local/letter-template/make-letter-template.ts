import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
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

// Makes Briefvorlage.docx, the template of the local stack: a business letter after DIN 5008 form B with letterhead,
// address field, information block in a text box, and footer. Written as plain WordprocessingML, then opened and saved
// by LibreOffice (Debian: libreoffice-writer), so that the file is one a word processor has made.
// Run: node local/letter-template/make-letter-template.ts

const namespaces = [
  'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"',
  'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"',
  'xmlns:v="urn:schemas-microsoft-com:vml"',
  'xmlns:o="urn:schemas-microsoft-com:office:office"',
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

const informationLine = (label: string, value: string): string =>
  paragraph('Infoblock', run(`${label}  `, '<w:color w:val="5A6B7B"/>'), value);

// From the left edge of the page 12.5 cm, from its top 5 cm, 7 cm wide (DIN 5008 form B).
const informationBlock = `<w:r><w:pict><v:shape type="#_x0000_t202" style="position:absolute;margin-left:12.5cm;margin-top:5cm;width:7cm;height:4cm;mso-position-horizontal-relative:page;mso-position-vertical-relative:page" stroked="f" filled="f"><v:textbox inset="0,0,0,0"><w:txbxContent>${[
  informationLine('Ihr Kontakt', run('{{userFirstName}} {{userLastName}}')),
  informationLine('Telefon', run('{{userPhone}}')),
  informationLine('Telefax', run('{{userFax}}')),
  informationLine('E-Mail', run('{{userEmail}}')),
  informationLine('Datum', field('DATE \\@ "dd.MM.yyyy"')),
].join('')}</w:txbxContent></v:textbox></v:shape></w:pict></w:r>`;

const address = [
  paragraph(
    'Absenderzeile',
    informationBlock,
    run('{{userCompany}} · {{userStreet}} · {{userPostalCode}} {{userCity}}'),
  ),
  paragraph('Anschrift', run('{{company}}')),
  paragraph('Anschrift', run('{{title}} {{firstName}} {{lastName}}')),
  paragraph('Anschrift', run('{{street}} {{houseNumber}}')),
  paragraph('Anschrift', run('{{zip}} {{city}}')),
];

const body = [
  ...address,
  paragraph('Betreff', run('{{subject}}')),
  paragraph('Brieftext', run('{{content}}')),
  paragraph('Unterschrift', run('{{userFirstName}} {{userLastName}}')),
  paragraph('Anschrift', run('{{userCompany}}')),
  '<w:sectPr><w:headerReference w:type="default" r:id="rId4"/><w:footerReference w:type="default" r:id="rId5"/><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="2835" w:right="1134" w:bottom="1701" w:left="1418" w:header="851" w:footer="567" w:gutter="0"/></w:sectPr>',
];

const header = paragraph('Briefkopf', run('{{userCompany}}'));
const footer =
  paragraph('Fuss', run('{{userCompany}} · {{userStreet}} · {{userPostalCode}} {{userCity}}')) +
  paragraph('Fuss', run('Telefon {{userPhone}} · Telefax {{userFax}} · {{userEmail}}'));

const xml = (root: string, inside: string): string =>
  `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><${root} ${namespaces}>${inside}</${root}>`;

const zip = new PizZip();
zip.file('[Content_Types].xml', contentTypes);
zip.file('_rels/.rels', packageRelationships);
zip.file('word/_rels/document.xml.rels', documentRelationships);
zip.file('word/document.xml', xml('w:document', `<w:body>${body.join('')}</w:body>`));
zip.file('word/styles.xml', xml('w:styles', styles));
zip.file('word/settings.xml', xml('w:settings', settings));
zip.file('word/header1.xml', xml('w:hdr', header));
zip.file('word/footer1.xml', xml('w:ftr', footer));

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
  await copyFile(join(folder, 'saved', 'source.docx'), join(import.meta.dirname, 'Briefvorlage.docx'));
} finally {
  await rm(folder, { recursive: true, force: true });
}

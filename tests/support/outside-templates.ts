import PizZip from 'pizzip';
import type { LetterValues } from '../../lib/activities/letter/filling/placeholders.ts';
import { sampleLetters } from '../../tools/letter-template/sample-letters.ts';
import { wordFile } from './word-file.ts';

// Templates as people have them, small and made for it, one for each situation of a public report.

const run = (text: string, format = ''): string =>
  `<w:r>${format}<w:t xml:space="preserve">${text}</w:t></w:r>`;
const p = (...inside: string[]): string => `<w:p>${inside.join('')}</w:p>`;
const bold = '<w:rPr><w:b/><w:sz w:val="28"/></w:rPr>';
const by = 'w:author="Tanja" w:date="2026-01-01T00:00:00Z"';
const cell = (...paragraphs: string[]): string =>
  `<w:tc><w:tcPr><w:tcW w:w="3000" w:type="dxa"/></w:tcPr>${paragraphs.join('')}</w:tc>`;
const table = (...rows: string[][]): string =>
  `<w:tbl><w:tblPr><w:tblW w:w="6000" w:type="dxa"/></w:tblPr><w:tblGrid><w:gridCol w:w="3000"/><w:gridCol w:w="3000"/></w:tblGrid>${rows.map((cells) => `<w:tr>${cells.join('')}</w:tr>`).join('')}</w:tbl>`;
const control = (inside: string, properties = ''): string =>
  `<w:sdt><w:sdtPr>${properties}</w:sdtPr><w:sdtContent>${inside}</w:sdtContent></w:sdt>`;
const markedBy = (change: string): string => `<w:pPr><w:rPr><w:${change} w:id="7" ${by}/></w:rPr></w:pPr>`;
const box = `<w:r><w:pict><v:shape id="b1" style="position:absolute;width:90pt;height:30pt"><v:textbox><w:txbxContent>${p(run('Kasten'))}</w:txbxContent></v:textbox></v:shape></w:pict></w:r>`;
const end = p(run('Ende'));

/** The sender has no fax. */
export const outsideValues: LetterValues = {
  ...sampleLetters.full,
  company: 'Bau GmbH',
  content: 'Guten Tag,\n\nes fehlen:\n- Plan\n- Bericht\n\nMit freundlichen Grüßen',
  userPhone: '1',
  userFax: '',
  userEmail: 'a@x.example',
};
const text = ['Guten Tag,', 'es fehlen:', '-\tPlan', '-\tBericht', 'Mit freundlichen Grüßen'];
const textAfter = (first: string): string[] => [`${first}${text[0]}`, ...text.slice(1)];

export interface OutsideTemplate {
  readonly name: string;
  readonly source: string;
  readonly file: Buffer;
  /** The paragraphs of the letter. */
  readonly lines: readonly string[];
  /** What each run of the text has. */
  readonly format?: string;
}

const content = (
  name: string,
  source: string,
  body: string,
  lines: string[],
  format?: string,
): OutsideTemplate => ({
  name,
  source,
  file: wordFile(body + end),
  lines: [...lines, 'Ende'],
  ...(format !== undefined && { format }),
});
const line = (name: string, body: string, ...lines: string[]): OutsideTemplate => ({
  name,
  source: 'open-xml-templating/docxtemplater#343, docassemble/docassemble#464: labels of empty values',
  // A template without the text is no letter.
  file: wordFile(p(run('{{company}}')) + body + end),
  lines: ['Bau GmbH', ...lines, 'Ende'],
});

/** The main part declared by its extension, as System.IO.Packaging does it. */
function declaredByExtension(file: Buffer): Buffer {
  const zip = new PizZip(file);
  const main = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';
  zip.file(
    '[Content_Types].xml',
    `<?xml version="1.0" encoding="utf-8"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="${main}"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/></Types>`,
  );
  return zip.generate({ type: 'nodebuffer' });
}

const changedFormat = `<w:rPr><w:b/><w:rPrChange w:id="9" ${by}><w:rPr/></w:rPrChange></w:rPr>`;

export const outsideTemplates: readonly OutsideTemplate[] = [
  content(
    'bold while changes are tracked',
    'open-xml-templating/docxtemplater#393',
    p(run('{{content}}', changedFormat)),
    text,
    '<w:rPr><w:b/></w:rPr>',
  ),
  content(
    'a mark that is tracked as deleted',
    'open-xml-templating/docxtemplater#393',
    p(markedBy('del'), run('{{content}}', bold)),
    text,
    bold,
  ),
  content(
    'a mark that is tracked as inserted',
    'open-xml-templating/docxtemplater#393',
    p(markedBy('ins'), run('{{content}}', bold)),
    text,
    bold,
  ),
  content(
    'a tracked insertion',
    'open-xml-templating/docxtemplater#393',
    p(`<w:ins w:id="8" ${by}>${run('{{content}}', bold)}</w:ins>`),
    text,
    bold,
  ),
  content(
    'a blank before it',
    'Amberg/DocxTemplater#146',
    p(run(' {{content}}', bold)),
    textAfter(' '),
    bold,
  ),
  content(
    'a tab before it in its run',
    'Amberg/DocxTemplater#146',
    p(`<w:r>${bold}<w:tab/><w:t>{{content}}</w:t></w:r>`),
    textAfter('\t'),
    bold,
  ),
  content(
    "Word's mark of a page before it",
    'Amberg/DocxTemplater#146',
    p(`<w:r>${bold}<w:lastRenderedPageBreak/><w:t>{{content}}</w:t></w:r>`),
    text,
    bold,
  ),
  content(
    'a closing beside an empty value',
    'elapouya/python-docx-template#544',
    p(run('{{content}} {{userFax}}', bold)),
    text,
    bold,
  ),
  content(
    'a text box anchored in its paragraph',
    'elapouya/python-docx-template#544, guigrpa/docx-templates#362',
    p(run('{{content}}', bold), box),
    [`${text[0]}Kasten`, ...text.slice(1)],
    bold,
  ),
  content(
    'a control in its line',
    'python-openxml/python-docx#965',
    p(control(run('{{content}}', bold), '<w:text/>')),
    text,
    bold,
  ),
  content(
    'a control around its paragraph',
    'python-openxml/python-docx#965',
    control(p(run('{{content}}', bold)), '<w:text/>'),
    text,
    bold,
  ),

  line('two labels in two runs', p(run('Tel. {{userPhone}} '), run('/ Fax {{userFax}}', bold)), 'Tel. 1'),
  line(
    'three labels in one line',
    p(run('Telefon: {{userPhone}} • ', bold), run('Telefax: {{userFax}} '), run('E-Mail: {{userEmail}}')),
    'Telefon: 1 • E-Mail: a@x.example',
  ),
  line(
    'labels without a separator',
    p(run('Telefon {{userPhone}} Telefax {{userFax}} E-Mail {{userEmail}}')),
    'Telefon 1 E-Mail a@x.example',
  ),
  line(
    'labels between tabs',
    p(
      run('Telefon:'),
      '<w:r><w:tab/></w:r>',
      run('{{userPhone}}'),
      '<w:r><w:tab/></w:r>',
      run('Telefax:'),
      '<w:r><w:tab/></w:r>',
      run('{{userFax}}'),
    ),
    'Telefon:\t1',
  ),
  line(
    'other separators',
    p(run('{{userFax}} ; {{userPhone}} - {{userFax}} ▪ {{userEmail}}')),
    '1 ▪ a@x.example',
  ),
  line(
    'a label on the line above',
    p(run('Telefax:')) + p(run('{{userFax}}')) + p(run('{{userEmail}}')),
    'a@x.example',
  ),
  line(
    'a label on the line above, in one paragraph',
    p(`<w:r><w:t>Telefax:</w:t><w:br/><w:t>{{userFax}}</w:t><w:br/><w:t>{{userEmail}}</w:t></w:r>`),
    'a@x.example',
  ),
  line(
    'a column of labels',
    table([
      cell(p(run('Telefon:')), p(run('Telefax:')), p(run('E-Mail:'))),
      cell(p(run('{{userPhone}}')), p(run('{{userFax}}')), p(run('{{userEmail}}'))),
    ]),
    'Telefon:',
    'E-Mail:',
    '1',
    'a@x.example',
  ),
  line(
    'a column of labels that is not line by line',
    table([
      cell(p(run('Telefon:')), p(run('Telefax:')), p(run('E-Mail:')), p(run('Web:'))),
      cell(p(run('{{userPhone}}')), p(run('{{userFax}}')), p(run('{{userEmail}}'))),
    ]),
    'Telefon:',
    'Telefax:',
    'E-Mail:',
    'Web:',
    '1',
    '',
    'a@x.example',
  ),
  line(
    'a row of its own',
    table(
      [cell(p(run('Telefax'))), cell(p(run('{{userFax}}')))],
      [cell(p(run('E-Mail'))), cell(p(run('{{userEmail}}')))],
    ),
    'E-Mail',
    'a@x.example',
  ),
  line(
    'a sentence',
    p(run('Rufen Sie uns gern jederzeit an, Telefax {{userFax}} oder Telefon.')),
    'Rufen Sie uns gern jederzeit an, Telefax oder Telefon.',
  ),

  {
    name: 'a control that is bound to old data',
    source: 'python-openxml/python-docx#965, ONLYOFFICE/DocumentServer#1410',
    file: wordFile(
      control(
        p(run('{{company}}')),
        '<w:dataBinding w:xpath="/a[1]" w:storeItemID="{C5A4F1B2-0000-4000-8000-000000000001}"/>',
      ) + end,
      { 'customXml/item1.xml': '<a>Alte Firma GmbH</a>' },
    ),
    lines: ['Bau GmbH', 'Ende'],
  },
  {
    name: 'a type by its extension',
    source: 'bugzilla 55733 of Apache POI, dotnet/Open-XML-SDK',
    file: declaredByExtension(wordFile(p(run('{{company}}')) + end)),
    lines: ['Bau GmbH', 'Ende'],
  },
  {
    name: 'an embedded workbook with macros',
    source: 'OPC: a type by its extension is for each part with it',
    file: withWorkbook(wordFile(p(run('{{company}}')) + end)),
    lines: ['Bau GmbH', 'Ende'],
  },
];

function withWorkbook(file: Buffer): Buffer {
  const zip = new PizZip(file);
  const types = zip.file('[Content_Types].xml')!.asText();
  const workbook = '<Default Extension="xlsm" ContentType="application/vnd.ms-excel.sheet.macroEnabled.12"/>';
  zip.file('[Content_Types].xml', types.replace('<Default ', `${workbook}<Default `));
  zip.file('word/embeddings/Preise.xlsm', 'x');
  return zip.generate({ type: 'nodebuffer' });
}

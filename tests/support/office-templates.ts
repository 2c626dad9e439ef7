import { wordFile } from './word-file.ts';

// Letters as offices have them, each laid out in another way than the shipped template. In twentieths of a point.
const mm = (millimeters: number): number => Math.round((millimeters / 25.4) * 1440);
const emu = (millimeters: number): number => Math.round(millimeters * 36_000);

const run = (text: string, format = ''): string =>
  `<w:r><w:rPr>${format}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
const p = (text: string, properties = '', format = ''): string =>
  `<w:p><w:pPr><w:spacing w:before="0" w:after="0"/>${properties}</w:pPr>${run(text, format)}</w:p>`;
const gap = '<w:p/>';
const size = (points: number): string => `<w:sz w:val="${points * 2}"/>`;

const cell = (widthMm: number, content: string): string =>
  `<w:tc><w:tcPr><w:tcW w:w="${mm(widthMm)}" w:type="dxa"/></w:tcPr>${content}</w:tc>`;
const row = (heightMm: number, ...cells: string[]): string =>
  `<w:tr><w:trPr><w:trHeight w:val="${mm(heightMm)}" w:hRule="exact"/></w:trPr>${cells.join('')}</w:tr>`;
const table = (widths: readonly number[], ...rows: string[]): string =>
  [
    '<w:tbl><w:tblPr><w:tblLayout w:type="fixed"/><w:tblCellMar><w:left w:w="0" w:type="dxa"/><w:right w:w="0" w:type="dxa"/></w:tblCellMar></w:tblPr>',
    `<w:tblGrid>${widths.map((width) => `<w:gridCol w:w="${mm(width)}"/>`).join('')}</w:tblGrid>`,
    ...rows,
    '</w:tbl>',
  ].join('');

const address = [
  '{{company}}',
  '{{title}} {{firstName}} {{lastName}}',
  '{{street}} {{houseNumber}}',
  '{{zip}} {{city}}',
]
  .map((line) => p(line))
  .join('');
const sender = p('{{userCompany}} · {{userStreet}} · {{userPostalCode}} {{userCity}}', '', size(7));
const date = `<w:p><w:pPr><w:jc w:val="right"/></w:pPr><w:r><w:t xml:space="preserve">{{userCity}}, </w:t></w:r><w:fldSimple w:instr=" DATE \\@ &quot;d. MMMM yyyy&quot; ">${run('1. Januar 2020')}</w:fldSimple></w:p>`;
const text = [
  p('{{subject}}', '<w:keepNext/>', '<w:b/>'),
  gap,
  '<w:p><w:pPr><w:spacing w:after="160"/></w:pPr><w:r><w:t>{{content}}</w:t></w:r></w:p>',
  gap,
  p('{{userFirstName}} {{userLastName}}'),
  p('Telefon {{userPhone}} · Telefax {{userFax}} · {{userEmail}}', '', size(9)),
].join('');

const page = (topMm: number, references = ''): string =>
  `<w:sectPr>${references}<w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="${mm(topMm)}" w:right="${mm(20)}" w:bottom="${mm(30)}" w:left="${mm(25)}" w:header="${mm(10)}" w:footer="${mm(10)}" w:gutter="0"/>${references.includes('w:type="first"') ? '<w:titlePg/>' : ''}</w:sectPr>`;

const officeNs = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const related = (...names: string[]): string =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${names
    .map(
      (name) =>
        `<Relationship Id="${name}" Type="${officeNs}/${name.replace(/\d/, '')}" Target="${name}.xml"/>`,
    )
    .join('')}</Relationships>`;
const reference = (kind: 'header' | 'footer', type: string, name: string): string =>
  `<w:${kind}Reference w:type="${type}" r:id="${name}" xmlns:r="${officeNs}"/>`;

/** A box of a fixed size at a place of the page, as Word writes one, without the copy for old versions. */
const textBox = (leftMm: number, topMm: number, widthMm: number, heightMm: number, content: string): string =>
  [
    '<w:p><w:r><w:drawing><wp:anchor xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" distT="0" distB="0" distL="0" distR="0" simplePos="0" relativeHeight="1" behindDoc="0" locked="0" layoutInCell="1" allowOverlap="1"><wp:simplePos x="0" y="0"/>',
    `<wp:positionH relativeFrom="page"><wp:posOffset>${emu(leftMm)}</wp:posOffset></wp:positionH>`,
    `<wp:positionV relativeFrom="page"><wp:posOffset>${emu(topMm)}</wp:posOffset></wp:positionV>`,
    `<wp:extent cx="${emu(widthMm)}" cy="${emu(heightMm)}"/><wp:wrapNone/><wp:docPr id="${leftMm + 1}" name="Feld ${leftMm}"/>`,
    '<a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:graphicData uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:wsp xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:cNvSpPr txBox="1"/><wps:spPr>',
    `<a:xfrm><a:off x="0" y="0"/><a:ext cx="${emu(widthMm)}" cy="${emu(heightMm)}"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></wps:spPr>`,
    `<wps:txbx><w:txbxContent>${content}</w:txbxContent></wps:txbx><wps:bodyPr lIns="0" tIns="0" rIns="0" bIns="0"><a:noAutofit/></wps:bodyPr></wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing></w:r></w:p>`,
  ].join('');

/** A paragraph in a frame of Word 97, which many templates of address fields still have. */
const framed = (line: string): string =>
  p(
    line,
    `<w:framePr w:w="${mm(80)}" w:h="${mm(40)}" w:hRule="exact" w:wrap="around" w:vAnchor="page" w:hAnchor="page" w:x="${mm(25)}" w:y="${mm(50)}"/>`,
  ).replace(/(<w:pPr>)(<w:spacing[^>]*>)(<w:framePr[^>]*>)/, '$1$3$2');

const dotx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml';

export const officeTemplates = {
  /** DIN 5008 form A: the address field begins at 27 mm, in a row of exact height. */
  formA: wordFile(
    table([85, 80], row(5, cell(85, sender), cell(80, gap)), row(35, cell(85, address), cell(80, date))) +
      gap +
      text +
      page(27),
  ),
  /** A letterhead as a table in the header, and an information block beside the address. */
  headerTable: wordFile(
    table(
      [85, 80],
      row(
        40,
        cell(85, address),
        cell(80, p('Unser Zeichen: {{userLastName}}') + p('E-Mail: {{userEmail}}') + date),
      ),
    ) +
      gap +
      text +
      page(55, reference('header', 'default', 'header1')),
    {
      'word/header1.xml':
        table(
          [60, 55, 50],
          row(
            20,
            cell(60, p('{{userCompany}}', '', `<w:b/>${size(16)}`)),
            cell(55, p('{{userStreet}}') + p('{{userPostalCode}} {{userCity}}')),
            cell(50, p('Telefon {{userPhone}}') + p('Telefax {{userFax}}')),
          ),
        ) + gap,
      'word/_rels/document.xml.rels': related('header1'),
    },
  ),
  /** Address and date in text boxes of exact height, placed on the page. */
  textBoxes: wordFile(
    textBox(25, 50, 80, 40, sender + address) +
      textBox(125, 50, 65, 40, p('{{userFirstName}} {{userLastName}}') + p('{{userEmail}}') + date) +
      text +
      page(98),
  ),
  /** A footer in four columns, a header of the first page, and another of the pages that follow. */
  footerColumns: wordFile(
    sender +
      address +
      gap +
      date +
      text +
      page(
        45,
        reference('header', 'first', 'header1') +
          reference('header', 'default', 'header2') +
          reference('footer', 'default', 'footer1') +
          reference('footer', 'first', 'footer1'),
      ),
    {
      'word/header1.xml': p('{{userCompany}}', '<w:jc w:val="right"/>', `<w:b/>${size(20)}`),
      'word/header2.xml': `<w:p><w:r><w:t xml:space="preserve">{{subject}} · Seite </w:t></w:r><w:fldSimple w:instr=" PAGE ">${run('2')}</w:fldSimple></w:p>`,
      'word/footer1.xml':
        table(
          [41, 41, 41, 42],
          row(
            20,
            cell(41, p('{{userCompany}}', '', size(7)) + p('{{userStreet}}', '', size(7))),
            cell(41, p('Telefon {{userPhone}}', '', size(7)) + p('Telefax {{userFax}}', '', size(7))),
            cell(41, p('Förde Sparkasse', '', size(7)) + p('DE12 3456 7890 1234 5678 90', '', size(7))),
            cell(42, p('Amtsgericht Kiel', '', size(7)) + p('HRB 4711', '', size(7))),
          ),
        ) + gap,
      'word/_rels/document.xml.rels': related('header1', 'header2', 'footer1'),
    },
  ),
  /** A .dotx with the address in a frame of exact height. */
  frame: wordFile(
    ['{{company}}', '{{title}} {{firstName}} {{lastName}}', '{{street}} {{houseNumber}}', '{{zip}} {{city}}']
      .map(framed)
      .join('') +
      date +
      text +
      page(98),
    {},
    dotx,
  ),
} as const;

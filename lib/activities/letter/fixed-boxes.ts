import type { LetterLines } from './letter-lines.ts';
import { type TextFormat, TextStyles } from './text-format.ts';
import type { Room } from './type-size.ts';
import type { XmlElement } from './xml-tree.ts';

/** A table cell with placeholders in a row of exact height, such as an address field. Its type shrinks until the text fits. */
export interface FixedBox {
  readonly room: Room;
  readonly paragraphs: readonly BoxParagraph[];
}

interface BoxParagraph {
  readonly format: TextFormat;
  /** The lines of a paragraph with placeholders, or the text of any other paragraph. */
  readonly content: LetterLines | string;
}

/** Where the size of a run is, or would be, written. */
export interface SizePlace {
  readonly start: number;
  readonly end: number;
  readonly sizePt: number;
  readonly xml: (size: string) => string;
}

export interface PlacedBox {
  readonly box: FixedBox;
  readonly sizes: readonly SizePlace[];
}

interface ExactRow {
  readonly row: XmlElement;
  readonly heightPt: number;
  /** The word that makes the height exact: the letter has "at least" instead, so a wider font cuts off no value. */
  readonly rule: { readonly start: number; readonly end: number };
}

/** The boxes of a part, and where its rows are exact. */
export function fixedBoxes(
  tree: XmlElement,
  stylesXml: string,
  linesAt: (paragraphStart: number) => LetterLines | undefined,
): { boxes: PlacedBox[]; rules: ExactRow['rule'][] } {
  const rows = tree.all('w:tr').flatMap(exactRow);
  if (rows.length === 0) return { boxes: [], rules: [] };
  const styles = new TextStyles(stylesXml);
  const boxes = rows.flatMap(({ row, heightPt }) =>
    row.all('w:tc').flatMap((cell) => placedBox(cell, heightPt, styles, linesAt)),
  );
  return { boxes, rules: rows.map(({ rule }) => rule) };
}

function exactRow(row: XmlElement): ExactRow[] {
  const height = row.child('w:trPr', 'w:trHeight');
  const twips = Number(height?.attribute('w:val') ?? 0);
  const at = height?.xml.indexOf('w:hRule="exact"') ?? -1;
  // Innermost rows only: a nested table has a layout of its own.
  const isOther = !row.xml.includes('\uE000') || row.all('w:tr').length > 0;
  if (height === undefined || at === -1 || twips === 0 || isOther) return [];
  const start = height.start + at + 'w:hRule="'.length;
  return [{ row, heightPt: twips / 20, rule: { start, end: start + 'exact'.length } }];
}

function placedBox(
  cell: XmlElement,
  heightPt: number,
  styles: TextStyles,
  linesAt: (paragraphStart: number) => LetterLines | undefined,
): PlacedBox[] {
  const width = twipsOf(cell.child('w:tcPr', 'w:tcW')) ?? 0;
  // The text of a letter keeps its size. The room in a text box or a merged cell is unknown here.
  const isOther = /\uE000content\uE001|<w:txbxContent>|<w:vMerge[\s/]/.test(cell.xml);
  if (width === 0 || isOther || !cell.xml.includes('\uE000')) return [];
  let table: XmlElement | undefined = cell;
  while (table !== undefined && table.name !== 'w:tbl') table = table.parent;
  const margins = [cell.child('w:tcPr', 'w:tcMar'), table?.child('w:tblPr', 'w:tblCellMar')];
  // Word's default cell margins: 108 twips left and right, none above and below.
  const margin = (otherwise: number, ...sides: readonly string[]): number =>
    margins
      .flatMap((each) => sides.map((side) => twipsOf(each?.child(side))))
      .find((twips) => twips !== undefined) ?? otherwise;
  const room = {
    widthPt: (width - margin(108, 'w:left', 'w:start') - margin(108, 'w:right', 'w:end')) / 20,
    heightPt: heightPt - (margin(0, 'w:top') + margin(0, 'w:bottom')) / 20,
  };
  const paragraphs = cell.all('w:p').map((paragraph) => ({
    format: styles.format(paragraph),
    content: linesAt(paragraph.start) ?? plainText(paragraph.xml),
    sizes: paragraph.all('w:r').flatMap((run) => sizePlace(run, styles.sizePt(paragraph, run))),
  }));
  return [{ box: { room, paragraphs }, sizes: paragraphs.flatMap(({ sizes }) => sizes) }];
}

const twipsOf = (element: XmlElement | undefined): number | undefined =>
  element?.attribute('w:type') === 'dxa' ? Number(element.attribute('w:w')) : undefined;

const plainText = (paragraph: string): string =>
  paragraph
    .replace(/<w:tab\s*\/>/g, '\t')
    .replace(/<w:(?:br|cr)(?:\s[^>]*)?\/>/g, '\n')
    .replace(/<w:instrText.*?<\/w:instrText>|<[^>]*>/gs, '');

// The elements that follow the size in a run's properties (ECMA-376 part 1, 17.3.2.28).
const afterSize =
  /^w:(?:szCs|highlight|u|effect|bdr|shd|fitText|vertAlign|rtl|cs|em|lang|eastAsianLayout|specVanish|oMath|rPrChange)$/;

function sizePlace(run: XmlElement, sizePt: number): SizePlace[] {
  if (run.end === run.contentEnd) return [];
  const properties = run.child('w:rPr');
  if (properties === undefined || properties.children.length === 0) {
    const { start, end } = properties ?? { start: run.contentStart, end: run.contentStart };
    return [{ start, end, sizePt, xml: (size) => `<w:rPr>${size}</w:rPr>` }];
  }
  const written = properties.child('w:sz');
  const next = properties.children.find(({ name }) => afterSize.test(name))?.start ?? properties.contentEnd;
  return [{ start: written?.start ?? next, end: written?.end ?? next, sizePt, xml: (size) => size }];
}

import { slotOf } from './joined-placeholders.ts';
import { unescaped } from './letter-text.ts';
import { withProperty } from './properties.ts';
import { edited, type Edit, type Place } from './places.ts';
import { TextStyles } from './text-format.ts';
import { type Room, scaledPt, typeScale } from './type-size.ts';
import { type XmlElement, xmlTree } from './xml-tree.ts';

/** A table cell with placeholders in a row of exact height, such as an address field. Its type shrinks until the text fits. */
interface FixedBox {
  readonly cell: XmlElement;
  readonly room: Room;
}

interface ExactRow {
  readonly row: XmlElement;
  readonly heightPt: number;
  /** The word that makes the height exact: the letter has "at least" instead, so a wider font cuts off no value. */
  readonly rule: { readonly start: number; readonly end: number };
}

/** @param tree of a part whose placeholders are joined */
export function boxPlaces(tree: XmlElement, stylesXml: string): Place[] {
  const rows = exactRows(tree);
  if (rows.length === 0) return [];
  const styles = new TextStyles(stylesXml);
  return [
    ...rows.map(({ rule }): Place => ({ ...rule, write: () => 'atLeast' })),
    ...fixedBoxes(tree).map(({ cell: { start, end }, room }): Place => {
      return { start, end, write: (_letter, inside) => fitted(inside(), room, styles) };
    }),
  ];
}

export function fixedBoxes(tree: XmlElement): FixedBox[] {
  return exactRows(tree).flatMap(({ row, heightPt }) =>
    row.all('w:tc').flatMap((cell) => {
      const room = roomOf(cell, heightPt);
      // The text of a letter keeps its size. The room in a text box or a merged cell is unknown here.
      const isOther = cell.xml.includes(slotOf('content')) || /<w:txbxContent>|<w:vMerge[\s/]/.test(cell.xml);
      return room === null || isOther || !cell.xml.includes('\uE000') ? [] : [{ cell, room }];
    }),
  );
}

const exactRows = (tree: XmlElement): ExactRow[] =>
  tree.all('w:tr').flatMap((row) => {
    const height = row.child('w:trPr', 'w:trHeight');
    const twips = Number(height?.attribute('w:val') ?? 0);
    const at = height?.xml.indexOf('w:hRule="exact"') ?? -1;
    // Innermost rows only: a nested table has a layout of its own.
    const isOther = !row.xml.includes('\uE000') || row.all('w:tr').length > 0;
    if (height === undefined || at === -1 || twips === 0 || isOther) return [];
    const start = height.start + at + 'w:hRule="'.length;
    return [{ row, heightPt: twips / 20, rule: { start, end: start + 'exact'.length } }];
  });

function roomOf(cell: XmlElement, heightPt: number): Room | null {
  const width = twipsOf(cell.child('w:tcPr', 'w:tcW')) ?? 0;
  if (width === 0) return null;
  const table = cell.parent?.parent;
  const margins = [cell.child('w:tcPr', 'w:tcMar'), table?.child('w:tblPr', 'w:tblCellMar')];
  // Word's default cell margins: 108 twips left and right, none above and below.
  const margin = (otherwise: number, ...sides: readonly string[]): number =>
    margins
      .flatMap((each) => sides.map((side) => twipsOf(each?.child(side))))
      .find((twips) => twips !== undefined) ?? otherwise;
  return {
    widthPt: (width - margin(108, 'w:left', 'w:start') - margin(108, 'w:right', 'w:end')) / 20,
    heightPt: heightPt - (margin(0, 'w:top') + margin(0, 'w:bottom')) / 20,
  };
}

const twipsOf = (element: XmlElement | undefined): number | undefined =>
  element?.attribute('w:type') === 'dxa' ? Number(element.attribute('w:w')) : undefined;

/** The cell of a letter, in the largest type in which its text fits. */
function fitted(cellXml: string, room: Room, styles: TextStyles): string {
  // Boxes have no text boxes, so paragraphs do not nest.
  const paragraphs = [...cellXml.matchAll(/<w:p[\s>].*?<\/w:p>/gs)].map(([paragraph]) => ({
    text: plainText(paragraph),
    format: styles.format(paragraph),
  }));
  const scale = typeScale(room, paragraphs);
  if (scale === 1) return cellXml;
  const runs = xmlTree(cellXml)
    .all('w:r')
    .filter(({ end, contentEnd }) => contentEnd < end);
  return edited(
    cellXml,
    runs.map((run) => sizeEdit(run, scaledPt(styles.sizePt(run), scale))),
  );
}

const plainText = (paragraph: string): string =>
  unescaped(
    paragraph
      .replace(/<w:tab\s*\/>/g, '\t')
      .replace(/<w:(?:br|cr)(?:\s[^>]*)?\/>/g, '\n')
      .replace(/<w:instrText.*?<\/w:instrText>|<[^>]*>/gs, ''),
  );

function sizeEdit(run: XmlElement, sizePt: number): Edit {
  const properties = run.child('w:rPr');
  const { start, end } = properties ?? { start: run.contentStart, end: run.contentStart };
  // In half points.
  const size = `<w:sz w:val="${2 * sizePt}"/>`;
  return { start, end, xml: withProperty('w:rPr', properties?.xml ?? '', size) };
}

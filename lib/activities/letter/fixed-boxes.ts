import { slotOf } from './joined-placeholders.ts';
import { unescaped } from './letter-text.ts';
import { withProperty } from './properties.ts';
import { edited, type Place } from './places.ts';
import { TextStyles } from './text-format.ts';
import { fittingPt, type Room } from './type-size.ts';
import { type XmlElement, xmlTree } from './xml-tree.ts';

/** A table cell with placeholders in a row of exact height, such as an address field. Its type shrinks until the text fits. */
interface FixedBox {
  readonly cell: XmlElement;
  readonly room: Room;
}

/** @param tree of a part whose placeholders are joined */
export function boxPlaces(tree: XmlElement, stylesXml: string): Place[] {
  const rows = exactRows(tree);
  if (rows.length === 0) return [];
  const styles = new TextStyles(stylesXml);
  return [
    // In the letter the row may grow, so a wider font cuts off no value.
    ...rows.map(({ height: { start, end, xml } }): Place => {
      return { start, end, write: xml.replace('w:hRule="exact"', 'w:hRule="atLeast"') };
    }),
    ...fixedBoxes(tree).map(({ cell: { start, end }, room }): Place => {
      return { start, end, write: (_letter, inside) => fitted(inside(), room, styles) };
    }),
  ];
}

export function fixedBoxes(tree: XmlElement): FixedBox[] {
  return exactRows(tree).flatMap(({ row, height }) =>
    row.all('w:tc').flatMap((cell) => {
      const room = roomOf(cell, Number(height.attribute('w:val') ?? 0) / 20);
      // The text of a letter keeps its size. The room in a text box or a merged cell is unknown here.
      const isOther = cell.xml.includes(slotOf('content')) || /<w:txbxContent>|<w:vMerge[\s/]/.test(cell.xml);
      return room === null || isOther || !cell.xml.includes('\uE000') ? [] : [{ cell, room }];
    }),
  );
}

const exactRows = (tree: XmlElement): { row: XmlElement; height: XmlElement }[] =>
  tree.all('w:tr').flatMap((row) => {
    const height = row.child('w:trPr', 'w:trHeight');
    // Innermost rows only: a nested table has a layout of its own.
    const isOther = !row.xml.includes('\uE000') || row.all('w:tr').length > 0;
    return height?.attribute('w:hRule') !== 'exact' || isOther ? [] : [{ row, height }];
  });

function roomOf(cell: XmlElement, heightPt: number): Room | null {
  const width = twipsOf(cell.child('w:tcPr', 'w:tcW')) ?? 0;
  if (width === 0 || heightPt === 0) return null;
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
  const fitting = fittingPt(room, paragraphs);
  if (paragraphs.every(({ format }) => format.sizePt <= fitting)) return cellXml;
  const larger = xmlTree(cellXml)
    .all('w:r')
    .filter((run) => run.contentEnd < run.end && styles.sizePt(run) > fitting);
  return edited(
    cellXml,
    larger.map((run) => sizeEdit(run, fitting)),
  );
}

const plainText = (paragraph: string): string =>
  unescaped(
    paragraph
      .replace(/<w:tab\s*\/>/g, '\t')
      .replace(/<w:(?:br|cr)(?:\s[^>]*)?\/>/g, '\n')
      .replace(/<w:instrText.*?<\/w:instrText>|<[^>]*>/gs, ''),
  );

function sizeEdit(run: XmlElement, sizePt: number): Place {
  const properties = run.child('w:rPr');
  const { start, end } = properties ?? { start: run.contentStart, end: run.contentStart };
  // In half points.
  const size = `<w:sz w:val="${2 * sizePt}"/>`;
  return { start, end, write: withProperty('w:rPr', properties?.xml ?? '', size) };
}

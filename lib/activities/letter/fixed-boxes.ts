import type { LetterLines } from './letter-lines.ts';
import { type TextFormat, TextStyles } from './text-format.ts';
import type { Room } from './type-size.ts';

/**
 * A table cell with placeholders in a row of exact height, such as an address field. Its type shrinks until the text
 * fits (`type-size.ts`).
 */
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

interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Row heights that may cut off a value. The letter has "at least" instead of "exactly", so a wider font costs no text.
 */
export function exactHeights(xml: string): Span[] {
  return exactRows(xml).map(({ rule }) => rule);
}

export function fixedBoxes(
  xml: string,
  stylesXml: string,
  linesAt: (paragraphStart: number) => LetterLines | undefined,
): PlacedBox[] {
  const rows = exactRows(xml);
  if (rows.length === 0) return [];
  const styles = new TextStyles(stylesXml);
  return rows.flatMap((row) => {
    const table = xml.lastIndexOf('<w:tblPr>', row.start);
    const tableProperties = table === -1 ? '' : xml.slice(table, xml.indexOf('</w:tblPr>', table));
    const margins = /<w:tblCellMar>.*<\/w:tblCellMar>/s.exec(tableProperties)?.[0] ?? '';
    return cellsOf(xml, row).flatMap((cell) => placedBox(xml, cell, { row, margins, styles, linesAt }) ?? []);
  });
}

interface ExactRow extends Span {
  readonly heightPt: number;
  /** The span of the word that makes the height exact. */
  readonly rule: Span;
}

// Innermost rows only: a nested table has a layout of its own.
function exactRows(xml: string): ExactRow[] {
  const starts = [...xml.matchAll(/<w:tr[\s>]/g)].map(({ index }) => index);
  return starts.flatMap((start, at): ExactRow[] => {
    const end = xml.indexOf('</w:tr>', start);
    if (end === -1 || (starts[at + 1] ?? Infinity) < end) return [];
    const row = xml.slice(start, end);
    const [height = ''] = /<w:trHeight\s[^>]*>/.exec(row) ?? [];
    const rule = start + row.indexOf(height) + height.indexOf('"exact"') + 1;
    const value = Number(/w:val="(\d+)"/.exec(height)?.[1] ?? 0);
    if (value === 0 || !/w:hRule="exact"/.test(height) || !row.includes('\uE000')) return [];
    return [{ start, end, heightPt: value / 20, rule: { start: rule, end: rule + 'exact'.length } }];
  });
}

function cellsOf(xml: string, { start, end }: Span): Span[] {
  return [...xml.slice(start, end).matchAll(/<w:tc[\s>]/g)].map(({ index }) => {
    const close = xml.indexOf('</w:tc>', start + index);
    return { start: start + index, end: close === -1 ? end : close };
  });
}

function placedBox(
  xml: string,
  { start, end }: Span,
  {
    row,
    margins,
    styles,
    linesAt,
  }: {
    row: ExactRow;
    margins: string;
    styles: TextStyles;
    linesAt: (paragraphStart: number) => LetterLines | undefined;
  },
): PlacedBox | null {
  const cell = xml.slice(start, end);
  const properties = /<w:tcPr>.*?<\/w:tcPr>/s.exec(cell)?.[0] ?? '';
  const width = Number(/<w:tcW\s+(?=[^>]*w:type="dxa")[^>]*?w:w="(\d+)"/.exec(properties)?.[1] ?? 0);
  // The text of a letter keeps its size. The room in a text box or a merged cell is unknown here.
  const isOther = /\uE000content\uE001|<w:txbxContent>|<w:vMerge[\s/]/.test(cell);
  if (width === 0 || isOther || !cell.includes('\uE000')) return null;
  const own = /<w:tcMar>.*<\/w:tcMar>/s.exec(properties)?.[0] ?? '';
  const margin = (sides: string, otherwise: number): number =>
    marginOf(own, sides) ?? marginOf(margins, sides) ?? otherwise;
  // Word's default cell margins: 108 twips left and right, none above and below.
  const room = {
    widthPt: (width - margin('left|start', 108) - margin('right|end', 108)) / 20,
    heightPt: row.heightPt - (margin('top', 0) + margin('bottom', 0)) / 20,
  };
  const paragraphs = [...cell.matchAll(/<w:p(?:\s[^>]*)?(?:\/>|>.*?<\/w:p>)/gs)].map(
    ({ index, 0: text }) => ({ start: start + index, text }),
  );
  return {
    box: {
      room,
      paragraphs: paragraphs.map(({ start: at, text }) => ({
        format: styles.format(text),
        content: linesAt(at) ?? plainText(text),
      })),
    },
    sizes: paragraphs.flatMap(({ start: at, text }) =>
      sizesOf(text, styles).map((place) => ({ ...place, start: at + place.start, end: at + place.end })),
    ),
  };
}

const marginOf = (margins: string, sides: string): number | undefined => {
  const value = new RegExp(`<w:(?:${sides})\\s(?=[^>]*w:type="dxa")[^>]*?w:w="(\\d+)"`).exec(margins)?.[1];
  return value === undefined ? undefined : Number(value);
};

const plainText = (paragraph: string): string =>
  paragraph
    .replace(/<w:tab\s*\/>/g, '\t')
    .replace(/<w:(?:br|cr)(?:\s[^>]*)?\/>/g, '\n')
    .replace(/<w:instrText.*?<\/w:instrText>|<[^>]*>/gs, '');

// The elements that follow the size in a run's properties (ECMA-376 part 1, 17.3.2.28).
const afterSize =
  /<w:(?:szCs|highlight|u|effect|bdr|shd|fitText|vertAlign|rtl|cs|em|lang|eastAsianLayout|specVanish|oMath|rPrChange)[\s/>]/;

function sizesOf(paragraph: string, styles: TextStyles): SizePlace[] {
  return [...paragraph.matchAll(/<w:r(?:\s[^>]*)?>\s*(<w:rPr>.*?<\/w:rPr>|<w:rPr\/>)?/gs)].map(
    ({ index, 0: opening, 1: properties = '' }): SizePlace => {
      const sizePt = styles.sizePt(paragraph, properties);
      const end = index + opening.length;
      if (properties === '' || properties === '<w:rPr/>') {
        const from = end - properties.length;
        return { start: from, end, sizePt, xml: (size) => `<w:rPr>${size}</w:rPr>` };
      }
      const from = end - properties.length;
      const written = /<w:sz\s[^>]*>/.exec(properties);
      if (written !== null) {
        const at = from + written.index;
        return { start: at, end: at + written[0].length, sizePt, xml: (size) => size };
      }
      const next = afterSize.exec(properties)?.index ?? properties.length - '</w:rPr>'.length;
      return { start: from + next, end: from + next, sizePt, xml: (size) => size };
    },
  );
}

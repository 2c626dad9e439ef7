import { titleInAddress } from '../text/title-address.ts';
import { isPlaceholder, type LetterValues, type Placeholder } from './placeholders.ts';

/**
 * A paragraph with placeholders, split into lines and pieces. An empty value removes what belongs to it: its label, its
 * separator, one space and, when nothing else is left, the whole line.
 */
export interface LetterLines {
  readonly lines: readonly (readonly Piece[])[];
  /** The whole paragraph can be removed: it contains only text, and another paragraph follows. */
  readonly isRemovable: boolean;
}

export interface Piece {
  /** `object`: visible content such as a field. `anchor`: an invisible marker such as a bookmark. */
  readonly kind: 'slot' | 'separator' | 'blank' | 'word' | 'object' | 'anchor' | 'break';
  /** The text in the template, or the name of a slot. */
  readonly text: string;
  readonly index: number;
}

export interface PlacedLines {
  readonly start: number;
  readonly end: number;
  readonly lines: LetterLines;
  readonly places: readonly PiecePlace[];
}

/** Position of a piece in the XML. Word may have spread it over several runs; its value is written to the first one. */
export interface PiecePlace {
  readonly piece: Piece;
  readonly start: number;
  readonly end: number;
  readonly isFirst: boolean;
  /** The XML at this position in the template. */
  readonly xml: string;
}

/** The text written for each piece: a value, the text of the template (`null`), or the empty string. */
export interface WrittenLines {
  readonly isRemoved: boolean;
  readonly pieces: ReadonlyMap<number, string | null>;
}

/** Longest text that counts as the label of a value; a longer text is a sentence. */
const longestLabel = 40;

export function writtenLines({ lines, isRemovable }: LetterLines, values: LetterValues): WrittenLines {
  const pieces = new Map<number, string | null>();
  let hasText = false;
  for (const line of lines) {
    const written = writtenLine(line, values);
    for (const [index, text] of written) pieces.set(index, text);
    hasText ||= line.some(
      ({ kind, index }) => kind !== 'blank' && kind !== 'anchor' && written.get(index) !== '',
    );
  }
  return { isRemoved: isRemovable && !hasText, pieces };
}

/** The paragraph's text as written, with a date in place of each field; `null` when the paragraph is removed. */
export function writtenText({ lines }: LetterLines, { isRemoved, pieces }: WrittenLines): string | null {
  if (isRemoved) return null;
  const textOf = ({ kind, text, index }: Piece): string => {
    if (kind === 'object') return '00.00.0000';
    return pieces.get(index) ?? text;
  };
  return lines.map((line) => line.map(textOf).join('')).join('\n');
}

function writtenLine(line: readonly Piece[], values: LetterValues): Map<number, string | null> {
  const isAddress = !line.some(({ kind, text }) => kind === 'word' && /\p{L}/u.test(text));
  const valueOf = ({ text }: Piece): string => {
    const value = values[text as Placeholder];
    return text === 'title' && isAddress ? titleInAddress(value) : value;
  };
  const isEmpty = (piece: Piece): boolean => piece.kind === 'slot' && valueOf(piece).trim() === '';
  const written = new Map<number, string | null>(line.map(({ index }) => [index, '']));
  let previous = false;
  for (const { separator, pieces } of segments(line)) {
    if (pieces.some(isEmpty) && servesEmptyValues(pieces, isEmpty)) continue;
    if (separator !== null && previous) written.set(separator.index, null);
    previous ||= pieces.length > 0 || separator === null;
    for (const [index, text] of writtenSegment(pieces, isEmpty, valueOf)) written.set(index, text);
  }
  return written;
}

// True when the segment has only empty placeholders and no more text than a label.
function servesEmptyValues(pieces: readonly Piece[], isEmpty: (piece: Piece) => boolean): boolean {
  const label = pieces.filter(({ kind }) => kind === 'word' || kind === 'blank').map(({ text }) => text);
  return (
    pieces.every((piece) => piece.kind !== 'object' && (piece.kind !== 'slot' || isEmpty(piece))) &&
    label.join('').trim().length <= longestLabel
  );
}

function writtenSegment(
  pieces: readonly Piece[],
  isEmpty: (piece: Piece) => boolean,
  valueOf: (piece: Piece) => string,
): Map<number, string | null> {
  const written = new Map<number, string | null>();
  let before = '';
  for (const [at, piece] of pieces.entries()) {
    const isBesideEmpty = [pieces[at - 1], pieces[at + 1]].some(
      (next) => next !== undefined && isEmpty(next),
    );
    if (piece.kind === 'blank' && isBesideEmpty) {
      const hasMore = pieces
        .slice(at + 1)
        .some((later) => later.kind !== 'blank' && later.kind !== 'anchor' && !isEmpty(later));
      const isNeeded = before !== '' && !/\s$/.test(before) && hasMore;
      written.set(piece.index, isNeeded ? null : '');
      if (isNeeded) before += piece.text;
      continue;
    }
    const value = isEmpty(piece) ? '' : valueOf(piece);
    written.set(piece.index, piece.kind === 'slot' ? value : null);
    before += piece.kind === 'slot' ? value : piece.text;
  }
  return written;
}

function segments(line: readonly Piece[]): { separator: Piece | null; pieces: Piece[] }[] {
  const found: { separator: Piece | null; pieces: Piece[] }[] = [{ separator: null, pieces: [] }];
  for (const piece of line) {
    if (piece.kind === 'separator') found.push({ separator: piece, pieces: [] });
    else found.at(-1)?.pieces.push(piece);
  }
  return found;
}

const token =
  /<w:p(?:\s[^>]*)?>|<\/w:p>|<w:t(?:\s[^>]*)?>([^<]*)<\/w:t>|<w:(?:br|cr)(?:\s[^>]*)?\/>|<w:tab\s*\/>|<w:(?:drawing|pict|object|fldChar|fldSimple|sym|sectPr|bookmarkStart|bookmarkEnd|commentRangeStart|commentRangeEnd|commentReference|footnoteReference|endnoteReference|sdt|ins|del)[\s/>]/g;
const pieceOfText =
  /\uE000(\w+)\uE001|(\s*[·•|]\s*|\s+[–—]\s+|,\s+)|(\s+)|((?:(?!\s*[·•|]|,\s)[^\s\uE000])+|.)/gsu;

/** A text, or an element between texts. */
interface ParagraphNode {
  readonly kind: Piece['kind'] | null;
  readonly text: string;
  readonly start: number;
}

interface OpenParagraph {
  readonly start: number;
  readonly nodes: ParagraphNode[];
}

/** Every paragraph with placeholders, except in the ranges of `taken`, which are replaced as a whole. */
export function paragraphLines(
  xml: string,
  taken: readonly { readonly start: number; readonly end: number }[],
): PlacedLines[] {
  const open: OpenParagraph[] = [];
  const found: PlacedLines[] = [];
  const isTaken = (at: number): boolean => taken.some(({ start, end }) => start <= at && at < end);
  for (const { index, 0: whole, 1: text } of xml.matchAll(token)) {
    const paragraph = open.at(-1);
    if (whole === '</w:p>') {
      open.pop();
      // Splits only paragraphs with placeholders: a template can have megabytes of text.
      if (paragraph?.nodes.some((node) => node.kind === null && node.text.includes('\uE000')))
        found.push(placed(xml, paragraph, index + whole.length));
    } else if (/^<w:p[\s>]/.test(whole)) {
      if (!whole.endsWith('/>')) open.push({ start: index, nodes: [] });
    } else if (text === undefined) paragraph?.nodes.push({ kind: kindOf(whole), text: '', start: index });
    else if (isTaken(index)) paragraph?.nodes.push({ kind: 'object', text: '', start: index });
    else {
      const start = index + whole.length - '</w:t>'.length - text.length;
      paragraph?.nodes.push({ kind: null, text, start });
    }
  }
  return found;
}

function piecesOf({ nodes }: OpenParagraph): { pieces: Piece[]; places: PiecePlace[] } {
  const pieces: Piece[] = [];
  const places: PiecePlace[] = [];
  const add = (kind: Piece['kind'], text: string): Piece => {
    const piece = { kind, text, index: pieces.length };
    pieces.push(piece);
    return piece;
  };
  for (const group of adjacent(nodes)) {
    const [{ kind } = { kind: null }] = group;
    if (kind !== null) {
      add(kind, kind === 'blank' ? '\t' : '');
      continue;
    }
    const text = group.map((node) => node.text).join('');
    let node = 0;
    let nodeStart = 0;
    for (const { index, 0: whole, 1: name, 2: separator, 3: blank } of text.matchAll(pieceOfText)) {
      const isSlot = name !== undefined && isPlaceholder(name);
      const piece = isSlot
        ? add('slot', name)
        : add(separator ? 'separator' : blank ? 'blank' : 'word', whole);
      for (let at = index; at < index + whole.length;) {
        while (nodeStart + (group[node]?.text.length ?? Infinity) <= at) {
          nodeStart += group[node]?.text.length ?? 0;
          node++;
        }
        const { text: nodeText = '', start: nodeAt = 0 } = group[node] ?? {};
        const end = Math.min(index + whole.length, nodeStart + nodeText.length);
        const start = nodeAt + at - nodeStart;
        places.push({
          piece,
          start,
          end: start + end - at,
          isFirst: at === index,
          xml: text.slice(at, end),
        });
        at = end;
      }
    }
  }
  return { pieces, places };
}

/** Groups adjacent texts, across runs, and leaves every other node by itself. */
function adjacent(nodes: readonly ParagraphNode[]): ParagraphNode[][] {
  const found: ParagraphNode[][] = [];
  for (const node of nodes) {
    const last = found.at(-1);
    if (node.kind === null && last?.[0]?.kind === null) last.push(node);
    else found.push([node]);
  }
  return found;
}

function kindOf(element: string): Piece['kind'] {
  if (/^<w:(?:br|cr)[\s/>]/.test(element)) return 'break';
  if (element.startsWith('<w:tab')) return 'blank';
  return /^<w:(?:fld|sym|footnoteRef|endnoteRef)/.test(element) ? 'object' : 'anchor';
}

function placed(xml: string, paragraph: OpenParagraph, end: number): PlacedLines {
  const { pieces, places } = piecesOf(paragraph);
  const lines: Piece[][] = [[]];
  for (const piece of pieces) {
    if (piece.kind === 'break') lines.push([]);
    else lines.at(-1)?.push(piece);
  }
  // The last paragraph of a cell, a text box or a part must remain.
  const isRemovable =
    !pieces.some(({ kind }) => kind === 'object' || kind === 'anchor') &&
    /^\s*<w:p[\s>]/.test(xml.slice(end, end + 200));
  return { start: paragraph.start, end, lines: { lines, isRemovable }, places };
}

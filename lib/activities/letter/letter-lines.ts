import { titleInAddress } from '../text/names/title-address.ts';
import { lines, xmlLines } from './letter-text.ts';
import { isPlaceholder, type LetterValues, type Placeholder } from './placeholders.ts';
import { oncePerLetter, type Place, type Write } from './places.ts';
import type { XmlElement } from './xml-tree.ts';

// An empty value removes what belongs to it: its label, its separator, one space and, when nothing else is left, the
// whole line.

/**
 * A piece of a line. `object`: visible content such as a field. `anchor`: an invisible marker such as a bookmark. `start`
 * is its place in the text of the paragraph.
 */
interface Piece {
  readonly kind: 'slot' | 'separator' | 'blank' | 'word' | 'object' | 'anchor';
  readonly text: string;
  readonly start: number;
}
type Line = readonly Piece[];

const objects = ['w:fldChar', 'w:fldSimple', 'w:sym', 'w:footnoteReference', 'w:endnoteReference'];
const anchors = `
  w:drawing w:pict w:object w:sectPr w:sdt w:ins w:del w:bookmarkStart
  w:bookmarkEnd w:commentRangeStart w:commentRangeEnd w:commentReference
`
  .trim()
  .split(/\s+/);
/** What an element is in the text of its paragraph. */
const characters: Readonly<Record<string, string>> = {
  'w:br': '\n',
  'w:cr': '\n',
  'w:tab': '\t',
  ...Object.fromEntries(objects.map((name) => [name, '\uE002'])),
  ...Object.fromEntries(anchors.map((name) => [name, '\uE003'])),
};
const piece =
  /\uE000(\w+)\uE001|(\s*[·•|]\s*|\s+[–—]\s+|,\s+)|(\s+)|(\uE002)|(\uE003)|(?:(?!,\s)[^\s·•|\uE000-\uE003])+|[^]/gu;
const kinds = ['slot', 'separator', 'blank', 'object', 'anchor'] as const;

/** The elements of paragraphs that {@link linePlaces} takes. */
export const lineElements = ['w:t', ...Object.keys(characters)];

/**
 * The places of a paragraph with placeholders: its texts, and the paragraph itself if it can be removed.
 * @param elements its own, not those of a text box inside it
 */
export function linePlaces(xml: string, paragraph: XmlElement, elements: readonly XmlElement[]): Place[] {
  // The tabs of the paragraph's properties are definitions.
  const inOrder = elements.filter(({ name, parent }) => name !== 'w:tab' || parent?.name === 'w:r');
  const text = inOrder.map(({ name, content }) => characters[name] ?? content).join('');
  const allLines = linesOf(text);
  const written = oncePerLetter(({ values }) => writtenText(text, allLines, values));
  const places: Place[] = [];
  let at = 0;
  for (const { name, content, contentStart, contentEnd } of inOrder) {
    const start = at;
    at += (characters[name] ?? content).length;
    if (name !== 'w:t' || content === '') continue;
    const end = at;
    const write: Write = (letter) => written(letter).characters.slice(start, end).join('');
    places.push({ start: contentStart, end: contentEnd, write });
  }
  // The last paragraph of a cell, a text box or a part must remain.
  const isRemovable =
    !/[\uE002\uE003]/.test(text) && /^\s*<w:p[\s>]/.test(xml.slice(paragraph.end, paragraph.end + 200));
  if (!isRemovable) return places;
  const { start, end } = paragraph;
  return [...places, { start, end, write: (letter, inside) => (written(letter).isEmpty ? '' : inside()) }];
}

function linesOf(text: string): Line[] {
  let start = 0;
  return text.split('\n').map((line) => {
    const pieces = [...line.matchAll(piece)].map(({ 0: found, index, ...groups }): Piece => {
      const kind = kinds.find((_kind, group) => groups[group + 1] !== undefined) ?? 'word';
      const isOther = kind === 'slot' && !isPlaceholder(groups[1] ?? '');
      return { kind: isOther ? 'word' : kind, text: found, start: start + index };
    });
    start += line.length + 1;
    return pieces;
  });
}

/** The text of a paragraph in a letter, by the character of the template at whose place it is. */
function writtenText(
  text: string,
  allLines: readonly Line[],
  values: LetterValues,
): { characters: string[]; isEmpty: boolean } {
  const written = text.split('');
  let isEmpty = true;
  for (const line of allLines) {
    const valueOf = valuesIn(line, values);
    const kept = new Set(keptPieces(line, valueOf));
    for (const each of line) {
      const { kind, start } = each;
      const value = kind === 'slot' ? valueOf(each) : each.text;
      if (kept.has(each) && value !== '' && kind !== 'blank' && kind !== 'anchor') isEmpty = false;
      if (kept.has(each) && kind !== 'slot') continue;
      written.fill('', start, start + each.text.length);
      if (kept.has(each)) written[start] = xmlLines(lines(value));
    }
  }
  return { characters: written, isEmpty };
}

type ValueOf = (slot: Piece) => string;

function valuesIn(line: Line, values: LetterValues): ValueOf {
  const isAddress = !line.some(({ kind, text }) => kind === 'word' && /\p{L}/u.test(text));
  return ({ text }) => {
    const name = text.slice(1, -1) as Placeholder;
    const value = name === 'title' && isAddress ? titleInAddress(values.title) : values[name];
    return value.trim() === '' ? '' : value;
  };
}

/** Longest text that counts as the label of a value; a longer text is a sentence. */
const longestLabel = 40;

function keptPieces(line: Line, valueOf: ValueOf): Piece[] {
  const isEmpty = (each: Piece | undefined): boolean => each?.kind === 'slot' && valueOf(each) === '';
  const kept: Piece[] = [];
  let hasPrevious = false;
  for (const { separator, pieces } of segments(line)) {
    if (pieces.some(isEmpty) && servesEmptyValues(pieces, isEmpty)) continue;
    if (separator !== null && hasPrevious) kept.push(separator);
    hasPrevious ||= pieces.length > 0 || separator === null;
    let before = '';
    for (const [at, each] of pieces.entries()) {
      if (each.kind === 'blank' && (isEmpty(pieces[at - 1]) || isEmpty(pieces[at + 1]))) {
        const hasMore = pieces
          .slice(at + 1)
          .some((later) => later.kind !== 'blank' && later.kind !== 'anchor' && !isEmpty(later));
        if (before === '' || /\s$/.test(before) || !hasMore) continue;
      }
      kept.push(each);
      before += each.kind === 'slot' ? valueOf(each) : each.text;
    }
  }
  return kept;
}

// True when the segment has only empty placeholders and no more text than a label.
function servesEmptyValues(pieces: Line, isEmpty: (piece: Piece) => boolean): boolean {
  const label = pieces.filter(({ kind }) => kind === 'word' || kind === 'blank').map(({ text }) => text);
  return (
    pieces.every((each) => each.kind !== 'object' && (each.kind !== 'slot' || isEmpty(each))) &&
    label.join('').trim().length <= longestLabel
  );
}

function segments(line: Line): { separator: Piece | null; pieces: Piece[] }[] {
  const found: { separator: Piece | null; pieces: Piece[] }[] = [{ separator: null, pieces: [] }];
  for (const each of line) {
    if (each.kind === 'separator') found.push({ separator: each, pieces: [] });
    else found.at(-1)?.pieces.push(each);
  }
  return found;
}

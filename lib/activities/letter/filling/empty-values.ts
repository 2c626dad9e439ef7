import { emptyMark, hasMarks, valueMark } from './marks.ts';
import { ownText, setText, textsIn } from '../word/word-text.ts';
import {
  around,
  children,
  type Document,
  type Element,
  elements,
  next,
  previous,
  remove,
  textOf,
  walk,
} from '../word/xml-tree.ts';

// An empty value removes what belongs to it: its label, its separator, one space and, when nothing else is left, the
// whole line. Word splits text into runs anywhere, so all rules are about the text of a line.

/** A code unit of a line and where it is: in a `w:t`, or a `w:tab`. */
interface Unit {
  readonly element: Element;
  readonly text: string;
}

/** A line of a paragraph, up to a line break. */
interface Line {
  readonly paragraph: Element;
  /** The break before it. */
  readonly lineBreak: Element | null;
  readonly units: Unit[];
  /**
   * Its text, unit by unit, in which each unit of a value, marks included, is {@link valueMark}, and an empty value is
   * {@link emptyMark}: separators and labels are only in the text of the template.
   */
  shown: string;
  isGone: boolean;
}

/** Removes what belongs to empty values, and their marks. */
export function removeEmptyValues(tree: Document): void {
  const paragraphs = elements(tree, 'w:p').filter((each) => ownText(each).includes(emptyMark));
  const lines = new Map(paragraphs.map((each) => [each, linesOf(each)]));
  const labels: Line[] = [];
  for (const line of [...lines.values()].flat()) {
    if (!isEmptied(line.shown) || hasObject(line)) continue;
    const label = isBlank(line.shown) ? labelBeside(line, lines) : null;
    if (label === 'unclear') continue;
    line.isGone = true;
    if (label !== null) labels.push({ ...label, isGone: true });
  }
  for (const line of [...lines.values()].flat()) if (!line.isGone) removeSegments(line);
  for (const [paragraph, own] of lines) removeLines(paragraph, own);
  for (const label of labels) removeLines(label.paragraph, linesOf(label.paragraph, label));
  removeRows(labels);
}

/** @param gone one of them that is to be removed */
function linesOf(paragraph: Element, gone?: Line): Line[] {
  const lines: Line[] = [];
  const begin = (lineBreak: Element | null): Line => {
    const line = { paragraph, lineBreak, units: [], shown: '', isGone: gone?.lineBreak === lineBreak };
    lines.push(line);
    return line;
  };
  let line = begin(null);
  for (const element of textsIn(paragraph)) {
    if (/^w:(?:br|cr)$/.test(element.nodeName)) {
      line = begin(element);
      continue;
    }
    const text = element.nodeName === 'w:tab' ? '\t' : textOf(element);
    for (const unit of text.split('')) line.units.push({ element, text: unit });
  }
  for (const each of lines) each.shown = shownTextOf(each.units);
  return lines;
}

function shownTextOf(units: readonly Unit[]): string {
  let isInValue = false;
  return units
    .map(({ text }) => {
      if (text === valueMark) isInValue = !isInValue;
      return isInValue || text === valueMark ? valueMark : text;
    })
    .join('');
}

// --- The segments of a line, each with a label and its values.

const longestLabel = 40;
const labelWords =
  'Tel|Telefon|Fon|Phone|Fax|Telefax|Mobil|Mobile|Handy|Durchwahl|E-?Mail|Mail|Internet|Web|Büro|Office';

/** Always between two segments. */
const separator = new RegExp(
  [
    /\s*[·•|∙▪●■◦‣]\s*/,
    /\s+[–—/;-]\s+/,
    /[,;]\s+/,
    new RegExp(`(?<=[${emptyMark}${valueMark}])/(?=[${emptyMark}${valueMark}])`),
  ]
    .map(({ source }) => source)
    .join('|'),
  'y',
);
/** Between two segments if a value is before it: as long as there is none, it is between a label and its value. */
const weakSeparator = new RegExp(
  [
    /\t\s*/,
    /\s{2,}/,
    /\s+(?=\p{L}[\p{L}.-]*:)/u,
    // `☎`, `✉`
    /\s+(?=\p{So})/u,
    new RegExp(`\\s+(?:und|and)\\s+(?=(?:${labelWords})\\b)`),
    new RegExp(`\\s+(?=(?:${labelWords})\\b[.:]*\\s*[${emptyMark}${valueMark}])`),
  ]
    .map(({ source }) => source)
    .join('|'),
  'uy',
);
const mark = new RegExp(`[${emptyMark}${valueMark}]`);

interface Segment {
  readonly start: number;
  end: number;
  /** Where the separator before it begins. */
  readonly separatorStart: number;
}

function segmentsOf(shown: string): Segment[] {
  const segments: Segment[] = [{ start: 0, end: shown.length, separatorStart: 0 }];
  for (let at = 0; at < shown.length;) {
    const current = segments.at(-1)!;
    const found = match(separator, shown, at) ?? match(weakSeparator, shown, at);
    const isWeak = found !== null && match(separator, shown, at) === null;
    if (found === null || (isWeak && !mark.test(shown.slice(current.start, at)))) {
      at += 1;
      continue;
    }
    current.end = at;
    segments.push({ start: at + found.length, end: shown.length, separatorStart: at });
    at += found.length;
  }
  return segments;
}

function match(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
}

/** A sentence goes on behind its value, and ends with its mark. */
const sentenceEnd = new RegExp(`${emptyMark}.*\\p{L}.*[.!?]\\s*$`, 'su');

const isEmptySegment = (text: string): boolean =>
  text.includes(emptyMark) &&
  !text.includes(valueMark) &&
  text.trim().length <= longestLabel &&
  !sentenceEnd.test(text);

/** Whether nothing but empty values, their labels and separators is in a line. */
const isEmptied = (shown: string): boolean =>
  shown.includes(emptyMark) &&
  segmentsOf(shown)
    .map(({ start, end }) => shown.slice(start, end))
    .every((each) => each.trim() === '' || isEmptySegment(each));

/** Whether a line has no text of its own. */
const isBlank = (shown: string): boolean => shown.replaceAll(emptyMark, '').trim() === '';

function removeSegments({ units, shown }: Line): void {
  const dropped = new Set<number>();
  const drop = (start: number, end: number): void => {
    for (let at = start; at < end; at += 1) dropped.add(at);
  };
  for (const { index, 0: each } of shown.matchAll(emptyBrackets)) drop(index, index + each.length);
  let hasKept = false;
  // Between two segments that remain, one separator remains: of those in between, the last that is more than a space.
  let between: { start: number; end: number }[] = [];
  for (const { start, end, separatorStart } of segmentsOf(shown)) {
    const text = shown.slice(start, end);
    between.push({ start: separatorStart, end: start });
    if (isEmptySegment(text)) {
      drop(start, end - (unopened.exec(text)?.[0].length ?? 0));
      continue;
    }
    const chosen = hasKept
      ? (between.findLast((each) => shown.slice(each.start, each.end).trim() !== '') ?? between.at(-1))
      : undefined;
    for (const each of between) if (each !== chosen) drop(each.start, each.end);
    for (const { index, 0: each } of text.matchAll(markInText)) {
      drop(start + index, start + index + each.length);
    }
    hasKept = true;
    between = [];
  }
  for (const each of between) drop(each.start, each.end);
  if (dropped.size > 0)
    write(
      units.filter((_unit, at) => !dropped.has(at)),
      units,
    );
}

/** `(Tel. …)` behind a value. */
const inBrackets = `[^()${valueMark}]{0,${longestLabel}}`;
/** The end of brackets that begin in another segment: `(Tel. 1, Fax …)`. */
const unopened = /(?<=^[^(]*)\)\s*$/;
const emptyBrackets = new RegExp(`\\s*\\(${inBrackets}${emptyMark}${inBrackets}\\)`, 'g');
const markInText = new RegExp(`(?<=^|\\s)${emptyMark}\\s+|\\s*${emptyMark}`, 'g');

/** Writes the remaining units into the elements of all of them. */
function write(kept: readonly Unit[], all: readonly Unit[]): void {
  const texts = new Map(all.map(({ element }) => [element, '']));
  for (const { element, text } of kept) texts.set(element, texts.get(element)! + text);
  for (const [element, text] of texts) {
    if (element.nodeName === 'w:t') {
      if (textOf(element) !== text) setText(element, text);
    } else if (text === '') remove(element);
  }
}

// --- Lines, paragraphs and rows.

const objects = /^w:(?:drawing|pict|object|sym|fldChar|fldSimple|sectPr|del|bookmarkStart|\w+Reference)$/;

/** Whether the paragraph of a line has something that must remain. */
function hasObject({ paragraph }: Line): boolean {
  for (const each of walk(paragraph)) {
    // Word keeps the place of the cursor as a bookmark.
    if (objects.test(each.nodeName) && each.getAttribute('w:name') !== '_GoBack') return true;
  }
  return false;
}

function removeLines(paragraph: Element, lines: readonly Line[]): void {
  if (lines.every(({ isGone }) => isGone)) {
    const unit = withControls(paragraph);
    if (isRemovable(unit)) {
      remove(unit);
      return;
    }
  }
  let hasKept = false;
  for (const { isGone, lineBreak, units } of lines) {
    if (isGone) write([], units);
    if (lineBreak !== null && (isGone || !hasKept)) remove(lineBreak);
    hasKept ||= !isGone;
  }
}

/** The control around a paragraph that has nothing else in it, or the paragraph. */
function withControls(paragraph: Element): Element {
  let unit = paragraph;
  for (;;) {
    const content = unit.parentNode as Element;
    const isAlone = content.nodeName === 'w:sdtContent' && children(content).length === 1;
    if (!isAlone || content.parentNode === null) return unit;
    unit = content.parentNode as Element;
  }
}

/** A cell, a text box and a part must end with a paragraph, and a paragraph must remain between two tables. */
function isRemovable(unit: Element): boolean {
  const after = next(unit);
  return (
    after?.nodeName === 'w:p' ||
    ((after === undefined || /^w:(?:sectPr|tbl)$/.test(after.nodeName)) && previous(unit)?.nodeName === 'w:p')
  );
}

/**
 * The label of a line that has none itself: on the line before it, or on the same line of the cell beside it. `unclear`
 * if a column of labels is beside it, but not line by line: then the line stays, empty, and nothing moves.
 */
function labelBeside(line: Line, known: ReadonlyMap<Element, readonly Line[]>): Line | 'unclear' | null {
  const linesIn = (paragraph: Element): readonly Line[] => known.get(paragraph) ?? linesOf(paragraph);
  const cell = around(line.paragraph, 'w:tc');
  const beside = cell && labelColumn(cell);
  if (beside !== undefined) {
    const labels = children(beside, 'w:p').flatMap(linesIn);
    const values = children(cell!, 'w:p').flatMap(linesIn);
    if (
      labels.every(({ shown }) => isLabel(shown) || isBlank(shown)) &&
      labels.some(({ shown }) => isLabel(shown))
    ) {
      const label = labels[values.findIndex((each) => isSame(each, line))];
      if (labels.length !== values.length) return labels.length > 1 ? 'unclear' : null;
      return label !== undefined && isLabel(label.shown) ? label : null;
    }
  }
  const own = linesIn(line.paragraph);
  const index = own.findIndex((each) => isSame(each, line));
  const before = previous(line.paragraph);
  const above = index > 0 ? own[index - 1] : before?.nodeName === 'w:p' ? linesIn(before).at(-1) : undefined;
  return above !== undefined && isLabel(above.shown) && /:\s*$/.test(above.shown) && !hasObject(above)
    ? above
    : null;
}

const isSame = (one: Line, other: Line): boolean =>
  one.paragraph === other.paragraph && one.lineBreak === other.lineBreak;

const isLabel = (shown: string): boolean => {
  const text = shown.trim();
  return text !== '' && text.length <= longestLabel && !hasMarks(text);
};

/** The nearest cell to the left that has text. */
function labelColumn(cell: Element): Element | undefined {
  for (let at = previous(cell); at !== undefined; at = previous(at)) {
    if (at.nodeName === 'w:tc' && textOf(at).trim() !== '') return at;
  }
  return undefined;
}

/** Rows in which nothing is left once a label and its value are gone. */
function removeRows(labels: readonly Line[]): void {
  for (const row of new Set(labels.map(({ paragraph }) => around(paragraph, 'w:tr')))) {
    if (row === undefined || textOf(row).trim() !== '') continue;
    const isMerged = children(row, 'w:tc').some((cell) => elements(cell, 'w:vMerge').length > 0);
    const others = children(row.parentNode!, 'w:tr').length - 1;
    const hasObjects = [...walk(row)].some(({ nodeName }) => objects.test(nodeName));
    if (!isMerged && !hasObjects && others > 0) remove(row);
  }
}

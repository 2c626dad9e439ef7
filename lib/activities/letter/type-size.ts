import type { TextFormat } from './text-format.ts';

/** The space inside a box, in points. */
export interface Room {
  readonly widthPt: number;
  readonly heightPt: number;
}

export interface Paragraph {
  readonly text: string;
  readonly format: TextFormat;
}

const stepPt = 0.5;
/** Minimum type size. Text that does not fit at this size makes its row higher. */
export const smallestPt = 6;
/** Minimum type size for keeping a long word on one line; a word that does not fit at this size is broken. */
const smallestForWordsPt = 8;

/**
 * The factor that makes the paragraphs fit the room: 1, or less in steps that shrink the largest type by half a point.
 * Widths and heights are upper bounds of the usual text fonts, because the fonts of the reader are unknown.
 */
export function typeScale(room: Room, paragraphs: readonly Paragraph[]): number {
  const measured = paragraphs.map(({ text, format }) => ({ format, lines: measuredLines(text, format) }));
  const largestPt = paragraphs.reduce((most, { format }) => Math.max(most, format.sizePt), smallestPt);
  let highest: number | undefined;
  for (let sizePt = largestPt; sizePt >= smallestPt; sizePt -= stepPt) {
    const scale = sizePt / largestPt;
    if (heightPt(room, measured, scale) > room.heightPt) continue;
    highest ??= scale;
    if (sizePt < smallestForWordsPt) break;
    if (wordsFit(room, measured, scale)) return scale;
  }
  return highest ?? smallestPt / largestPt;
}

/** The size of a run scaled by that factor, in half points as Word stores them. */
export function scaledPt(sizePt: number, scale: number): number {
  if (scale === 1) return sizePt;
  return Math.max(Math.min(sizePt, smallestPt), Math.floor((sizePt * scale) / stepPt + 1e-9) * stepPt);
}

// The highest of Arial, Times, Calibri, Cambria, Georgia, Verdana, Tahoma and DejaVu has 1.22.
const lineEm = 1.25;
const boldTimes = 1.15;

/** Widths in ems of the words of each line. */
interface MeasuredParagraph {
  readonly format: TextFormat;
  readonly lines: readonly (readonly number[])[];
}

// With a hanging indent, the label before the first tab is beside the text, not above it.
function measuredLines(text: string, { hangs }: TextFormat): number[][] {
  const beside = hangs ? text.replace(/^[^\t\n]*\t/, '') : text;
  return beside.split('\n').map((line) => (line.match(/\t|[^\s]+/g) ?? []).map(widthEm));
}

function heightPt(room: Room, paragraphs: readonly MeasuredParagraph[], scale: number): number {
  let height = 0;
  for (const { lines, format } of paragraphs) {
    const sizePt = scaledPt(format.sizePt, scale);
    const linePt = 'pt' in format.line ? format.line.pt : format.line.times * lineEm * sizePt;
    const ems = emsOf(room, format, sizePt);
    let count = 0;
    for (const words of lines) count += brokenLines(words, ems);
    height += format.aroundPt + linePt * count;
  }
  return height;
}

function wordsFit(room: Room, paragraphs: readonly MeasuredParagraph[], scale: number): boolean {
  return paragraphs.every(({ lines, format }) => {
    const ems = emsOf(room, format, scaledPt(format.sizePt, scale));
    return lines.every((words) => words.every((width) => width <= ems));
  });
}

const emsOf = ({ widthPt }: Room, { indentPt, isBold }: TextFormat, sizePt: number): number =>
  Math.max(1, (widthPt - indentPt) / sizePt / (isBold ? boldTimes : 1));

/** Counts lines as a word processor breaks them: at spaces, and inside a word that is longer than the line. */
function brokenLines(words: readonly number[], ems: number): number {
  let lines = 1;
  let used = 0;
  for (const width of words) {
    if (used > 0 && used + width > ems) {
      lines++;
      used = 0;
    }
    if (width > ems) lines += Math.ceil(width / ems) - 1;
    used += (width % ems) + blankEm;
  }
  return lines;
}

const blankEm = 0.34;
const classes: readonly (readonly [chars: string, em: number])[] = [
  ["'.,:;/\\|·’ijlIìíîï", 0.34],
  ['()[]-!"frt', 0.46],
  ['MWm@%&—…ŒœÆæ©®¼½¾±×÷', 1.02],
  // Half an inch, the distance of Word's tab stops, at 9 points.
  ['\t', 4],
];

/** Upper bounds in ems, measured in Liberation Sans, Liberation Serif and DejaVu Sans, which is as wide as Verdana. */
function charEm(char: string): number {
  const listed = classes.find(([chars]) => chars.includes(char));
  if (listed !== undefined) return listed[1];
  if (/[\p{Lu}w#+<=>^~]/u.test(char)) return 0.84;
  return char < '\u0250' || (char >= '\u2010' && char <= '\u20ac') ? 0.67 : 1.1;
}

const latinEms = Float64Array.from({ length: 0x250 }, (_, code) => charEm(String.fromCharCode(code)));

function widthEm(text: string): number {
  let width = 0;
  for (const char of text) width += latinEms[char.codePointAt(0) ?? 0] ?? charEm(char);
  return width;
}

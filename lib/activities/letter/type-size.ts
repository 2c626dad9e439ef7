import type { TextLook } from './text-look.ts';

/** A place of fixed size, in points. */
export interface Room {
  readonly widthPt: number;
  readonly heightPt: number;
}

export interface Paragraph {
  readonly text: string;
  readonly look: TextLook;
}

const stepPt = 0.5;
/** No type is smaller. What does not fit at this size makes its row higher. */
export const smallestPt = 6;
/** For the sake of a long word type gets no smaller than this; one that does not fit then is broken. */
const smallestForWordsPt = 8;

/**
 * The factor for the type sizes of a place so that its paragraphs stay inside: 1, or less in steps of half a point of
 * the largest type. Which font a reader's machine has is not known, so widths and heights are upper bounds of the usual
 * text fonts ({@link widthEm}, {@link lineEm}); the same letter gets the same size on every machine.
 */
export function typeScale(room: Room, paragraphs: readonly Paragraph[]): number {
  const measured = paragraphs.map(({ text, look }) => ({ look, lines: measuredLines(text, look) }));
  const largestPt = paragraphs.reduce((most, { look }) => Math.max(most, look.sizePt), smallestPt);
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

/** The size of a run in a place with that factor: whole half points, as Word stores them. */
export function scaledPt(sizePt: number, scale: number): number {
  if (scale === 1) return sizePt;
  return Math.max(Math.min(sizePt, smallestPt), Math.floor((sizePt * scale) / stepPt + 1e-9) * stepPt);
}

// Of Arial, Times, Calibri, Cambria, Georgia, Verdana, Tahoma and DejaVu the highest is 1.22.
const lineEm = 1.25;
const boldTimes = 1.15;

/** Widths in ems of the words of each line. */
interface MeasuredParagraph {
  readonly look: TextLook;
  readonly lines: readonly (readonly number[])[];
}

// With a hanging indent the label before the first tab stands beside the text, not above it.
function measuredLines(text: string, { hangs }: TextLook): number[][] {
  const beside = hangs ? text.replace(/^[^\t\n]*\t/, '') : text;
  return beside.split('\n').map((line) => (line.match(/\t|[^\s]+/g) ?? []).map(widthEm));
}

function heightPt(room: Room, paragraphs: readonly MeasuredParagraph[], scale: number): number {
  let height = 0;
  for (const { lines, look } of paragraphs) {
    const sizePt = scaledPt(look.sizePt, scale);
    const linePt = 'pt' in look.line ? look.line.pt : look.line.times * lineEm * sizePt;
    const ems = emsOf(room, look, sizePt);
    let count = 0;
    for (const words of lines) count += brokenLines(words, ems);
    height += look.aroundPt + linePt * count;
  }
  return height;
}

function wordsFit(room: Room, paragraphs: readonly MeasuredParagraph[], scale: number): boolean {
  return paragraphs.every(({ lines, look }) => {
    const ems = emsOf(room, look, scaledPt(look.sizePt, scale));
    return lines.every((words) => words.every((width) => width <= ems));
  });
}

const emsOf = ({ widthPt }: Room, { indentPt, isBold }: TextLook, sizePt: number): number =>
  Math.max(1, (widthPt - indentPt) / sizePt / (isBold ? boldTimes : 1));

/** Lines as a word processor breaks them: at blanks, and where a word is longer than the line. */
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
  // Half an inch, where Word has its tab stops, at 9 points.
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

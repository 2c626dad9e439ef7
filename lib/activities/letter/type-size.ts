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

// The highest of Arial, Times, Calibri, Cambria, Georgia, Verdana, Tahoma and DejaVu has 1.22.
const lineEm = 1.25;

/**
 * The type size to which larger type shrinks so that the paragraphs fit the room. Widths and heights are upper bounds of
 * the usual text fonts, because the fonts of the reader are unknown.
 */
export function fittingPt({ widthPt, heightPt }: Room, paragraphs: readonly Paragraph[]): number {
  const measured = paragraphs.map(({ text, format }) => ({
    ...format,
    lines: text.split('\n').map((line) => (line.match(/\t|\S+/g) ?? []).map(widthEm)),
  }));
  const largestPt = measured.reduce((most, { sizePt }) => Math.max(most, sizePt), smallestPt);
  const sizes = Array.from(
    { length: (largestPt - smallestPt) / stepPt + 1 },
    (_, index) => largestPt - index * stepPt,
  );
  const isHighEnough = (pt: number): boolean =>
    measured.reduce((height, { lines, line, sizePt, aroundPt }) => {
      const shownPt = Math.min(sizePt, pt);
      const linePt = 'pt' in line ? line.pt : line.times * lineEm * shownPt;
      const ems = Math.max(1, widthPt / shownPt);
      const count = lines.reduce((sum, words) => sum + brokenLines(words, ems), 0);
      return height + aroundPt + linePt * count;
    }, 0) <= heightPt;
  const breaksWord = (pt: number): boolean =>
    measured.some(({ lines, sizePt }) =>
      lines.flat().some((width) => width * Math.min(sizePt, pt) > widthPt),
    );
  return (
    sizes.find((pt) => pt >= smallestForWordsPt && isHighEnough(pt) && !breaksWord(pt)) ??
    sizes.find(isHighEnough) ??
    smallestPt
  );
}

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

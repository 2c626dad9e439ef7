import { type DateField, type LetterMoment, momentAs } from './letter-moment.ts';
import { xmlLines } from './letter-text.ts';

/** A stretch of XML in whose place the moment of the letter is written. */
export interface MomentPlace {
  readonly start: number;
  readonly end: number;
  readonly xml: (moment: LetterMoment) => string;
}

/**
 * The fields of a part that would show another date at each opening: DATE, TIME, CREATEDATE, SAVEDATE. Fields within
 * the code of another one (`IF`) stay: there is no place for text.
 */
export function dateFields(xml: string): MomentPlace[] {
  return [...simpleFields(xml), ...complexFields(xml)];
}

const instruction = /^\s*(DATE|TIME|CREATEDATE|SAVEDATE)(?![A-Z])(.*)$/is;

function contentOf(code: string): ((moment: LetterMoment) => string) | null {
  const [, name, switches = ''] = instruction.exec(code) ?? [];
  if (name === undefined) return null;
  const field = name.toUpperCase() as DateField;
  const [, quoted, bare] = /\\@\s*(?:"([^"]*)"|([^\s"\\]+))/.exec(switches) ?? [];
  const picture = quoted ?? bare ?? null;
  return (moment) => `<w:t xml:space="preserve">${xmlLines([momentAs(field, picture, moment)])}</w:t>`;
}

function simpleFields(xml: string): MomentPlace[] {
  const pattern =
    /<w:fldSimple\s[^>]*?w:instr="([^"]*)"[^>]*?(?:\/>|>((?:(?!<w:fldSimple[\s>]).){0,20000}?)<\/w:fldSimple>)/gs;
  return [...xml.matchAll(pattern)].flatMap(({ index, 0: whole, 1: code = '', 2: result = '' }) => {
    const content = contentOf(unescaped(code));
    if (content === null) return [];
    const format = /^\s*<w:r(?:\s[^>]*)?>\s*(<w:rPr>.*?<\/w:rPr>)/s.exec(result)?.[1] ?? '';
    return [
      { start: index, end: index + whole.length, xml: (moment) => `<w:r>${format}${content(moment)}</w:r>` },
    ];
  });
}

interface OpenField {
  readonly start: number;
  readonly isInCode: boolean;
  code: string;
  isInResult: boolean;
}

const fieldPiece =
  /<w:fldChar\s[^>]*?w:fldCharType="(begin|separate|end)"[^>]*?(?:\/>|>.{0,20000}?<\/w:fldChar>)|<w:instrText(?:\s[^>]*)?>([^<]*)<\/w:instrText>/gs;

function complexFields(xml: string): MomentPlace[] {
  const open: OpenField[] = [];
  const found: MomentPlace[] = [];
  for (const { index, 0: piece, 1: type, 2: code = '' } of xml.matchAll(fieldPiece)) {
    const field = open.at(-1);
    if (type === 'begin') {
      open.push({
        start: index,
        isInCode: open.some((outer) => !outer.isInResult),
        code: '',
        isInResult: false,
      });
    } else if (type === 'separate' && field !== undefined) field.isInResult = true;
    else if (type === undefined && field !== undefined && !field.isInResult) field.code += code;
    else if (type === 'end') {
      open.pop();
      const end = index + piece.length;
      if (field === undefined || field.isInCode || !isWithinRuns(xml.slice(field.start, end))) continue;
      const content = contentOf(unescaped(field.code));
      if (content !== null) found.push({ start: field.start, end, xml: content });
    }
  }
  return found;
}

// From the inside of one run to the inside of another of the same parent: what is cut out leaves the XML well-formed.
function isWithinRuns(stretch: string): boolean {
  let depth = 0;
  let isInRun = true;
  for (const [, closing = '', name, selfClosing] of stretch.matchAll(/<(\/?)([\w:]+)[^>]*?(\/?)>/g)) {
    if (name === 'w:p') return false;
    if (selfClosing === '/') continue;
    if (depth === 0 && name === 'w:r') {
      if (isInRun !== (closing === '/')) return false;
      isInRun = !isInRun;
    } else if (closing === '') depth++;
    else if (--depth < 0) return false;
  }
  return depth === 0 && isInRun;
}

function unescaped(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

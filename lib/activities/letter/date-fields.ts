import { type DateField, type LetterMoment, momentAs } from './letter-moment.ts';
import { escaped, xmlLines } from './letter-text.ts';

/** A span of XML that is replaced by the moment of the letter. */
export interface MomentPlace {
  readonly start: number;
  readonly end: number;
  readonly xml: (moment: LetterMoment) => string;
}

/**
 * Finds the fields that would show a different date each time the letter is opened: DATE, TIME, CREATEDATE, SAVEDATE.
 * A date field inside the code of another field, such as `IF`, becomes text of that code, and the outer field is marked
 * stale (`w:dirty`, ECMA-376 part 1, 17.16.18), so Word evaluates it again with the date of the letter.
 */
export function dateFields(xml: string): MomentPlace[] {
  return [...simpleFields(xml), ...complexFields(xml)];
}

const instruction = /^\s*(DATE|TIME|CREATEDATE|SAVEDATE)(?![A-Z])(.*)$/is;

/** The text that the field shows, or `null` for any other field. */
function shownBy(code: string): ((moment: LetterMoment) => string) | null {
  const [, name, switches = ''] = instruction.exec(code) ?? [];
  if (name === undefined) return null;
  const field = name.toUpperCase() as DateField;
  const [, quoted, bare] = /\\@\s*(?:"([^"]*)"|([^\s"\\]+))/.exec(switches) ?? [];
  const picture = quoted ?? bare ?? null;
  return (moment) => momentAs(field, picture, moment);
}

const textXml = (text: string): string => `<w:t xml:space="preserve">${xmlLines([text])}</w:t>`;

function simpleFields(xml: string): MomentPlace[] {
  const pattern =
    /<w:fldSimple\s[^>]*?w:instr="([^"]*)"[^>]*?(?:\/>|>((?:(?!<w:fldSimple[\s>]).){0,20000}?)<\/w:fldSimple>)/gs;
  return [...xml.matchAll(pattern)].flatMap(({ index, 0: whole, 1: code = '', 2: result = '' }) => {
    const shown = shownBy(unescaped(code));
    if (shown === null) return [];
    const format = /^\s*<w:r(?:\s[^>]*)?>\s*(<w:rPr>.*?<\/w:rPr>)/s.exec(result)?.[1] ?? '';
    return [
      {
        start: index,
        end: index + whole.length,
        xml: (moment) => `<w:r>${format}${textXml(shown(moment))}</w:r>`,
      },
    ];
  });
}

interface OpenField {
  readonly start: number;
  readonly begin: string;
  readonly isInCode: boolean;
  code: string;
  isInResult: boolean;
  isStale: boolean;
}

const fieldPiece =
  /<w:fldChar\s[^>]*?w:fldCharType="(begin|separate|end)"[^>]*?(?:\/>|>.{0,20000}?<\/w:fldChar>)|<w:instrText(?:\s[^>]*)?>([^<]*)<\/w:instrText>/gs;

function complexFields(xml: string): MomentPlace[] {
  const open: OpenField[] = [];
  const found: MomentPlace[] = [];
  const marks: MomentPlace[] = [];
  for (const { index, 0: piece, 1: type, 2: code = '' } of xml.matchAll(fieldPiece)) {
    const field = open.at(-1);
    if (type === 'begin') {
      open.push({
        start: index,
        begin: piece,
        isInCode: open.some((outer) => !outer.isInResult),
        code: '',
        isInResult: false,
        isStale: false,
      });
    } else if (type === 'separate' && field !== undefined) field.isInResult = true;
    else if (type === undefined && field !== undefined && !field.isInResult) field.code += code;
    else if (type === 'end') {
      open.pop();
      const end = index + piece.length;
      if (field === undefined) continue;
      const shown = isWithinRuns(xml.slice(field.start, end)) ? shownBy(unescaped(field.code)) : null;
      if (shown === null) {
        if (field.isStale) marks.push(staleMark(field));
        continue;
      }
      // Removes the fields inside this one.
      while ((found.at(-1)?.start ?? -1) > field.start) found.pop();
      const [outermost] = open;
      const outer = open.at(-1);
      if (!field.isInCode || outer === undefined || outermost === undefined) {
        found.push({ start: field.start, end, xml: (moment) => textXml(shown(moment)) });
        continue;
      }
      const isQuoted = outer.code.split('"').length % 2 === 0;
      const write = outer.isInResult ? textXml : (text: string) => codeXml(text, isQuoted);
      found.push({ start: field.start, end, xml: (moment) => write(shown(moment)) });
      outermost.isStale = true;
    }
  }
  return [...found, ...marks];
}

// Quotes make a date of several words one operand.
function codeXml(text: string, isQuoted: boolean): string {
  const operand = isQuoted || !/\s/.test(text) ? text : `"${text}"`;
  return `<w:instrText xml:space="preserve">${escaped(operand)}</w:instrText>`;
}

function staleMark({ start, begin }: OpenField): MomentPlace {
  const written = /\sw:dirty="[^"]*"/.exec(begin);
  const at = start + (written?.index ?? '<w:fldChar'.length);
  return { start: at, end: at + (written?.[0].length ?? 0), xml: () => ' w:dirty="true"' };
}

// Whether the span starts inside one run and ends inside another of the same parent; removing it then keeps the XML
// well-formed.
function isWithinRuns(span: string): boolean {
  let depth = 0;
  let isInRun = true;
  for (const [, closing = '', name, selfClosing] of span.matchAll(/<(\/?)([\w:]+)[^>]*?(\/?)>/g)) {
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

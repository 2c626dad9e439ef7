import { type DateField, momentAs } from './letter-moment.ts';
import { escaped, unescaped, xmlLines } from './letter-text.ts';
import type { Letter, Place } from './places.ts';
import type { XmlElement } from './xml-tree.ts';

/**
 * Finds the fields that would show a different date each time the letter is opened: DATE, TIME, CREATEDATE, SAVEDATE.
 * A date field inside the code of another field, such as `IF`, becomes text of that code, and the outer field is marked
 * stale (`w:dirty`, ECMA-376 part 1, 17.16.18), so Word evaluates it again with the date of the letter.
 */
export function dateFields(tree: XmlElement): Place[] {
  return [...tree.all('w:fldSimple').flatMap(simpleField), ...complexFields(tree)];
}

const instruction = /^\s*(DATE|TIME|CREATEDATE|SAVEDATE)(?![A-Z])(.*)$/is;

/** The text that the field shows, or `null` for any other field. */
function shownBy(code: string): ((letter: Letter) => string) | null {
  const [, name, switches = ''] = instruction.exec(unescaped(code)) ?? [];
  if (name === undefined) return null;
  const field = name.toUpperCase() as DateField;
  const [, quoted, bare] = /\\@\s*(?:"([^"]*)"|([^\s"\\]+))/.exec(switches) ?? [];
  const picture = quoted ?? bare ?? null;
  return ({ moment }) => momentAs(field, picture, moment);
}

const textXml = (text: string): string => `<w:t xml:space="preserve">${xmlLines([text])}</w:t>`;

function simpleField(field: XmlElement): Place[] {
  const shown = shownBy(field.attribute('w:instr') ?? '');
  if (shown === null) return [];
  const { start, end } = field;
  const format = field.child('w:r', 'w:rPr')?.xml ?? '';
  return [{ start, end, write: (letter) => `<w:r>${format}${textXml(shown(letter))}</w:r>` }];
}

interface OpenField {
  readonly begin: XmlElement;
  code: string;
  isInResult: boolean;
  isStale: boolean;
}

function complexFields(tree: XmlElement): Place[] {
  const open: OpenField[] = [];
  const found: Place[] = [];
  for (const element of tree.all('w:fldChar', 'w:instrText')) {
    const type = element.attribute('w:fldCharType');
    const field = open.at(-1);
    if (type === 'begin') open.push({ begin: element, code: '', isInResult: false, isStale: false });
    else if (field === undefined) continue;
    else if (type === 'separate') field.isInResult = true;
    else if (type === 'end') {
      open.pop();
      for (const place of fieldPlaces(field, element, open)) found.push(place);
    } else if (!field.isInResult) field.code += element.content;
  }
  return found;
}

function fieldPlaces(field: OpenField, { parent, end }: XmlElement, outside: readonly OpenField[]): Place[] {
  const { begin } = field;
  // Between runs of one parent, the XML remains well-formed without the field.
  const isBetweenRuns = begin.parent?.name === 'w:r' && begin.parent.parent === parent?.parent;
  const shown = isBetweenRuns ? shownBy(field.code) : null;
  if (shown === null) return field.isStale ? [staleMark(begin)] : [];
  const [outermost] = outside;
  const outer = outside.at(-1);
  let write = textXml;
  if (outermost !== undefined && outside.some(({ isInResult }) => !isInResult)) outermost.isStale = true;
  if (outer?.isInResult === false) {
    const isQuoted = outer.code.split('"').length % 2 === 0;
    write = (text) => codeXml(text, isQuoted);
  }
  return [{ start: begin.start, end, write: (letter) => write(shown(letter)) }];
}

// Quotes make a date of several words one operand.
function codeXml(text: string, isQuoted: boolean): string {
  const operand = isQuoted || !/\s/.test(text) ? text : `"${text}"`;
  return `<w:instrText xml:space="preserve">${escaped(operand)}</w:instrText>`;
}

function staleMark({ xml, start }: XmlElement): Place {
  const written = /^<[^>]*?(\sw:dirty="[^"]*")/.exec(xml)?.[1] ?? '';
  const at = start + (written === '' ? '<w:fldChar'.length : xml.indexOf(written));
  return { start: at, end: at + written.length, write: ' w:dirty="true"' };
}

import type PizZip from 'pizzip';
import { isDateField } from './letter-values.ts';
import type { TemplateFault } from './template-rejection.ts';
import { withGrowingBoxes } from './text-boxes.ts';

/**
 * Changes what every letter of a template has in another way than the template itself.
 * @returns date fields that would show another date each time the letter is opened
 */
export function asLetter(zip: PizZip): TemplateFault[] {
  const faults: TemplateFault[] = [];
  // Word rejects a .docx whose content type is that of a template.
  edit(zip, /^\[Content_Types\]\.xml$/, (xml) =>
    xml.replace('wordprocessingml.template.main+xml', 'wordprocessingml.document.main+xml'),
  );
  edit(zip, /^word\/[^/]*\.xml$/, (xml, path) => {
    const { dated, left } = datesAsPlaceholders(xml);
    for (const code of left) {
      faults.push({
        path,
        message: `The date field ${code.trim()} is inside the code of another field or across paragraphs, where it would change with the day: move it out, or write the date as text.`,
      });
    }
    // In the letter, rows, frames and boxes may grow, so a long value is not cut off.
    return withGrowingBoxes(sectionBreaksAfterContent(dated)).replace(
      /(<w:(?:trHeight|framePr)\s[^>]*?w:hRule=")exact"/g,
      '$1atLeast"',
    );
  });
  return faults;
}

function edit(zip: PizZip, names: RegExp, edited: (xml: string, path: string) => string): void {
  for (const part of zip.file(names)) {
    const xml = part.asText();
    const result = edited(xml, part.name);
    if (result !== xml) {
      zip.file(part.name, result);
    }
  }
}

interface Field {
  readonly start: number;
  readonly end: number;
  readonly code: string;
  readonly isInCode: boolean;
}

/**
 * Date fields become placeholders, because as fields they show another date each time the letter is opened.
 * @returns with the codes of date fields that had to remain
 */
function datesAsPlaceholders(xml: string): { dated: string; left: readonly string[] } {
  const left: string[] = [];
  let dated = '';
  let at = 0;
  for (const { start, end, code, isInCode } of complexFields(xml)) {
    if (!isDateField(code) || start < at) continue;
    const field = xml.slice(start, end);
    if (isInCode || /<w:p[\s>]/.test(field) || !isBetweenRuns(field)) {
      left.push(code);
    } else {
      dated += xml.slice(at, start) + placeholderText(code);
      at = end;
    }
  }
  dated += xml.slice(at);
  return {
    dated: dated.replace(simpleField, (field, code: string, inside = '') => {
      const format = /<w:rPr>.*?<\/w:rPr>/s.exec(inside)?.[0] ?? '';
      return isDateField(code) ? `<w:r>${format}${placeholderText(code)}</w:r>` : field;
    }),
    left,
  };
}

const placeholderText = (code: string): string => `<w:t xml:space="preserve">{{${code}}}</w:t>`;

const simpleField = /<w:fldSimple\s[^>]*?w:instr="([^"]*)"[^>]*?(?:\/>|>(.*?)<\/w:fldSimple>)/gs;
const fieldPiece = /<w:fldChar\s[^>]*?w:fldCharType="(\w+)"[^>]*>|<w:instrText[^>]*>([^<]*)/g;

/** The fields of several runs (ECMA-376 part 1, 17.16.18), in the order of their beginnings. */
function complexFields(xml: string): Field[] {
  const open: { start: number; code: string; isInResult: boolean }[] = [];
  const fields: Field[] = [];
  for (const { index, 0: piece, 1: type, 2: text = '' } of xml.matchAll(fieldPiece)) {
    const current = open.at(-1);
    if (type === 'begin') {
      open.push({ start: index, code: '', isInResult: false });
    } else if (current === undefined) {
      continue;
    } else if (type === 'separate') {
      current.isInResult = true;
    } else if (type === 'end') {
      open.pop();
      const isInCode = open.some(({ isInResult }) => !isInResult);
      fields.push({ start: current.start, end: index + piece.length, code: current.code, isInCode });
    } else if (!current.isInResult) {
      current.code += text;
    }
  }
  return fields.toSorted((one, other) => one.start - other.start);
}

/** Whether the XML around a field remains well-formed without it: what it closes before it opens are the runs of both ends. */
function isBetweenRuns(field: string): boolean {
  const open: string[] = [];
  const closed: string[] = [];
  for (const [, closing, tag = '', empty] of field.matchAll(/<(\/?)([\w:.-]+)[^>]*?(\/?)>/g)) {
    if (closing === '/') {
      if (open.pop() === undefined) {
        closed.push(tag);
      }
    } else if (empty !== '/') {
      open.push(tag);
    }
  }
  return open.join(' ') === closed.toReversed().join(' ');
}

const paragraph = /<w:p(?:\s[^>]*)?>(?:(?!<w:p[\s>]).)*?<\/w:p>/gs;
const sectionBreak = /<w:sectPr(?:\s[^>]*)?(?:\/>|>.*?<\/w:sectPr>)/s;
// A line of one point, so that the section has no visible further line.
const thinLine =
  '<w:spacing w:before="0" w:after="0" w:line="20" w:lineRule="exact"/><w:rPr><w:sz w:val="2"/></w:rPr>';

/** A section ends with a paragraph that has its break, which must not be one of those that {{content}} becomes. */
function sectionBreaksAfterContent(xml: string): string {
  if (!sectionBreak.test(xml)) return xml;
  return xml.replace(paragraph, (whole) => {
    const section = sectionBreak.exec(whole)?.[0];
    if (section === undefined || !/\{\{\s*content\s*\}\}/.test(whole.replace(/<[^>]*>/g, ''))) return whole;
    const ending = thinLine.replace(/$/, section);
    return `${whole.replace(section, '')}<w:p><w:pPr>${ending}</w:pPr></w:p>`;
  });
}

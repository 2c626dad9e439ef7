import type PizZip from 'pizzip';
import type { TemplateFault } from './template-rejection.ts';
import { isComments, isXml } from './template-zip.ts';

/** The elements whose text docxtemplater 3.71 fills (`file-type-config.js`). */
const textElements = `
  w:t a:t m:t vt:lpstr vt:lpwstr Company Manager HyperlinkBase dc:title dc:subject
  dc:creator dc:description cp:keywords cp:category cp:contentStatus
`
  .trim()
  .split(/\s+/);

const texts = new RegExp(`<(${textElements.join('|')})(?:\\s[^<>]*)?>[^<]*</\\1>`, 'g');
const tag = /<(?:[^<>"']|"[^"]*"|'[^']*')*>/g;
// Attributes that the recipient sees or a field evaluates. Others (ids, names of controls) do not matter.
const shownAttribute = /\s(?:w:instr|descr|title|alt|(?:w:)?tooltip)\s*=\s*("[^"]*"|'[^']*')/g;

/** Braces that are at no place for placeholders and would reach the recipient unchanged. */
export function unfillablePlaces(zip: PizZip): TemplateFault[] {
  return Object.values(zip.files)
    .filter((part) => isXml(part) && !isComments(part) && !part.name.endsWith('.rels'))
    .flatMap((part) => {
      const other = part.asText().replace(texts, ' ');
      const attributes = [...(other.match(tag) ?? []).join('\n').matchAll(shownAttribute)];
      const shown = [other.replace(/<[^<>]*>/g, ''), ...attributes.map(([, value]) => value)].join('\n');
      const found = new Set(shown.match(/\{\{[^{}]{0,80}\}\}|\{\{|\}\}/g));
      return [...found].map((written) => ({
        path: part.name,
        message: `${written} cannot be filled in a field code, a tracked deletion, the data of a content control, an alternative text or a screen tip.`,
      }));
    });
}

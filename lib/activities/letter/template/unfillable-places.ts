import type { TemplateFault } from '../word/template-rejection.ts';
import type { TemplateParts } from '../word/template-parts.ts';
import { isComments } from '../word/template-zip.ts';
import { type Document, walk } from '../word/xml-tree.ts';

/** The elements whose text docxtemplater 3.71 fills (`file-type-config.js`). */
const textElements: ReadonlySet<string> = new Set(
  `
  w:t a:t m:t vt:lpstr vt:lpwstr Company Manager HyperlinkBase dc:title dc:subject
  dc:creator dc:description cp:keywords cp:category cp:contentStatus
`
    .trim()
    .split(/\s+/),
);

// Attributes that the recipient sees or a field evaluates. Others (ids, names of controls) do not matter.
const shownAttribute = /^(?:w:instr|descr|title|alt|(?:w:)?tooltip)$/;

/** Braces that are at no place for placeholders and would reach the recipient unchanged. */
export function unfillablePlaces(parts: TemplateParts): TemplateFault[] {
  return [...parts.trees]
    .filter(([name]) => !isComments({ name }) && !name.endsWith('.rels') && !isStore(name))
    .flatMap(([path, tree]) => {
      const found = new Set(unfillableText(tree).match(/\{\{[^{}]{0,80}\}\}|\{\{|\}\}/g));
      return [...found].map((written) => ({
        path,
        message: `${written} cannot be filled in a field code, a tracked deletion, an alternative text or a screen tip.`,
      }));
    });
}

/** The data of content controls (ECMA-376 part 1, 15.2.5). */
export const isStore = (name: string): boolean => /^customXml\/[^/]*\.xml$/.test(name);

const textNode = 3;

function unfillableText(tree: Document): string {
  let text = '';
  const attributes: string[] = [];
  for (const element of walk(tree)) {
    for (const { name, value } of element.attributes) if (shownAttribute.test(name)) attributes.push(value);
    const isFilled = textElements.has(element.nodeName);
    for (const node of element.childNodes) {
      if (node.nodeType === textNode) text += isFilled ? ' ' : (node.nodeValue ?? '');
    }
  }
  return [text, ...attributes].join('\n');
}

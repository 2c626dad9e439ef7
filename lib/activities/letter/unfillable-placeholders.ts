import type { TemplateFault } from './template-fault.ts';

// Attributes that the recipient sees or a field evaluates. Others (ids, names of controls) do not matter.
const shownAttributes: Record<string, string> = {
  'w:instr': 'a field code',
  descr: 'the alternative text of a picture',
  title: 'the alternative text of a picture',
  alt: 'the alternative text of a picture',
  'w:tooltip': 'the screen tip of a link',
  tooltip: 'the screen tip of a link',
};
const unreadText = 'a field code, a tracked deletion or the data of a content control';

/**
 * Finds braces that docxtemplater does not read and that would reach the recipient unchanged. Takes the original part,
 * so these faults are reported together with those of docxtemplater.
 *
 * @param readElements the elements whose text docxtemplater reads in this part
 */
export function unfillablePlaceholders(
  path: string,
  xml: string,
  readElements: readonly string[],
): TemplateFault[] {
  if (!/\{\{|\}\}/.test(xml)) return [];
  const unread =
    readElements.length === 0
      ? xml
      : xml.replace(new RegExp(`<(${readElements.join('|')})(?:\\s[^<>]*)?>[^<]*</\\1>`, 'g'), ' ');
  const inTexts = bracesIn(unread.replaceAll('</w:p>', '\n').replace(/<[^<>]*>/g, '')).map((written) =>
    sentence(written, unreadText),
  );
  const inAttributes = [...unread.matchAll(tag)].flatMap(([, attributes = '']) =>
    [...attributes.matchAll(attribute)].flatMap(([, name = '', value = '']) => {
      const place = shownAttributes[name];
      return place === undefined ? [] : bracesIn(value).map((written) => sentence(written, place));
    }),
  );
  return [...new Set([...inTexts, ...inAttributes])].map((message) => ({ path, message }));
}

const tag = /<[\w:.-]+((?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*\/?>/g;
const attribute = /([\w:.-]+)\s*=\s*("[^"]*"|'[^']*')/g;

function bracesIn(text: string): string[] {
  return [...text.matchAll(/\{\{[^{}]{0,80}\}\}|\{\{|\}\}/g)].map(([written]) => written);
}

function sentence(written: string, place: string): string {
  return `${written} cannot be filled in ${place}.`;
}

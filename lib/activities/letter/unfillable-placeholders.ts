import { textElements } from './joined-placeholders.ts';

// Attributes that the recipient sees or a field evaluates. Others (ids, names of controls) do not matter.
const shownAttributes: Record<string, string> = {
  'w:instr': 'a field code',
  descr: 'the alternative text of a picture',
  title: 'the alternative text of a picture',
  alt: 'the alternative text of a picture',
  'w:tooltip': 'the screen tip of a link',
  tooltip: 'the screen tip of a link',
};
const otherText = 'a field code, a tracked deletion or the data of a content control';

/** A sentence for each pair of braces that is at no place for placeholders and would reach the recipient unchanged. */
export function unfillablePlaceholders(xml: string): string[] {
  if (!/\{\{|\}\}/.test(xml)) return [];
  const other = xml.replace(texts, ' ');
  const inTexts = bracesIn(other.replaceAll('</w:p>', '\n').replace(/<[^<>]*>/g, '')).map(
    (written) => `${written} cannot be filled in ${otherText}.`,
  );
  const inAttributes = [...other.matchAll(tag)].flatMap(([, attributes = '']) =>
    [...attributes.matchAll(attribute)].flatMap(([, name = '', value = '']) => {
      const place = shownAttributes[name];
      return place === undefined
        ? []
        : bracesIn(value).map((written) => `${written} cannot be filled in ${place}.`);
    }),
  );
  return [...new Set([...inTexts, ...inAttributes])];
}

const texts = new RegExp(`<(${textElements.join('|')})(?:\\s[^<>]*)?>[^<]*</\\1>`, 'g');
const tag = /<[\w:.-]+((?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*\/?>/g;
const attribute = /([\w:.-]+)\s*=\s*("[^"]*"|'[^']*')/g;

function bracesIn(text: string): string[] {
  return [...text.matchAll(/\{\{[^{}]{0,80}\}\}|\{\{|\}\}/g)].map(([written]) => written);
}

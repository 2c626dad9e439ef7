import { isPlaceholder, type Placeholder, placeholders } from './placeholders.ts';
import { edited, type Place } from './places.ts';
import { type XmlElement, xmlTree } from './xml-tree.ts';

/**
 * One placeholder after {@link joinedPlaceholders}: its name between private-use characters. Word's symbol fonts start
 * at U+F000.
 */
export const slotPattern = new RegExp(`\uE000(${placeholders.join('|')})\uE001`, 'g');
export const slotOf = (name: Placeholder): string => `\uE000${name}\uE001`;

/** The elements whose text may contain placeholders: of paragraphs, of drawings, and of the file's properties. */
const textElements = `
  w:t a:t m:t vt:lpstr vt:lpwstr Company Manager HyperlinkBase dc:title dc:subject
  dc:creator dc:description cp:keywords cp:category cp:contentStatus
`
  .trim()
  .split(/\s+/);

/**
 * Writes each placeholder, including one that Word has split into several runs, as one piece of text that matches
 * {@link slotPattern}: in the first run, whose format it keeps. The faults are sentences.
 */
export function joinedPlaceholders(xml: string): { xml: string; faults: string[] } {
  if (!/[{}]/.test(xml)) return { xml, faults: [] };
  const faults: string[] = [];
  const edits: Place[] = [];
  const paragraphs = Map.groupBy(xmlTree(xml).all(...textElements), (text) => text.paragraph ?? text);
  for (const texts of paragraphs.values()) {
    const whole = texts.map(({ content }) => content).join('');
    const { tags, faults: found } = tagsIn(whole);
    for (const fault of found) faults.push(fault);
    if (tags.length === 0) continue;
    // One entry per character of the paragraph.
    const written = whole.split('');
    for (const { start, end, name } of tags) {
      written.fill('', start, end);
      written[start] = slotOf(name);
    }
    let at = 0;
    for (const text of texts) {
      const { length } = text.content;
      edits.push(textEdit(text, written.slice(at, at + length).join('')));
      at += length;
    }
  }
  return { xml: edited(xml, edits), faults: [...faults, ...unfillable(xml)] };
}

function textEdit({ name, start, contentStart, contentEnd }: XmlElement, written: string): Place {
  // Without the attribute, Word omits the spaces at the ends of a value.
  return name === 'w:t' && written.includes('\uE000')
    ? { start, end: contentEnd, write: `<w:t xml:space="preserve">${written}` }
    : { start: contentStart, end: contentEnd, write: written };
}

interface Tag {
  readonly start: number;
  readonly end: number;
  readonly name: Placeholder;
}

function tagsIn(text: string): { tags: Tag[]; faults: string[] } {
  const tags: Tag[] = [];
  const faults: string[] = [];
  let open: number | null = null;
  const isNotClosed = (start: number, end?: number): string =>
    `The placeholder that begins with ${excerpt(text.slice(start, end))} is not closed with }}.`;
  for (const { index, 0: braces } of text.matchAll(/\{\{|\}\}/g)) {
    if (braces === '{{') {
      if (open !== null) faults.push(isNotClosed(open, index));
      open = index;
    } else if (open === null) {
      faults.push(
        `There is a }} without a {{ before it, near ${text.slice(Math.max(0, index - 40), index + 2)}.`,
      );
    } else {
      const name = text.slice(open + 2, index).trim();
      if (isPlaceholder(name)) tags.push({ start: open, end: index + 2, name });
      else faults.push(/[{}]/.test(name) ? isNotClosed(open, index + 2) : unknownPlaceholder(name));
      open = null;
    }
  }
  if (open !== null) faults.push(isNotClosed(open));
  return { tags, faults };
}

export function unknownPlaceholder(name: string): string {
  const meant = placeholders.find((placeholder) => placeholder.toLowerCase() === name.toLowerCase());
  const hint =
    meant === undefined ? `known placeholders are ${placeholders.join(', ')}` : `did you mean {{${meant}}}?`;
  return `{{${excerpt(name)}}} is not a placeholder: ${hint}`;
}

const excerpt = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text);

const texts = new RegExp(`<(${textElements.join('|')})(?:\\s[^<>]*)?>[^<]*</\\1>`, 'g');
const tag = /<(?:[^<>"']|"[^"]*"|'[^']*')*>/g;
// Attributes that the recipient sees or a field evaluates. Others (ids, names of controls) do not matter.
const shownAttribute = /\s(?:w:instr|descr|title|alt|(?:w:)?tooltip)\s*=\s*("[^"]*"|'[^']*')/g;

/** Braces that are at no place for placeholders and would reach the recipient unchanged. */
function unfillable(xml: string): string[] {
  const other = xml.replace(texts, ' ');
  const attributes = [...(other.match(tag) ?? []).join('\n').matchAll(shownAttribute)].map(
    ([, value]) => value,
  );
  const shown = [other.replace(/<[^<>]*>/g, ''), ...attributes].join('\n');
  const found = shown.match(/\{\{[^{}]{0,80}\}\}|\{\{|\}\}/g);
  return [...new Set(found)].map(
    (written) =>
      `${written} cannot be filled in a field code, a tracked deletion, the data of a content control, an alternative text or a screen tip.`,
  );
}

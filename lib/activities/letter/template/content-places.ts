import { ownText } from '../word/word-text.ts';
import {
  around,
  child,
  type Document,
  type Element,
  elements,
  insertAfter,
  remove,
  unwrap,
  wordElement,
} from '../word/xml-tree.ts';

/** The paragraphs with `{{content}}`, which become those of a letter's text. */
export const contentPlaces = (tree: Document): Element[] =>
  elements(tree, 'w:p').filter((each) => /\{\{\s*content\s*\}\}/.test(ownText(each)));

/**
 * Prepares the paragraphs of `{{content}}`, so that they can be repeated: without what one paragraph can have but not
 * several.
 * @returns how many it has changed, and what people should know of it
 */
export function openContentPlaces(tree: Document): { changed: number; messages: string[] } {
  const places = contentPlaces(tree);
  const messages = places.flatMap((paragraph) => {
    endSectionAfter(paragraph);
    return [...acceptChanges(paragraph), ...openControls(paragraph)];
  });
  return { changed: places.length, messages };
}

const wrappers = ['w:ins', 'w:moveTo', 'w:smartTag', 'w:customXml', 'w:dir', 'w:bdo'];
const changesOfFormat = ['w:rPrChange', 'w:pPrChange'];

/** Tracked changes have ids, which each paragraph would repeat, and a mark that is deleted would join all of them. */
function acceptChanges(paragraph: Element): string[] {
  const properties = child(paragraph, 'w:pPr');
  const marks =
    properties === undefined ? [] : elements(properties, 'w:ins', 'w:del', 'w:moveFrom', 'w:moveTo');
  const changes = [...marks, ...elements(paragraph, ...changesOfFormat)];
  for (const each of changes) remove(each);
  const around = elements(paragraph, ...wrappers).filter((each) => isOf(paragraph, each));
  for (const each of around) unwrap(each);
  const tracked =
    changes.length + around.filter(({ nodeName }) => /^w:(?:ins|moveTo)$/.test(nodeName)).length;
  return tracked === 0 ? [] : ['the tracked changes in the paragraph of {{content}} are accepted'];
}

const isOf = (paragraph: Element, element: Element): boolean => around(element, 'w:p') === paragraph;

/** A control in a line holds one paragraph, and so does one for plain text. */
function openControls(paragraph: Element): string[] {
  const inside = elements(paragraph, 'w:sdt').filter((each) => isOf(paragraph, each));
  const outside: Element[] = [];
  for (let at = around(paragraph, 'w:sdt'); at !== undefined; at = around(at, 'w:sdt')) {
    if (child(child(at, 'w:sdtPr') ?? at, 'w:text') !== undefined) outside.push(at);
  }
  for (const each of [...inside, ...outside]) unwrap(each, child(each, 'w:sdtContent') ?? each);
  return inside.length + outside.length === 0
    ? []
    : ['the content control around {{content}} is removed, because it holds one paragraph'];
}

/** A section ends with a paragraph that has its break, which must not be one of those that {{content}} becomes. */
function endSectionAfter(paragraph: Element): void {
  const section = child(child(paragraph, 'w:pPr') ?? paragraph, 'w:sectPr');
  if (section === undefined) return;
  const ending = wordElement(paragraph, 'w:p');
  const properties = wordElement(paragraph, 'w:pPr');
  // A line of one point, so that the section has no visible further line.
  properties.appendChild(
    wordElement(paragraph, 'w:spacing', {
      'w:before': '0',
      'w:after': '0',
      'w:line': '20',
      'w:lineRule': 'exact',
    }),
  );
  const format = wordElement(paragraph, 'w:rPr');
  format.appendChild(wordElement(paragraph, 'w:sz', { 'w:val': '2' }));
  properties.appendChild(format);
  properties.appendChild(section);
  ending.appendChild(properties);
  insertAfter([ending], paragraph);
}

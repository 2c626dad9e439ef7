import { propertyOrder } from '../filling/content-paragraphs.ts';
import type { TemplateParts } from '../word/template-parts.ts';
import { child, children, type Document, type Element, walk } from '../word/xml-tree.ts';

/** What cannot contain a paragraph, though a wrong change may put one there. */
const noParagraphs = /^w:(?:p|r|t|hyperlink|ins|del|fldSimple|smartTag|tbl|tr)$/;
/** Elements whose `w:id` is theirs alone in a part (ECMA-376 part 1, 17.13.5 and 17.13.6). */
const identified =
  /^w:(?:bookmarkStart|commentRangeStart|ins|del|moveFrom|moveTo|cellIns|cellDel|\w+Change)$/;

/**
 * The errors in the structure and in the ids of a file that Word does not open, or repairs by taking something away. Not
 * a validator: these are what filling can do wrong, and a template's own errors are its author's.
 */
export function structureErrors(parts: TemplateParts): string[] {
  return parts.texts.flatMap(([path, tree]) => {
    const errors = new Set<string>();
    const report = (error: string): void => void errors.add(`${path}: ${error}`);
    checkIds(tree, report);
    const relationships = parts.relationships(path);
    for (const element of walk(tree)) {
      const parent = element.parentNode?.nodeName ?? '';
      checkPlace(element, parent, report);
      for (const { name, value } of element.attributes) {
        if (/^r:(?:id|embed|link)$/.test(name) && value !== '' && !relationships.has(value)) {
          report(`${element.nodeName} has ${name} ${value}, which has no relationship`);
        }
      }
    }
    return [...errors];
  });
}

type Report = (error: string) => void;

function checkPlace(element: Element, parent: string, report: Report): void {
  const name = element.nodeName;
  if (name === 'w:p' && noParagraphs.test(parent)) report(`a paragraph is in ${parent}`);
  if (name === 'w:r' && /^w:(?:r|t)$/.test(parent)) report(`a run is in ${parent}`);
  if (name === 'w:t' && parent !== 'w:r') report(`text is in ${parent}, outside a run`);
  if (name === 'w:pPr' && parent === 'w:p') checkProperties(element, report);
  if (/^w:(?:pPr|rPr)$/.test(name) && /^w:(?:p|r)$/.test(parent)) {
    if (children(element.parentNode!)[0] !== element) report(`${name} is not the first element of ${parent}`);
  }
  const content = children(element);
  if (name === 'w:tc' && content.at(-1)?.nodeName !== 'w:p') report('a cell does not end with a paragraph');
  if (name === 'w:tr' && child(element, 'w:tc') === undefined && child(element, 'w:sdt') === undefined) {
    report('a row has no cell');
  }
  if (name === 'w:tbl' && !content.some(({ nodeName }) => /^w:(?:tr|sdt|ins|customXml)$/.test(nodeName))) {
    report('a table has no row');
  }
}

function checkProperties(properties: Element, report: Report): void {
  const places = children(properties).map(({ nodeName }) => propertyOrder.indexOf(nodeName));
  const known = places.filter((place) => place !== -1);
  for (const [index, place] of known.entries()) {
    const before = known[index - 1];
    if (before !== undefined && before >= place) {
      report(`the property ${propertyOrder[place]} of a paragraph is twice or in the wrong order`);
    }
  }
}

function checkIds(tree: Document, report: Report): void {
  const ids = new Set<string>();
  const check = (kind: string, id: string | null): void => {
    if (id === null) return;
    const key = `${kind} ${id}`;
    if (ids.has(key)) report(`two elements have the ${key}`);
    ids.add(key);
  };
  for (const element of walk(tree)) {
    // Bookmarks and changes are numbered apart.
    const kind = /^w:(?:bookmark|comment)/.test(element.nodeName)
      ? `id of ${element.nodeName}`
      : 'id of a change';
    if (identified.test(element.nodeName)) check(kind, element.getAttribute('w:id'));
    check('paragraph id', element.getAttribute('w14:paraId'));
  }
}

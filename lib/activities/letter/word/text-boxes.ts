import { child, children, type Document, type Element, elements, remove, textOf } from './xml-tree.ts';

/**
 * Lets a text box of a fixed height grow with its text when nothing else depends on its height: it lies over the page
 * (`wrapNone`), and its text begins at its top. Others stay as they are, because a box that fits its text also shrinks,
 * which would move the text around it.
 *
 * @returns how many boxes it has changed, and the texts of those whose height stays fixed, so that Word does not show
 *   what does not fit
 */
export function growBoxes(tree: Document): { changed: number; fixed: string[] } {
  const fixed: string[] = [];
  let changed = 0;
  for (const anchor of elements(tree, 'wp:anchor').filter(isFixed)) {
    const body = elements(anchor, 'wps:bodyPr')[0];
    const isOverPage = child(anchor, 'wp:wrapNone') !== undefined;
    if (body === undefined || !isOverPage || /^(?:b|ctr)$/.test(body.getAttribute('anchor') ?? '')) {
      fixed.push(elements(anchor, 'w:p').map(textOf).join(' ').trim());
      continue;
    }
    grow(body);
    changed += 1;
  }
  return { changed, fixed };
}

// Strict files have another one.
const drawing = 'http://schemas.openxmlformats.org/drawingml/2006/main';

function grow(body: Element): void {
  for (const each of children(body, 'a:noAutofit', 'a:normAutofit')) remove(each);
  const fit = body.ownerDocument!.createElementNS(body.lookupNamespaceURI('a') ?? drawing, 'a:spAutoFit');
  const after = children(body).find(({ nodeName }) => nodeName !== 'a:prstTxWarp');
  body.insertBefore(fit, after ?? null);
}

const isFixed = (anchor: Element): boolean =>
  elements(anchor, 'wps:txbx').length > 0 &&
  elements(anchor, 'a:spAutoFit').length === 0 &&
  textOf(anchor).includes('{{');

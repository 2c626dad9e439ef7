import { blocks, type TextParagraph } from './letter-text.ts';
import { contentMark } from './marks.ts';
import { setText, textElements } from '../word/word-text.ts';
import {
  around,
  child,
  children,
  type Document,
  type Element,
  elements,
  insertAfter,
  next,
  remove,
  textOf,
  wordElement,
} from '../word/xml-tree.ts';

/** 7 mm in twentieths of a point, the width of "10.". */
const indent = 397;

/** The order of a paragraph's properties (ECMA-376 part 1, 17.3.1.26). */
export const propertyOrder = `
  pStyle keepNext keepLines pageBreakBefore framePr widowControl numPr suppressLineNumbers pBdr shd tabs
  suppressAutoHyphens kinsoku wordWrap overflowPunct topLinePunct autoSpaceDE autoSpaceDN bidi adjustRightInd snapToGrid
  spacing ind contextualSpacing mirrorIndents suppressOverlap jc textDirection textAlignment textboxTightWrap outlineLvl
  divId cnfStyle rPr sectPr pPrChange
`
  .trim()
  .split(/\s+/)
  .map((name) => `w:${name}`);

/** Writes the text of a letter where its mark is, as paragraphs and lists of the same format. */
export function placeContent(tree: Document, content: string): void {
  const waiting = elements(tree, 'w:t').filter((each) => textOf(each).includes(contentMark));
  const paragraphs = blocks(content);
  for (let text = waiting.shift(); text !== undefined; text = waiting.shift()) {
    const rest = isSplittable(text) ? asParagraphs(text, paragraphs) : asLines(text, content);
    if (rest !== undefined && textOf(rest).includes(contentMark)) waiting.unshift(rest);
  }
}

/** Not in a link or field, which cannot go on in another paragraph. */
function isSplittable(text: Element): boolean {
  const paragraph = around(text, 'w:p');
  if (paragraph === undefined) return false;
  let depth = 0;
  for (const each of elements(paragraph, 'w:fldChar', 'w:t')) {
    if (each === text) break;
    const type = each.getAttribute('w:fldCharType');
    depth += type === 'begin' ? 1 : type === 'end' ? -1 : 0;
  }
  const isInside = (name: string): boolean => {
    const outer = around(text, name);
    return outer !== undefined && around(outer, 'w:p') === paragraph;
  };
  return depth === 0 && !isInside('w:hyperlink') && !isInside('w:fldSimple');
}

/** The text of a run before and after the mark. */
function cut(text: Element): [before: string, after: string] {
  const all = textOf(text);
  const at = all.indexOf(contentMark);
  return [all.slice(0, at), all.slice(at + contentMark.length)];
}

function asLines(text: Element, content: string): Element | undefined {
  const [before, after] = cut(text);
  const lines = blocks(content).flatMap(({ lines }, index) => (index === 0 ? lines : ['', ...lines]));
  return spread(text, before, lines, after);
}

/** Puts the lines in the place of a text. @returns the text after them */
function spread(text: Element, before: string, lines: readonly string[], after: string): Element | undefined {
  const [rest] = after === '' ? [] : textElements(text, ['']);
  if (rest !== undefined) setText(rest, after);
  setText(text, before);
  insertAfter([...textElements(text, lines), ...(rest === undefined ? [] : [rest])], text);
  if (before === '') remove(text);
  return rest;
}

function asParagraphs(text: Element, [first, ...others]: readonly TextParagraph[]): Element | undefined {
  const [before, after] = cut(text);
  const run = text.parentNode as Element;
  const paragraph = around(text, 'w:p')!;
  // Of the template: without what belongs to its first paragraph alone.
  const format = clone(child(run, 'w:rPr'));
  const properties = clone(child(paragraph, 'w:pPr')) ?? wordElement(paragraph, 'w:pPr');
  for (const each of elements(properties, 'w:pageBreakBefore', 'w:sectPr')) remove(each);
  if (others.length === 0) {
    formatAs(first!, paragraph);
    return spread(text, before, first!.lines, after);
  }
  const following = [...followingIn(run, text), ...followingIn(paragraph, run)];
  spread(text, before, first!.lines, '');
  formatAs(first!, paragraph);
  let last = paragraph;
  let lastRun = run;
  const made: Element[] = [];
  for (const block of others) {
    const added = wordElement(paragraph, 'w:p');
    added.appendChild(properties.cloneNode(true));
    lastRun = wordElement(paragraph, 'w:r');
    const own = format?.cloneNode(true);
    if (own !== undefined) lastRun.appendChild(own);
    for (const each of textElements(paragraph, block.lines)) lastRun.appendChild(each);
    added.appendChild(lastRun);
    formatAs(block, added);
    made.push(added);
    last = added;
  }
  insertAfter(made, paragraph);
  // On the page of what follows, such as a signature.
  put(child(last, 'w:pPr')!, wordElement(paragraph, 'w:keepNext'));
  let rest: Element | undefined;
  if (after !== '') {
    [rest] = textElements(paragraph, ['']);
    setText(rest!, after);
    lastRun.appendChild(rest!);
  }
  for (const each of following) {
    if (each.parentNode === run) lastRun.appendChild(each);
    else last.appendChild(each);
  }
  return rest;
}

const clone = (element: Element | undefined): Element | undefined =>
  element?.cloneNode(true) as Element | undefined;

/** What follows in a run or a paragraph, and belongs after the text: a box that is anchored there stays where it is. */
function followingIn(parent: Element, inside: Element): Element[] {
  let top = inside;
  while (top.parentNode !== parent) top = top.parentNode as Element;
  const following: Element[] = [];
  for (let at = next(top); at !== undefined; at = next(at)) {
    const isAnchored = elements(at, 'wp:anchor', 'w:pict').length > 0 || at.nodeName === 'w:pict';
    if (!isAnchored && at.nodeName !== 'w:proofErr') following.push(at);
  }
  return following;
}

function formatAs({ form, level = 0 }: TextParagraph, paragraph: Element): void {
  if (form === 'text') return;
  let properties = child(paragraph, 'w:pPr');
  if (properties === undefined) {
    properties = wordElement(paragraph, 'w:pPr');
    paragraph.insertBefore(properties, paragraph.firstChild);
  }
  const own = child(properties, 'w:ind');
  const left = Number(own?.getAttribute('w:left') ?? own?.getAttribute('w:start') ?? 0) || 0;
  put(
    properties,
    wordElement(paragraph, 'w:ind', {
      'w:left': `${left + indent * (level + 1)}`,
      'w:hanging': `${indent}`,
    }),
  );
  const spacing = child(properties, 'w:contextualSpacing');
  if (form === 'item') put(properties, wordElement(paragraph, 'w:contextualSpacing'));
  else if (spacing !== undefined) remove(spacing);
  // Justified text would stretch the short lines of a list.
  if (child(properties, 'w:jc')?.getAttribute('w:val') === 'both') {
    put(properties, wordElement(paragraph, 'w:jc', { 'w:val': 'left' }));
  }
}

/** Puts a property where the schema has it, in the place of its predecessor. */
function put(properties: Element, added: Element): void {
  for (const old of children(properties, added.nodeName)) remove(old);
  const place = propertyOrder.indexOf(added.nodeName);
  const after = children(properties).find(({ nodeName }) => propertyOrder.indexOf(nodeName) > place);
  properties.insertBefore(added, after ?? null);
}

import { type Element, insertBefore, remove, textOf, walk, wordElement } from './xml-tree.ts';

const xmlNamespace = 'http://www.w3.org/XML/1998/namespace';

export function setText(text: Element, written: string): void {
  text.textContent = written;
  text.setAttributeNS(xmlNamespace, 'xml:space', 'preserve');
}

/** The elements of a run that show the text: `w:t`, with `w:br` between lines and `w:tab` for tabs. */
export function textElements(like: Element, lines: readonly string[]): Element[] {
  const made: Element[] = [];
  for (const [index, line] of lines.entries()) {
    if (index > 0) made.push(wordElement(like, 'w:br'));
    for (const [at, piece] of line.split('\t').entries()) {
      if (at > 0) made.push(wordElement(like, 'w:tab'));
      if (piece !== '' || lines.length === 1) {
        const text = wordElement(like, 'w:t');
        setText(text, piece);
        made.push(text);
      }
    }
  }
  return made;
}

/** Replaces a `w:t` by the lines and tabs of its text, in the same run. */
export function breakIntoLines(text: Element, lines: readonly string[]): void {
  insertBefore(textElements(text, lines), text);
  remove(text);
}

/** Texts, tabs and breaks of a paragraph, without those of text boxes in it. */
export function* textsIn(paragraph: Element): Generator<Element> {
  const enters = ({ nodeName }: Element): boolean => !/^w:(?:p|pPr|rPr|del)$/.test(nodeName);
  for (const element of walk(paragraph, enters)) {
    if (/^w:(?:t|tab|br|cr)$/.test(element.nodeName) && element.parentNode?.nodeName === 'w:r') yield element;
  }
}

/** The text of a paragraph, without that of text boxes in it. */
export const ownText = (paragraph: Element): string => [...textsIn(paragraph)].map(textOf).join('');

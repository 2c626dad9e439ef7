import { type Element, textOf, walk, wordElement } from './xml-tree.ts';

const xmlNamespace = 'http://www.w3.org/XML/1998/namespace';

export function setText(text: Element, written: string): void {
  text.textContent = written;
  text.setAttributeNS(xmlNamespace, 'xml:space', 'preserve');
}

/** The elements of a run that show the text: `w:t`, with `w:br` between lines and `w:tab` for tabs. */
export function textElements(like: Element, lines: readonly string[]): Element[] {
  return lines.flatMap((line, index) => [
    ...(index === 0 ? [] : [wordElement(like, 'w:br')]),
    ...line.split('\t').flatMap((piece, at) => {
      const text = wordElement(like, 'w:t');
      setText(text, piece);
      return at === 0 ? [text] : [wordElement(like, 'w:tab'), text];
    }),
  ]);
}

/** Replaces a `w:t` by the lines and tabs of its text, in the same run. */
export function breakIntoLines(text: Element, lines: readonly string[]): void {
  for (const each of textElements(text, lines)) text.parentNode!.insertBefore(each, text);
  text.parentNode!.removeChild(text);
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

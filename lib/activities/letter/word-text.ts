import { type Element, wordElement } from './xml-tree.ts';

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

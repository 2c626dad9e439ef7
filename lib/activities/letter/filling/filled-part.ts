import { placeContent } from './content-paragraphs.ts';
import { removeEmptyValues } from './empty-values.ts';
import { hasMarks, valueMark } from './marks.ts';
import { breakIntoLines } from '../word/word-text.ts';
import { elements, parsedXml, textOf, writtenXml } from '../word/xml-tree.ts';

/** The XML of a part whose values docxtemplater has put between marks, without marks. */
export function filledPart(xml: string, content: string): string {
  if (!hasMarks(xml)) return xml;
  const tree = parsedXml(xml);
  removeEmptyValues(tree);
  placeContent(tree, content);
  for (const text of elements(tree, 'w:t')) {
    const written = textOf(text);
    if (written.includes(valueMark)) breakIntoLines(text, written.replaceAll(valueMark, '').split('\n'));
  }
  return writtenXml(tree);
}

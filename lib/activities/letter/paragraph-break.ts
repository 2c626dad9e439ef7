import { type TextParagraph, xmlLines } from './letter-text.ts';

/** How the text of a placeholder continues in another paragraph of the same format. */
export interface ParagraphBreak {
  readonly written: (blocks: readonly TextParagraph[]) => string;
}

/**
 * @param before the XML of the paragraph up to the placeholder
 * @param after the XML from there to its end
 * @returns `null` inside of a link, a tracked change or another element that cannot be split
 */
export function paragraphBreak(before: string, after: string): ParagraphBreak | null {
  const isSplittable = openIn(before) === 'w:p w:r w:t' && openIn(before + after) === '';
  const [, own = ''] = /^<w:p(?:\s[^>]*)?>(<w:pPr>.*?<\/w:pPr>)?/s.exec(before) ?? [];
  if (!isSplittable || /<w:(?:sectPr|pPrChange)[\s>]/.test(own)) return null;
  const properties = own.replace(/<w:pageBreakBefore[^>]*>/, '') || '<w:pPr></w:pPr>';
  const format = /<w:rPr>(?:(?!<w:rPr>).)*<\/w:rPr>(?=<w:t(?:\s[^>]*)?>$)/s.exec(before)?.[0] ?? '';
  // Justified text would stretch the short lines of a list.
  const itemBase = properties
    .replace(/<w:(?:ind|contextualSpacing)(?:\s[^>]*)?\/>/g, '')
    .replace(/(<w:jc\s[^>]*?w:val=")both"/, '$1left"');
  const formats = {
    text: properties,
    item: itemBase.replace(afterIndent, `${indent}<w:contextualSpacing/>`),
    lastItem: itemBase.replace(afterIndent, indent),
  };
  const break_ = (own: string): string =>
    `</w:t></w:r></w:p><w:p>${own}<w:r>${format}<w:t xml:space="preserve">`;
  return {
    written: (blocks) =>
      blocks
        .map(({ form, lines }, index) => {
          const own = formats[form];
          // On the page of what follows, such as a signature.
          const last = index === blocks.length - 1 ? own.replace(style, '$&<w:keepNext/>') : own;
          return (index === 0 ? '' : break_(last)) + xmlLines(lines);
        })
        .join(''),
  };
}

const style = /^<w:pPr>(?:<w:pStyle[^>]*>)?(?!<w:(?:keepNext|pStyle))/;
// 7 mm in twentieths of a point, the width of "10.".
const indent = '<w:ind w:left="397" w:hanging="397"/>';
// What the schema requires after it.
const afterIndent =
  /(?=<w:(?:mirrorIndents|suppressOverlap|jc|textDirection|textAlignment|textboxTightWrap|outlineLvl|divId|cnfStyle|rPr)\b|<\/w:pPr>)/;

/** The names of the elements that are open at the end. */
function openIn(xml: string): string {
  const open: string[] = [];
  for (const [, closing, tag = '', empty] of xml.matchAll(/<(\/?)([\w:.-]+)[^>]*?(\/?)>/g)) {
    if (closing === '/') open.pop();
    else if (empty !== '/') open.push(tag);
  }
  return open.join(' ');
}

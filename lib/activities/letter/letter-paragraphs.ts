import { slotPattern } from './docx-placeholders.ts';
import { blocks, type TextParagraph, xmlLines } from './letter-text.ts';
import { withProperty } from './paragraph-properties.ts';
import type { XmlElement } from './xml-tree.ts';

/**
 * A paragraph that contains only `{{content}}`, ready to be repeated. The first repetition is the original paragraph
 * and keeps what may appear only once in a document (bookmarks, paragraph ids, a page break before). A section break
 * ends the section, so it moves to the last repetition.
 */
export interface ParagraphShape {
  /** The start of a paragraph: its properties, by form, between two spans of XML. */
  readonly first: Opening;
  readonly repeated: Opening;
  readonly closing: string;
  readonly sectionBreak: string;
}

interface Opening {
  readonly tag: string;
  readonly properties: Record<TextParagraph['form'], string>;
  readonly run: string;
}

interface PlacedParagraph {
  readonly start: number;
  readonly end: number;
  readonly shape: ParagraphShape;
}

const sectionBreakMark = '\uE002';

/** One paragraph per block of text and per list item; the last one stays on the page of what follows, as a signature. */
export function paragraphsXml(shape: ParagraphShape, content: string): string {
  const paragraphs = blocks(content);
  return paragraphs
    .map(({ form, lines }, index) => {
      const isLast = index === paragraphs.length - 1;
      const { tag, properties, run } = index === 0 ? shape.first : shape.repeated;
      const own = isLast && index > 0 ? withProperty(properties[form], '<w:keepNext/>') : properties[form];
      const closing = index === 0 ? shape.closing : '</w:t></w:r></w:p>';
      const marked = own.replace(sectionBreakMark, isLast ? shape.sectionBreak : '');
      return tag + marked + run + xmlLines(lines) + closing;
    })
    .join('');
}

/** Paragraphs nest: a text box is inside a run of its anchor's paragraph. The innermost paragraph owns the slot. */
export function contentParagraphs(tree: XmlElement): PlacedParagraph[] {
  const hasSlot = ({ xml }: XmlElement): boolean => xml.includes('\uE000content\uE001');
  return tree.all('w:p').flatMap((paragraph) => {
    if (!hasSlot(paragraph) || paragraph.all('w:p').some(hasSlot)) return [];
    const { start, end, xml } = paragraph;
    const shape = shapeOf(xml);
    return shape === null ? [] : [{ start, end, shape }];
  });
}

// The elements of a plain-text paragraph; a picture, tab, field, link or tracked change makes it more than that. They
// are removed one kind at a time, because a single pattern backtracks exponentially in a paragraph of many runs.
const plainText = [
  /<w:rPr>.*?<\/w:rPr>|<w:rPr\/>/gs,
  /<w:t(?:\s[^>]*)?>[^<]*<\/w:t>/g,
  /<\/?w:r(?:\s[^>]*)?>/g,
  /<w:(?:t|proofErr|bookmark(?:Start|End)|lastRenderedPageBreak|perm(?:Start|End)|commentRange(?:Start|End))(?:\s[^>]*)?\/>/g,
];

function isPlainText(inside: string): boolean {
  // A tracked formatting change has a w:rPr inside the w:rPr.
  if (inside.includes('<w:rPrChange')) return false;
  return plainText.reduce((rest, pattern) => rest.replace(pattern, ''), inside).trim() === '';
}

function shapeOf(paragraph: string): ParagraphShape | null {
  const [, tag = '', properties = '', inside = ''] =
    /^(<w:p(?:\s[^>]*)?>)\s*(<w:pPr>.*?<\/w:pPr>)?(.*)<\/w:p>$/s.exec(paragraph) ?? [];
  const text = inside.replace(/<[^>]*>/g, '').trim();
  if (text !== '\uE000content\uE001' || !isPlainText(inside) || properties.includes('Change ')) return null;

  const sectionBreak = /<w:sectPr[\s>].*<\/w:sectPr>/s.exec(properties)?.[0] ?? '';
  const marked = sectionBreak === '' ? properties : properties.replace(sectionBreak, sectionBreakMark);
  const slot = inside.search(slotPattern);
  const runs = inside.slice(0, slot);
  const runProperties =
    /<w:r(?:\s[^>]*)?>\s*(<w:rPr>(?:(?!<w:r[\s>]).)*<\/w:rPr>)?(?:(?!<w:r[\s>]).)*$/s.exec(runs)?.[1] ?? '';
  return {
    first: { tag, properties: formsOf(marked), run: runs },
    repeated: {
      tag: tag.replace(/\sw14:(?:paraId|textId)="[^"]*"/g, ''),
      properties: formsOf(marked.replace(/<w:pageBreakBefore[^>]*>/, '')),
      run: `<w:r>${runProperties}<w:t xml:space="preserve">`,
    },
    closing: `${inside.slice(slot + '\uE000content\uE001'.length)}</w:p>`,
    sectionBreak,
  };
}

// 7 mm in twentieths of a point, the width of "10.".
const itemIndent = 397;

// Items have no space between them and are never justified; the space after the last item is that of the style.
function formsOf(properties: string): Opening['properties'] {
  const left = Number(/<w:ind\s[^>]*?w:(?:left|start)="(\d+)"/.exec(properties)?.[1] ?? 0);
  const indented = withProperty(
    properties,
    `<w:ind w:left="${left + itemIndent}" w:hanging="${itemIndent}"/>`,
  );
  const lastItem = withProperty(indented, '<w:jc w:val="left"/>');
  return { text: properties, item: withProperty(lastItem, '<w:contextualSpacing/>'), lastItem };
}

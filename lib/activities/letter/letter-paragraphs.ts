import { slotOf } from './joined-placeholders.ts';
import { blocks, type TextParagraph, xmlLines } from './letter-text.ts';
import { withProperty } from './properties.ts';
import type { Place } from './places.ts';
import type { XmlElement } from './xml-tree.ts';

/**
 * A paragraph that contains only `{{content}}`, ready to be repeated. The first repetition is the original paragraph
 * and keeps what may appear only once in a document (bookmarks, paragraph ids, a page break before). A section break
 * ends the section, so it moves to the last repetition.
 */
interface ParagraphShape {
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

const slot = slotOf('content');
const sectionBreakMark = '\uE002';

/** One paragraph per block of text and per list item; the last one stays on the page of what follows, as a signature. */
function paragraphsXml(shape: ParagraphShape, content: string): string {
  const paragraphs = blocks(content);
  return paragraphs
    .map(({ form, lines }, index) => {
      const isLast = index === paragraphs.length - 1;
      const { tag, properties, run } = index === 0 ? shape.first : shape.repeated;
      const own =
        isLast && index > 0 ? withProperty('w:pPr', properties[form], '<w:keepNext/>') : properties[form];
      const closing = index === 0 ? shape.closing : '</w:t></w:r></w:p>';
      const marked = own.replace(sectionBreakMark, isLast ? shape.sectionBreak : '');
      return tag + marked + run + xmlLines(lines) + closing;
    })
    .join('');
}

/**
 * The place of a paragraph whose text is `{{content}}`; `null` if it has more than plain text, such as a picture, tab,
 * field, link or tracked change.
 */
export function contentPlace(paragraph: XmlElement): Place | null {
  if (!paragraph.children.every(isPlain)) return null;
  const { start, end } = paragraph;
  const shape = shapeOf(paragraph);
  return { start, end, write: ({ values }) => paragraphsXml(shape, values.content) };
}

const plainElements =
  /^w:(?:pPr|rPr|t|proofErr|bookmark(?:Start|End)|lastRenderedPageBreak|perm(?:Start|End)|commentRange(?:Start|End))$/;

function isPlain({ name, children, xml }: XmlElement): boolean {
  return name === 'w:r' ? children.every(isPlain) : plainElements.test(name) && !xml.includes('Change ');
}

function shapeOf(paragraph: XmlElement): ParagraphShape {
  const { xml, start, contentStart, contentEnd } = paragraph;
  const tag = xml.slice(0, contentStart - start);
  const properties = paragraph.child('w:pPr');
  const sectionBreak = properties?.child('w:sectPr')?.xml ?? '';
  const marked = (properties?.xml ?? '').replace(sectionBreak, sectionBreak && sectionBreakMark);
  const inside = xml.slice((properties?.end ?? contentStart) - start, contentEnd - start);
  const [before = '', after = ''] = inside.split(slot);
  const run = paragraph.children.find((child) => child.name === 'w:r' && child.content.includes(slot));
  return {
    first: { tag, properties: formsOf(marked), run: before },
    repeated: {
      tag: tag.replace(/\sw14:(?:paraId|textId)="[^"]*"/g, ''),
      properties: formsOf(marked.replace(/<w:pageBreakBefore[^>]*>/, '')),
      run: `<w:r>${run?.child('w:rPr')?.xml ?? ''}<w:t xml:space="preserve">`,
    },
    closing: `${after}</w:p>`,
    sectionBreak,
  };
}

// 7 mm in twentieths of a point, the width of "10.".
const itemIndent = 397;

// Items have no space between them and are never justified; the space after the last item is that of the style.
function formsOf(properties: string): Opening['properties'] {
  const left = Number(/<w:ind\s[^>]*?w:(?:left|start)="(\d+)"/.exec(properties)?.[1] ?? 0);
  const indented = withProperty(
    'w:pPr',
    properties,
    `<w:ind w:left="${left + itemIndent}" w:hanging="${itemIndent}"/>`,
  );
  const lastItem = withProperty('w:pPr', indented, '<w:jc w:val="left"/>');
  return { text: properties, item: withProperty('w:pPr', lastItem, '<w:contextualSpacing/>'), lastItem };
}

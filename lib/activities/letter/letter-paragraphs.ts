import { slotOf } from './joined-placeholders.ts';
import { blocks, type TextParagraph, xmlLines } from './letter-text.ts';
import { withProperty } from './properties.ts';
import type { Place } from './places.ts';
import type { XmlElement } from './xml-tree.ts';

const slot = slotOf('content');

/**
 * The place of a paragraph whose text is `{{content}}`: one paragraph per block of text and per list item. `null` if it
 * has more than plain text, such as a picture, tab, field, link or tracked change.
 */
export function contentPlace(paragraph: XmlElement): Place | null {
  if (!paragraph.children.every(isPlain)) return null;
  const { xml, start, end, contentStart, contentEnd } = paragraph;
  const tag = xml.slice(0, contentStart - start);
  const properties = paragraph.child('w:pPr');
  const sectionBreak = properties?.child('w:sectPr')?.xml ?? '';
  const own = (properties?.xml ?? '').replace(sectionBreak, '');
  const inside = xml.slice((properties?.end ?? contentStart) - start, contentEnd - start);
  const [before = '', after = ''] = inside.split(slot);
  const run = paragraph.children.find((child) => child.name === 'w:r' && child.content.includes(slot));
  // What may appear only once in a document (bookmarks, paragraph ids, a page break before) is in the first repetition.
  const first = { tag, properties: formsOf(own), before, after };
  const others = {
    tag: tag.replace(/\sw14:(?:paraId|textId)="[^"]*"/g, ''),
    properties: formsOf(own.replace(/<w:pageBreakBefore[^>]*>/, '')),
    before: `<w:r>${run?.child('w:rPr')?.xml ?? ''}<w:t xml:space="preserve">`,
    after: '</w:t></w:r>',
  };
  return {
    start,
    end,
    write({ values }) {
      const paragraphs = blocks(values.content);
      const xmls = paragraphs.map(({ form, lines }, index) => {
        const { tag, properties, before, after } = index === 0 ? first : others;
        const isLast = index === paragraphs.length - 1;
        let format = properties[form];
        // On the page of what follows, such as a signature.
        if (isLast && index > 0) format = withProperty('w:pPr', format, '<w:keepNext/>');
        // A section break ends the section.
        if (isLast && sectionBreak !== '') format = format.replace(/(?=<\/w:pPr>$)/, () => sectionBreak);
        return `${tag}${format}${before}${xmlLines(lines)}${after}</w:p>`;
      });
      return xmls.join('');
    },
  };
}

const plainElements =
  /^w:(?:pPr|rPr|t|proofErr|bookmark(?:Start|End)|lastRenderedPageBreak|perm(?:Start|End)|commentRange(?:Start|End))$/;

function isPlain({ name, children, xml }: XmlElement): boolean {
  return name === 'w:r' ? children.every(isPlain) : plainElements.test(name) && !xml.includes('Change ');
}

// 7 mm in twentieths of a point, the width of "10.".
const itemIndent = 397;

// Items have no space between them and are never justified; the space after the last item is that of the style.
function formsOf(properties: string): Record<TextParagraph['form'], string> {
  const left = Number(/<w:ind\s[^>]*?w:(?:left|start)="(\d+)"/.exec(properties)?.[1] ?? 0);
  const indented = withProperty(
    'w:pPr',
    properties,
    `<w:ind w:left="${left + itemIndent}" w:hanging="${itemIndent}"/>`,
  );
  const lastItem = withProperty('w:pPr', indented, '<w:jc w:val="left"/>');
  return { text: properties, item: withProperty('w:pPr', lastItem, '<w:contextualSpacing/>'), lastItem };
}

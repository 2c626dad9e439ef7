import { contentPlaces } from './content-places.ts';
import type { TemplateParts } from '../word/template-parts.ts';
import { below, children, elements, isOn } from '../word/xml-tree.ts';

/** Whether a line break in the text of a letter stretches its line: in justified text, unless a setting prevents it. */
export function hasStretchedLines(parts: TemplateParts): boolean {
  const settings = parts.tree('word/settings.xml');
  if (settings && elements(settings, 'w:doNotExpandShiftReturn').some(isOn)) return false;
  const stylesTree = parts.tree('word/styles.xml');
  const styles = stylesTree === undefined ? [] : elements(stylesTree, 'w:style');
  const ofStyle = (id: string | null | undefined, depth = 0): string | null | undefined => {
    const style = styles.find((each) =>
      id === null || id === undefined
        ? each.getAttribute('w:type') === 'paragraph' &&
          /^(?:1|true)$/.test(each.getAttribute('w:default') ?? '')
        : each.getAttribute('w:styleId') === id,
    );
    if (style === undefined || depth > 10) return undefined;
    const own = below(style, 'w:pPr', 'w:jc')?.getAttribute('w:val');
    const base = children(style, 'w:basedOn')[0]?.getAttribute('w:val');
    return own ?? (base ? ofStyle(base, depth + 1) : undefined);
  };
  const body = parts.tree('word/document.xml');
  return (body === undefined ? [] : contentPlaces(body)).some((paragraph) => {
    const alignment =
      below(paragraph, 'w:pPr', 'w:jc')?.getAttribute('w:val') ??
      ofStyle(below(paragraph, 'w:pPr', 'w:pStyle')?.getAttribute('w:val'));
    return /^(?:both|distribute)$/.test(alignment ?? '');
  });
}

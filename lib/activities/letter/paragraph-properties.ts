// The order of elements that the schema requires in w:pPr (ECMA-376 part 1, 17.3.1.26).
const order = `
  pStyle keepNext keepLines pageBreakBefore framePr widowControl numPr suppressLineNumbers pBdr
  shd tabs suppressAutoHyphens kinsoku wordWrap overflowPunct topLinePunct autoSpaceDE
  autoSpaceDN bidi adjustRightInd snapToGrid spacing ind contextualSpacing mirrorIndents
  suppressOverlap jc textDirection textAlignment textboxTightWrap outlineLvl divId cnfStyle
`
  .trim()
  .split(/\s+/);

/**
 * Sets one of a paragraph's properties.
 * @param properties `<w:pPr>…</w:pPr>` or the empty string
 * @param element an empty element, e.g. `<w:keepNext/>`
 */
export function withProperty(properties: string, element: string): string {
  const name = /^<w:(\w+)/.exec(element)?.[1] ?? '';
  const inside = properties.replace(/^<w:pPr>|<\/w:pPr>$/g, '');
  // Run properties, a section break and tracked changes are last, and have children of the same names.
  const end = /<w:rPr[\s/>]|<w:sectPr[\s>]|<w:pPrChange[\s>]|\uE002|$/.exec(inside)?.index ?? inside.length;
  const own = inside.slice(0, end).replace(new RegExp(`<w:${name}(?:\\s[^>]*)?/>`), '');
  const later = order.slice(order.indexOf(name) + 1).join('|');
  const at = new RegExp(`<w:(?:${later})[\\s/>]`).exec(own)?.index ?? own.length;
  return `<w:pPr>${own.slice(0, at)}${element}${own.slice(at)}${inside.slice(end)}</w:pPr>`;
}

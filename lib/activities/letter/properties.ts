const names = (list: string): string[] => list.trim().split(/\s+/);

// The order of elements that the schema requires in w:pPr and w:rPr (ECMA-376 part 1, 17.3.1.26 and 17.3.2.28).
const ofParagraph = names(`
  pStyle keepNext keepLines pageBreakBefore framePr widowControl numPr suppressLineNumbers pBdr
  shd tabs suppressAutoHyphens kinsoku wordWrap overflowPunct topLinePunct autoSpaceDE
  autoSpaceDN bidi adjustRightInd snapToGrid spacing ind contextualSpacing mirrorIndents
  suppressOverlap jc textDirection textAlignment textboxTightWrap outlineLvl divId cnfStyle
`);
const ofRun = names(`
  rStyle rFonts b bCs i iCs caps smallCaps strike dstrike outline shadow emboss imprint noProof
  snapToGrid vanish webHidden color spacing w kern position sz szCs highlight u effect bdr shd
  fitText vertAlign rtl cs em lang eastAsianLayout specVanish oMath
`);

/**
 * Sets one of the properties of a paragraph or run.
 * @param properties `<w:pPr>…</w:pPr>`, or the empty string
 * @param element an empty element, e.g. `<w:keepNext/>`
 */
export function withProperty(kind: 'w:pPr' | 'w:rPr', properties: string, element: string): string {
  const order = kind === 'w:pPr' ? ofParagraph : ofRun;
  const name = /^<w:(\w+)/.exec(element)?.[1] ?? '';
  const inside = properties.replace(new RegExp(`^<${kind}/?>|</${kind}>$`, 'g'), '');
  // Run properties and tracked changes are last, and have children of the same names.
  const end = /<w:rPr[\s/>]|<w:rPrChange[\s>]|$/.exec(inside)?.index ?? inside.length;
  const own = inside.slice(0, end).replace(new RegExp(`<w:${name}(?:\\s[^>]*)?/>`), '');
  const later = order.slice(order.indexOf(name) + 1).join('|');
  const at = new RegExp(`<w:(?:${later})[\\s/>]`).exec(own)?.index ?? own.length;
  return `<${kind}>${own.slice(0, at)}${element}${own.slice(at)}${inside.slice(end)}</${kind}>`;
}

import type { MomentPlace } from './date-fields.ts';

export const corePropertiesPath = 'docProps/core.xml';

/** `{{subject}}` in the form that `joinedPlaceholders` writes. */
const subjectSlot = '\uE000subject\uE001';

/**
 * Core properties of the file (ECMA-376 part 2, 11). A letter has its own times; its title is its subject unless the
 * template has a placeholder there.
 */
export function ownProperties(xml: string): string {
  const title = /<dc:title(?:\s[^>]*)?>([^<]*)<\/dc:title>/.exec(xml)?.[1] ?? '';
  return title.includes('\uE000')
    ? xml
    : replaced(xml, 'dc:title', `<dc:title ${dc}>${subjectSlot}</dc:title>`);
}

/** Where the letter's language and times are written in XML that {@link ownProperties} returned. */
export function propertyPlaces(xml: string): MomentPlace[] {
  const end = xml.lastIndexOf('</cp:coreProperties>');
  if (end === -1) return [];
  return (['dc:language', 'dcterms:created', 'dcterms:modified'] as const).map((name) => {
    const found = element(name).exec(xml);
    const place =
      found === null ? { start: end, end } : { start: found.index, end: found.index + found[0].length };
    return {
      ...place,
      xml: ({ atMs, language }) =>
        name === 'dc:language'
          ? `<dc:language ${dc}>${language}</dc:language>`
          : `<${name} ${dcterms}>${new Date(atMs).toISOString().slice(0, 19)}Z</${name}>`,
    };
  });
}

const dc = 'xmlns:dc="http://purl.org/dc/elements/1.1/"';
const dcterms =
  'xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="dcterms:W3CDTF"';

const element = (name: string): RegExp => new RegExp(`<${name}(?:\\s[^>]*)?(?:/>|>[^<]*</${name}>)`);

function replaced(xml: string, name: string, by: string): string {
  return element(name).test(xml)
    ? xml.replace(element(name), by)
    : xml.replace('</cp:coreProperties>', `${by}</cp:coreProperties>`);
}

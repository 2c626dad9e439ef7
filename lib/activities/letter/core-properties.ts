import { slotOf } from './joined-placeholders.ts';
import type { Place } from './places.ts';

export const corePropertiesPath = 'docProps/core.xml';

const subject = slotOf('subject');
const sender = `${slotOf('userFirstName')} ${slotOf('userLastName')}`;

/**
 * Core properties of the file (ECMA-376 part 2, 11). A letter has its own times; its title is its subject, and its
 * author the sender, unless the template has a placeholder there.
 */
export function ownProperties(xml: string): string {
  const own = { 'dc:title': subject, 'dc:creator': sender, 'cp:lastModifiedBy': sender };
  return Object.entries(own).reduce((all, [name, slot]) => {
    const isFilled = element(name).exec(all)?.[0].includes('\uE000') === true;
    return isFilled
      ? all
      : replaced(all, name, `<${name}${name.startsWith('dc:') ? ` ${dc}` : ''}>${slot}</${name}>`);
  }, xml);
}

/** Where the letter's language and times are written in XML that {@link ownProperties} returned. */
export function propertyPlaces(xml: string): Place[] {
  const end = xml.lastIndexOf('</cp:coreProperties>');
  if (end === -1) return [];
  return (['dc:language', 'dcterms:created', 'dcterms:modified'] as const).map((name) => {
    const found = element(name).exec(xml);
    const place =
      found === null ? { start: end, end } : { start: found.index, end: found.index + found[0].length };
    return {
      ...place,
      write: ({ moment: { atMs, language } }) =>
        name === 'dc:language'
          ? `<dc:language ${dc}>${language}</dc:language>`
          : `<${name} ${dcterms}>${new Date(atMs).toISOString().slice(0, 19)}Z</${name}>`,
    };
  });
}

/** Where `word/styles.xml` has the language of all text, which word processors check its spelling in. */
export function languagePlaces(stylesXml: string): Place[] {
  const defaults = /<w:docDefaults>.*?<\/w:docDefaults>/s.exec(stylesXml)?.[0] ?? '';
  const own = /<w:lang\s[^>]*?w:val="([\w-]+)"/.exec(defaults)?.[1];
  if (own === undefined) return [];
  return [...stylesXml.matchAll(new RegExp(`(?<=<w:lang\\s[^>]*?w:val=")${own}(?=")`, 'g'))].map(
    ({ index }) => ({
      start: index,
      end: index + own.length,
      // An English letter needs no other English than its template has.
      write: ({ moment: { language } }) => (language.split('-')[0] === own.split('-')[0] ? own : language),
    }),
  );
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

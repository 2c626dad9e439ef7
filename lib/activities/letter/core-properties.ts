import { escaped, oneLine } from './letter-text.ts';
import type { Letter, Place } from './places.ts';

export const corePropertiesPath = 'docProps/core.xml';

/** Where the letter's own core properties are written (ECMA-376 part 2, 11), except where the template has a placeholder. */
export function propertyPlaces(xml: string): Place[] {
  const atEnd = xml.lastIndexOf('</cp:coreProperties>');
  if (atEnd === -1) return [];
  return Object.entries(properties).flatMap(([name, textIn]) => {
    const found = new RegExp(`<${name}(?:\\s[^>]*)?(?:/>|>[^<]*</${name}>)`).exec(xml);
    const start = found?.index ?? atEnd;
    const written = found?.[0] ?? '';
    if (written.includes('\uE000')) return [];
    const opening = `<${name}${namespaces[name.split(':')[0]!]}>`;
    const write = (letter: Letter): string => `${opening}${escaped(textIn(letter))}</${name}>`;
    return [{ start, end: start + written.length, write }];
  });
}

const sender = ({ values }: Letter): string => oneLine(`${values.userFirstName} ${values.userLastName}`);
const time = ({ moment }: Letter): string => `${new Date(moment.atMs).toISOString().slice(0, 19)}Z`;
const properties: Record<string, (letter: Letter) => string> = {
  'dc:title': ({ values }) => oneLine(values.subject),
  'dc:creator': sender,
  'cp:lastModifiedBy': sender,
  'dc:language': ({ moment }) => moment.language,
  'dcterms:created': time,
  'dcterms:modified': time,
};
const namespaces: Record<string, string> = {
  cp: '',
  dc: ' xmlns:dc="http://purl.org/dc/elements/1.1/"',
  dcterms:
    ' xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="dcterms:W3CDTF"',
};

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

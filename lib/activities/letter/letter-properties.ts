import type PizZip from 'pizzip';
import type { Letter } from './letter-module.ts';
import { escaped, oneLine } from './letter-text.ts';

const corePath = 'docProps/core.xml';
const stylesPath = 'word/styles.xml';

/** Gives the file of each letter its own title and author, except where the template has a placeholder for them. */
export function declareProperties(zip: PizZip): void {
  const core = zip.file(corePath)?.asText();
  if (core === undefined) return;
  const titled = withProperty(core, 'dc:title', dc, '{{subject}}');
  zip.file(corePath, withProperty(titled, 'dc:creator', dc, '{{userFirstName}} {{userLastName}}'));
}

/** Writes what docxtemplater cannot fill (ECMA-376 part 2, 11), and the language that word processors check spelling in. */
export function writeProperties(zip: PizZip, { values, moment }: Letter): void {
  const core = zip.file(corePath)?.asText();
  if (core !== undefined) {
    const sender = escaped(oneLine(`${values.userFirstName} ${values.userLastName}`));
    const time = `${new Date(moment.atMs).toISOString().slice(0, 19)}Z`;
    let written = withProperty(core, 'cp:lastModifiedBy', '', sender);
    written = withProperty(written, 'dc:language', dc, escaped(moment.language));
    written = withProperty(written, 'dcterms:created', dcterms, time);
    zip.file(corePath, withProperty(written, 'dcterms:modified', dcterms, time));
  }
  const styles = zip.file(stylesPath)?.asText() ?? '';
  const defaults = /<w:docDefaults>.*?<\/w:docDefaults>/s.exec(styles)?.[0] ?? '';
  const own = /<w:lang\s[^>]*?w:val="([\w-]+)"/.exec(defaults)?.[1];
  // An English letter needs no other English than its template has.
  if (own !== undefined && primary(own) !== primary(moment.language)) {
    const everywhere = new RegExp(`(?<=<w:lang\\s[^>]*?w:val=")${own}(?=")`, 'g');
    zip.file(stylesPath, styles.replace(everywhere, moment.language));
  }
}

const primary = (language: string): string => language.split('-')[0] ?? '';

const dc = ' xmlns:dc="http://purl.org/dc/elements/1.1/"';
const dcterms =
  ' xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="dcterms:W3CDTF"';

/** The properties with this one, unless the template fills it with placeholders. `text` is escaped. */
function withProperty(core: string, name: string, attributes: string, text: string): string {
  const written = `<${name}${attributes}>${text}</${name}>`;
  const found = new RegExp(`<${name}(?:\\s[^>]*)?(?:/>|>([^<]*)</${name}>)`).exec(core);
  if (found === null) return core.replace('</cp:coreProperties>', () => `${written}</cp:coreProperties>`);
  return found[1]?.includes('{{') === true ? core : core.replace(found[0], () => written);
}

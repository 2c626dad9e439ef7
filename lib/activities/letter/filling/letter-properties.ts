import type PizZip from 'pizzip';
import type { Letter } from './letter-module.ts';
import { oneLine } from './letter-text.ts';
import type { TemplateParts } from '../word/template-parts.ts';
import { children, type Document, elements, parsedXml, textOf, writtenXml } from '../word/xml-tree.ts';

const corePath = 'docProps/core.xml';
const stylesPath = 'word/styles.xml';

/** Gives the file of each letter its own title and author, except where the template has a placeholder for them. */
export function declareProperties(parts: TemplateParts): void {
  const core = parts.tree(corePath);
  if (core === undefined) return;
  setProperty(core, title, '{{subject}}');
  setProperty(core, creator, '{{userFirstName}} {{userLastName}}');
  parts.markChanged(corePath);
}

/** Writes what docxtemplater cannot fill (ECMA-376 part 2, 11), and the language that word processors check spelling in. */
export function writeProperties(zip: PizZip, { values, moment }: Letter): void {
  edit(zip, corePath, (core) => {
    const time = `${new Date(moment.atMs).toISOString().slice(0, 19)}Z`;
    setProperty(core, lastModifiedBy, oneLine(`${values.userFirstName} ${values.userLastName}`));
    setProperty(core, language, moment.language);
    setProperty(core, created, time);
    setProperty(core, modified, time);
    return true;
  });
  edit(zip, stylesPath, (styles) => {
    const defaults = elements(styles, 'w:docDefaults')[0];
    const own = defaults && elements(defaults, 'w:lang')[0]?.getAttribute('w:val');
    // An English letter needs no other English than its template has.
    if (!own || primary(own) === primary(moment.language)) return false;
    for (const each of elements(styles, 'w:lang')) {
      if (each.getAttribute('w:val') === own) each.setAttribute('w:val', moment.language);
    }
    return true;
  });
}

const primary = (tag: string): string => tag.split('-')[0] ?? '';

/** @param edited whether it has changed the tree */
function edit(zip: PizZip, path: string, edited: (tree: Document) => boolean): void {
  const xml = zip.file(path)?.asText();
  if (xml === undefined) return;
  const tree = parsedXml(xml);
  if (edited(tree)) zip.file(path, writtenXml(tree));
}

interface Property {
  readonly namespace: string;
  readonly name: string;
  readonly isDate?: boolean;
}
const dc = 'http://purl.org/dc/elements/1.1/';
const dcterms = 'http://purl.org/dc/terms/';
const cp = 'http://schemas.openxmlformats.org/package/2006/metadata/core-properties';
const xsi = 'http://www.w3.org/2001/XMLSchema-instance';

const title: Property = { namespace: dc, name: 'dc:title' };
const creator: Property = { namespace: dc, name: 'dc:creator' };
const language: Property = { namespace: dc, name: 'dc:language' };
const lastModifiedBy: Property = { namespace: cp, name: 'cp:lastModifiedBy' };
const created: Property = { namespace: dcterms, name: 'dcterms:created', isDate: true };
const modified: Property = { namespace: dcterms, name: 'dcterms:modified', isDate: true };

/** Sets a property, unless the template fills it with placeholders. */
function setProperty(core: Document, { namespace, name, isDate }: Property, text: string): void {
  const root = core.documentElement!;
  const localName = name.replace(/^.*:/, '');
  const found = children(root).find(
    (each) => each.namespaceURI === namespace && each.localName === localName,
  );
  if (found !== undefined && textOf(found).includes('{{')) return;
  const property = found ?? core.createElementNS(namespace, name);
  if (found === undefined) root.appendChild(property);
  property.textContent = text;
  if (isDate) property.setAttributeNS(xsi, 'xsi:type', 'dcterms:W3CDTF');
}

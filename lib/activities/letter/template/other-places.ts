import type PizZip from 'pizzip';
import { unknownPlaceholder } from '../filling/letter-values.ts';
import { oneLine } from '../filling/letter-text.ts';
import { isPlaceholder, type LetterValues } from '../filling/placeholders.ts';
import type { TemplateFault } from '../word/template-rejection.ts';
import { isStore } from './unfillable-places.ts';
import { elements, parsedXml, walk, writtenXml } from '../word/xml-tree.ts';

// Word percent-encodes the braces in a link's address, LibreOffice does not.
const placeholder = /(?:\{\{|%7B%7B)(?:\s|%20)*(.*?)(?:\s|%20)*(?:\}\}|%7D%7D)/gi;

/**
 * Fills what docxtemplater leaves as it is: the addresses of links, and the data of content controls.
 * @returns a fault for each unknown name
 */
export function fillOtherPlaces(zip: PizZip, values: LetterValues): TemplateFault[] {
  const faults: TemplateFault[] = [];
  for (const part of zip.file(/\.rels$|^customXml\/[^/]*\.xml$/)) {
    const xml = part.asText();
    if (xml.search(placeholder) === -1) continue;
    const filled = (written: string, encoded: (value: string) => string): string =>
      written.replace(placeholder, (all, name: string) => {
        if (isPlaceholder(name)) return encoded(values[name]);
        faults.push({ path: part.name, message: unknownPlaceholder(name) });
        return all;
      });
    const tree = parsedXml(xml);
    if (isStore(part.name)) {
      for (const element of walk(tree)) {
        for (const node of element.childNodes) {
          if (node.nodeType === textNode) node.nodeValue = filled(node.nodeValue ?? '', oneLine);
        }
      }
    } else {
      for (const each of elements(tree, 'Relationship')) {
        each.setAttribute('Target', filled(each.getAttribute('Target') ?? '', inAddress));
      }
    }
    zip.file(part.name, writtenXml(tree));
  }
  return faults;
}

const textNode = 3;

// `@` is kept: programs that show the address of a mailto link do not decode it.
const inAddress = (value: string): string =>
  encodeURIComponent(oneLine(value)).replaceAll("'", '%27').replaceAll('%40', '@');

import type PizZip from 'pizzip';
import { unknownPlaceholder } from './letter-values.ts';
import { oneLine } from './letter-text.ts';
import { isPlaceholder, type LetterValues } from './placeholders.ts';
import type { TemplateFault } from './template-rejection.ts';

// Word percent-encodes the braces in a link's address, LibreOffice does not.
const placeholder = /(?:\{\{|%7B%7B)(?:\s|%20)*(.*?)(?:\s|%20)*(?:\}\}|%7D%7D)/gi;

/**
 * Fills the addresses of links, which docxtemplater leaves as they are.
 * @returns a fault for each unknown name
 */
export function fillLinkTargets(zip: PizZip, values: LetterValues): TemplateFault[] {
  const faults: TemplateFault[] = [];
  for (const part of zip.file(/\.rels$/)) {
    const xml = part.asText();
    const filled = xml.replace(placeholder, (written, name: string) => {
      if (isPlaceholder(name)) return inAddress(values[name]);
      faults.push({ path: part.name, message: unknownPlaceholder(name) });
      return written;
    });
    if (filled !== xml) zip.file(part.name, filled);
  }
  return faults;
}

// `@` is kept: programs that show the address of a mailto link do not decode it.
const inAddress = (value: string): string =>
  encodeURIComponent(oneLine(value)).replaceAll("'", '%27').replaceAll('%40', '@');

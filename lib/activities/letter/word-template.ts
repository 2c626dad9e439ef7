import { preparedPart } from './letter-part.ts';
import { deflatedPart, type PackagePart, partContent, readPackage, writePackage } from './office-package.ts';
import type { LetterMoment } from './letter-moment.ts';
import type { LetterValues, Placeholder } from './placeholders.ts';
import { type PreparedXml, writtenXml } from './places.ts';
import {
  InvalidTemplateError,
  rejected,
  type TemplateFault,
  templateRejection,
} from './template-rejection.ts';

/** A parsed Word template; {@link fillTemplate} creates letters from it without parsing it again. */
export interface WordTemplate {
  readonly parts: readonly { readonly part: PackagePart; readonly prepared: PreparedXml | null }[];
}

/**
 * Checks a .docx or .dotx and splits it where letters differ. Callers cache the result, because a template of 200 pages
 * costs a hundred letters.
 * @param required placeholders that must be in the text; reported as missing only when there are no other faults
 * @throws InvalidTemplateError with every fault, not only the first
 */
export function prepareTemplate(file: Buffer, required: readonly Placeholder[] = []): WordTemplate {
  const source = readPackage(file);
  const xmlByPart = new Map(source.filter(isXml).map((part) => [part.name, partContent(part).toString()]));
  const rejection = templateRejection(xmlByPart);
  if (rejection !== null) throw rejected(rejection);
  const stylesXml = xmlByPart.get('word/styles.xml') ?? '';
  const faults: TemplateFault[] = [];
  const names = new Set<string>();
  const parts = source.map((part) => {
    const path = part.name;
    const xml = xmlByPart.get(path);
    if (xml === undefined) return { part, prepared: null };
    if (path === '[Content_Types].xml')
      return { part: deflatedPart(path, Buffer.from(asDocument(xml))), prepared: null };
    const { prepared, namesInText, faults: found } = preparedPart(path, xml, stylesXml);
    for (const message of found) faults.push({ path, message });
    for (const name of namesInText) names.add(name);
    return { part, prepared: prepared.length > 1 ? prepared : null };
  });
  const missing = required.find((name) => !names.has(name));
  if (faults.length > 0) throw new InvalidTemplateError(faults);
  if (missing !== undefined) throw rejected(`The text of the template has no placeholder {{${missing}}}.`);
  return { parts };
}

const isXml = ({ name }: PackagePart): boolean => /\.(?:xml|rels)$/i.test(name);

/** The letter as a .docx. A value that looks like a placeholder or XML is not interpreted. */
export function fillTemplate({ parts }: WordTemplate, values: LetterValues, moment: LetterMoment): Buffer {
  const letter = { values, moment };
  return writePackage(
    parts.map(({ part, prepared }) =>
      prepared === null ? part : deflatedPart(part.name, Buffer.from(writtenXml(prepared, letter))),
    ),
  );
}

// Word rejects a .docx whose content type is that of a template.
function asDocument(contentTypes: string): string {
  return contentTypes.replace('wordprocessingml.template.main+xml', 'wordprocessingml.document.main+xml');
}

import { preparedPart } from './letter-part.ts';
import { PackageError, type PackagePart, partContent, readPackage } from './office-package.ts';
import type { LetterMoment } from './letter-moment.ts';
import type { LetterValues, Placeholder } from './placeholders.ts';
import { type PreparedXml, writtenXml } from './places.ts';
import { templateRejection } from './template-rejection.ts';
import { deflatedPart, writePackage } from './write-package.ts';

/** A parsed Word template; {@link fillTemplate} creates letters from it without parsing it again. */
export interface WordTemplate {
  readonly parts: readonly { readonly part: PackagePart; readonly prepared: PreparedXml | null }[];
}

/** A fault that the owner of a template has to correct: `path` is the part of the file, `message` a full sentence. */
export interface TemplateFault {
  readonly path: string;
  readonly message: string;
}

/** Has every fault that the owner of the template has to correct. */
export class InvalidTemplateError extends Error {
  override readonly name = 'InvalidTemplateError';
  readonly faults: readonly TemplateFault[];

  constructor(faults: readonly TemplateFault[], options?: ErrorOptions) {
    super(`The Word template has ${faults.length} fault(s).`, options);
    this.faults = faults;
  }
}

/**
 * Checks a .docx or .dotx and splits it where letters differ. Callers cache the result, because a template of 200 pages
 * costs a hundred letters.
 * @param required placeholders that must be in the text; reported as missing only when there are no other faults
 * @throws InvalidTemplateError with every fault, not only the first
 */
export function prepareTemplate(file: Buffer, required: readonly Placeholder[] = []): WordTemplate {
  const source = packageParts(file);
  const xmlByPart = new Map(source.filter(isXml).map((part) => [part.name, partContent(part).toString()]));
  const rejection = templateRejection(xmlByPart);
  if (rejection !== null) throw invalid(rejection);
  const stylesXml = xmlByPart.get('word/styles.xml') ?? '';
  const faults: TemplateFault[] = [];
  const names = new Set<string>();
  const parts = source.map((part) => {
    const path = part.name;
    const xml = xmlByPart.get(path);
    if (xml === undefined) return { part, prepared: null };
    if (path === '[Content_Types].xml')
      return { part: deflatedPart(path, Buffer.from(asDocument(xml)), part.modified), prepared: null };
    const { prepared, namesInText, faults: found } = preparedPart(path, xml, stylesXml);
    for (const message of found) faults.push({ path, message });
    for (const name of namesInText) names.add(name);
    return { part, prepared: prepared.length > 1 ? prepared : null };
  });
  const missing = required.find((name) => !names.has(name));
  if (faults.length > 0) throw new InvalidTemplateError(faults);
  if (missing !== undefined) throw invalid(`The text of the template has no placeholder {{${missing}}}.`);
  return { parts };
}

const isXml = ({ name }: PackagePart): boolean => /\.(?:xml|rels)$/i.test(name);

const invalid = (message: string, options?: ErrorOptions): InvalidTemplateError =>
  new InvalidTemplateError([{ path: 'template', message }], options);

/** The letter as a .docx. A value that looks like a placeholder or XML is not interpreted. */
export function fillTemplate({ parts }: WordTemplate, values: LetterValues, moment: LetterMoment): Buffer {
  const letter = { values, moment };
  return writePackage(
    parts.map(({ part, prepared }) =>
      prepared === null
        ? part
        : deflatedPart(part.name, Buffer.from(writtenXml(prepared, letter)), part.modified),
    ),
  );
}

function packageParts(file: Buffer): PackagePart[] {
  try {
    return readPackage(file);
  } catch (cause) {
    throw cause instanceof PackageError ? invalid(cause.message, { cause }) : cause;
  }
}

// Word rejects a .docx whose content type is that of a template.
function asDocument(contentTypes: string): string {
  return contentTypes.replace('wordprocessingml.template.main+xml', 'wordprocessingml.document.main+xml');
}

import { joinedPlaceholders } from './docx-placeholders.ts';
import type { TemplateFault } from './template-fault.ts';
import { filledPart, preparedPart, type PreparedPart } from './letter-part.ts';
import type { LetterMoment } from './letter-moment.ts';
import { PackageError, type PackagePart, readPackage } from './office-package.ts';
import type { LetterValues, Placeholder } from './placeholders.ts';
import { deflatedPart, writePackage } from './write-package.ts';

/** A parsed Word template; {@link fillTemplate} creates letters from it without parsing it again. */
export interface WordTemplate {
  readonly parts: readonly { readonly part: PackagePart; readonly prepared: PreparedPart | null }[];
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
 * Checks a .docx or .dotx and splits it at its placeholders. Costs one run of docxtemplater (20 ms of processor time
 * for one page, 350 ms for 200), so callers cache the result.
 * @param required placeholders that must be in the text; reported as missing only when there are no other faults,
 * because a template with faults is not read to the end
 * @throws InvalidTemplateError with every fault, not only the first
 */
export function prepareTemplate(file: Buffer, required: readonly Placeholder[] = []): WordTemplate {
  const source = packageParts(file);
  const { xmlByPart, faults } = joinedPlaceholders(source);
  const stylesXml = xmlByPart.get('word/styles.xml') ?? '';
  const parts = source.map((part) => {
    const xml = xmlByPart.get(part.name);
    if (xml === undefined) return { part, prepared: null };
    const isContentTypes = part.name === '[Content_Types].xml';
    const { prepared, faults: found } = preparedPart(part.name, xml, stylesXml);
    for (const fault of found) faults.push(fault);
    if (isContentTypes)
      return { part: deflatedPart(part.name, Buffer.from(asDocument(xml)), part.modified), prepared: null };
    return { part, prepared: prepared.slots.length > 0 ? prepared : null };
  });
  const all = faults.length === 0 ? missing(required, parts) : faults;
  if (all.length > 0) throw new InvalidTemplateError(all);
  return { parts };
}

function missing(required: readonly Placeholder[], parts: WordTemplate['parts']): TemplateFault[] {
  const slots = parts.flatMap(({ prepared }) => prepared?.slots ?? []);
  const isThere = (name: Placeholder): boolean =>
    slots.some((slot) =>
      slot.kind === 'paragraphs' ? name === 'content' : slot.kind === 'piece' && slot.name === name,
    );
  return required
    .filter((name) => !isThere(name))
    .map((name) => ({
      path: 'template',
      message: `The text of the template has no placeholder {{${name}}}.`,
    }));
}

/** The letter as a .docx. A value that looks like a placeholder or XML is not interpreted. */
export function fillTemplate({ parts }: WordTemplate, values: LetterValues, moment: LetterMoment): Buffer {
  return writePackage(
    parts.map(({ part, prepared }) =>
      prepared === null ? part : deflatedPart(part.name, filledPart(prepared, values, moment), part.modified),
    ),
  );
}

function packageParts(file: Buffer): PackagePart[] {
  try {
    return readPackage(file);
  } catch (error) {
    if (!(error instanceof PackageError)) throw error;
    throw new InvalidTemplateError([{ path: 'template', message: error.message }], { cause: error });
  }
}

// Word rejects a .docx whose content type is that of a template.
function asDocument(contentTypes: string): string {
  return contentTypes.replace('wordprocessingml.template.main+xml', 'wordprocessingml.document.main+xml');
}

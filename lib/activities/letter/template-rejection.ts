/** A fault that the owner of a template has to correct: `path` is the part of the file, `message` a full sentence. */
export interface TemplateFault {
  readonly path: string;
  readonly message: string;
}

export class InvalidTemplateError extends Error {
  override readonly name = 'InvalidTemplateError';
  readonly faults: readonly TemplateFault[];

  constructor(faults: readonly TemplateFault[], options?: ErrorOptions) {
    super(`The Word template has ${faults.length} fault(s).`, options);
    this.faults = faults;
  }
}

/** The error for a fault of the whole file. */
export const rejected = (message: string, options?: ErrorOptions): InvalidTemplateError =>
  new InvalidTemplateError([{ path: 'template', message }], options);

// Bounds the work for one template: a 200-page letter has 2 MB and about 100,000 elements.
const limits = { xmlBytes: 10 * 1024 * 1024, tags: 200_000, braces: 20_000 };

/** Why a template is not read at all, as a sentence; `null` for a Word document within the limits. */
export function templateRejection(xmlByPart: ReadonlyMap<string, string>): string | null {
  return excess(xmlByPart) ?? unsuitable(xmlByPart);
}

function excess(xmlByPart: ReadonlyMap<string, string>): string | null {
  let [characters, tags, braces] = [0, 0, 0];
  for (const xml of xmlByPart.values()) {
    characters += xml.length;
    tags += xml.split('<').length - 1;
    braces += xml.split('{').length - 1;
  }
  if (characters > limits.xmlBytes) return 'The text of the template is larger than 10 MiB.';
  if (tags > limits.tags) return `The template has more than ${limits.tags} XML elements.`;
  return braces > limits.braces ? `The template has more than ${limits.braces} curly braces.` : null;
}

// Word and LibreOffice write w:, some libraries ns0: or none.
const otherPrefix =
  /\sxmlns(?::(?!w\s*=)[\w.-]+)?\s*=\s*["']http:\/\/(?:schemas\.openxmlformats\.org\/wordprocessingml\/2006|purl\.oclc\.org\/ooxml\/wordprocessingml)\/main["']/;

function unsuitable(xmlByPart: ReadonlyMap<string, string>): string | null {
  const contentTypes = xmlByPart.get('[Content_Types].xml') ?? '';
  const other = [...xmlByPart].find(([, xml]) => otherPrefix.test(xml))?.[0];
  if (other !== undefined)
    return `The part ${other} has another prefix than w: for the elements of Word; open the template in Word and save it.`;
  if (/macroEnabled/i.test(contentTypes)) return 'The template contains macros; save it as .docx or .dotx.';
  const declared = (contentTypes.match(/<Override\s[^>]*>/g) ?? []).filter((override) =>
    /wordprocessingml\.(?:document|template)\.main\+xml/.test(override),
  );
  const main = declared.map((override) => /PartName="\/([^"]*)"/.exec(override)?.[1] ?? '');
  return main.some((name) => xmlByPart.has(name)) ? null : 'The file is not a Word document (.docx).';
}

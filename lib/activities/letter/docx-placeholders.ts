import Docxtemplater, { type DXT } from 'docxtemplater';
import PizZip from 'pizzip';
import { type PackagePart, partContent } from './office-package.ts';
import { isPlaceholder, placeholders } from './placeholders.ts';
import type { TemplateFault } from './template-fault.ts';
import { unfillablePlaceholders } from './unfillable-placeholders.ts';
import { writePackage } from './write-package.ts';

/**
 * One placeholder after {@link joinedPlaceholders}: its name between private-use characters. Word's symbol fonts start
 * at U+F000.
 */
export const slotPattern = new RegExp(`\uE000(${placeholders.join('|')})\uE001`, 'g');

// Just below each of these limits docxtemplater 3.71 took up to 0.9 s and 300 MiB; without them, 20 MB of tags took 30
// s and 2.7 GB. A 200-page letter has 2 MB and about 100,000 elements.
const limits = { xmlBytes: 10 * 1024 * 1024, tags: 200_000, braces: 20_000 };

/**
 * Docxtemplater writes each placeholder, including one that Word has split into several runs, as one piece of text that
 * matches {@link slotPattern}. Returns the XML of each part by name: unchanged when there are faults, and none when the
 * template exceeds the limits or is not a Word document.
 */
export function joinedPlaceholders(parts: readonly PackagePart[]): {
  xmlByPart: Map<string, string>;
  faults: TemplateFault[];
} {
  const original = new Map(parts.filter(isXml).map((part) => [part.name, partContent(part).toString()]));
  const rejection = excess(original) ?? unsuitable(original);
  if (rejection !== null) return { xmlByPart: new Map(), faults: [{ path: 'template', message: rejection }] };
  const { xmlByPart, faults, reader } = joinedByDocxtemplater(parts, original);
  const unfilled = [...original].flatMap(([path, xml]) => {
    const isRead = reader?.templatedFiles?.includes(path) ?? false;
    if (isComments(path)) return [];
    return unfillablePlaceholders(path, xml, isRead ? (reader?.fileTypeConfig?.tagsXmlTextArray ?? []) : []);
  });
  // If docxtemplater failed before it read the parts, the set of parts it would have read is unknown.
  return { xmlByPart, faults: reader?.templatedFiles === undefined ? faults : [...faults, ...unfilled] };
}

/** The state of docxtemplater 3.71 after it has read the content types. */
interface Reader {
  targets: string[];
  readonly templatedFiles?: readonly string[];
  readonly fileTypeConfig?: { readonly tagsXmlTextArray: readonly string[] };
}

function joinedByDocxtemplater(
  parts: readonly PackagePart[],
  original: ReadonlyMap<string, string>,
): { xmlByPart: Map<string, string>; faults: TemplateFault[]; reader: Reader | undefined } {
  const endnotes = [...original.keys()].filter((name) => name.endsWith('/endnotes.xml'));
  let reader: Reader | undefined;
  const seen = (doc: Reader): void => {
    reader = doc;
    // docxtemplater 3.71 skips endnotes, and would fill what the author of the template noted in a comment.
    doc.targets = [...doc.targets.filter((name) => !isComments(name)), ...endnotes];
  };
  try {
    const zip = new PizZip(writePackage(parts));
    new Docxtemplater(zip, options(seen)).render({});
    const xmlByPart = new Map([...original.keys()].map((name) => [name, zip.file(name)?.asText() ?? '']));
    return { xmlByPart, faults: [], reader };
  } catch (error) {
    return { xmlByPart: new Map(original), faults: faultsOf(error), reader };
  }
}

const isComments = (name: string): boolean => name.endsWith('/comments.xml');

function isXml({ name }: PackagePart): boolean {
  return /\.(?:xml|rels)$/i.test(name);
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

// docxtemplater treats a package without a main document as empty.
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

function options(seen: (doc: Reader) => void): DXT.ConstructorOptions {
  // Claims every tag before docxtemplater's own modules do: `{{#loop}}` and `{{@rawXml}}` are then names like any
  // other, and slotFor rejects them together with all other faults.
  const everyTagIsPlain = {
    name: 'EveryTagIsPlain',
    matchers: () => [[/^([\s\S]*)$/, undefined, { priority: 1e9 }]],
    getFileType: ({ doc }: { doc: Reader }) => seen(doc),
  };
  return {
    delimiters: { start: '{{', end: '}}' },
    syntax: { changeDelimiterPrefix: null },
    errorLogging: false,
    modules: [everyTagIsPlain as unknown as DXT.Module],
    parser: slotFor,
  };
}

function slotFor(tag: string): { get: () => string } {
  const name = tag.trim();
  if (!isPlaceholder(name)) throw new Error(unknownPlaceholder(name));
  return { get: () => `\uE000${name}\uE001` };
}

export function unknownPlaceholder(name: string): string {
  const meant = placeholders.find((placeholder) => placeholder.toLowerCase() === name.toLowerCase());
  const hint =
    meant === undefined ? `known placeholders are ${placeholders.join(', ')}` : `did you mean {{${meant}}}?`;
  return `{{${excerpt(name)}}} is not a placeholder: ${hint}`;
}

interface DocxtemplaterError {
  message: string;
  properties?: {
    id?: string;
    file?: string;
    xtag?: string;
    context?: string;
    explanation?: string;
    rootError?: Error;
    errors?: DocxtemplaterError[];
  };
}

// docxtemplater and PizZip throw errors, lists of errors and, for a corrupt stream, a bare string.
function faultsOf(error: unknown): TemplateFault[] {
  const { properties = {}, message = String(error) } = (error ?? {}) as Partial<DocxtemplaterError>;
  if (properties.errors !== undefined) return properties.errors.flatMap(faultsOf);
  return [{ path: properties.file ?? 'template', message: faultMessage(properties, message) }];
}

function faultMessage(properties: NonNullable<DocxtemplaterError['properties']>, message: string): string {
  if (properties.id === 'scopeparser_compilation_failed') return properties.rootError?.message ?? message;
  const written = excerpt(properties.context ?? properties.xtag ?? '');
  const sentence = delimiterFaults[properties.id ?? ''];
  return sentence === undefined
    ? `The template cannot be read as a Word document: ${excerpt(properties.explanation ?? message)}`
    : sentence(written);
}

const delimiterFaults: Record<string, (written: string) => string> = {
  unclosed_tag: (written) => `The placeholder that begins with ${written} is not closed with }}.`,
  unopened_tag: (written) => `There is a }} without a {{ before it, near ${written}.`,
  duplicate_open_tag: (written) => `{{ is written twice, near ${written}.`,
  duplicate_close_tag: (written) => `}} is written twice, near ${written}.`,
};

function excerpt(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

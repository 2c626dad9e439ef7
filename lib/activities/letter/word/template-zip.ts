import { crc32, inflateRawSync } from 'node:zlib';
import PizZip from 'pizzip';
import { templateRejection } from './template-rejection.ts';

/** What a template may have (docs/decisions/0013). A 200-page letter has 20 parts, 2 MB, and 50,000 elements. */
export const limits = {
  fileBytes: 10 * 1024 * 1024,
  parts: 1000,
  contentBytes: 50 * 1024 * 1024,
  xmlBytes: 10 * 1024 * 1024,
  // 200,000 paragraphs take 0.7 s and 396 MiB a letter.
  elements: 100_000,
  // 4,500 placeholders in one paragraph take docxtemplater 4 s.
  placeholdersPerParagraph: 1000,
};

/** An entry as PizZip 3.3.0 holds it before it is inflated; not a documented interface, so the version is pinned. */
interface Compressed {
  readonly uncompressedSize: number;
  readonly compressionMethod: string;
  readonly crc32: number;
  getCompressedContent(): Uint8Array;
}

/** PizZip rejects all methods but stored and deflated. */
const stored = '\0\0';

/** `__MACOSX/word/._document.xml` is what macOS keeps beside a file. */
export const isXml = ({ name }: { name: string }): boolean =>
  /\.(?:xml|rels)$/i.test(name) && !/(?:^|\/)\._/.test(name);

/** What the author of a template noted for colleagues; it is not filled. */
export const isComments = ({ name }: { name: string }): boolean => name.endsWith('/comments.xml');

/**
 * Opens a template. PizZip has no limits, so the declared sizes are added up before anything is inflated, and each part
 * is inflated once, up to its declared size, and compared with its checksum: later readers can trust both. XML is in UTF-8 then.
 * @throws InvalidTemplateError when the file is no package, is damaged, or exceeds {@link limits}
 */
export function templateZip(file: Buffer): PizZip {
  if (file.length > limits.fileBytes) throw templateRejection('The file is larger than 10 MiB.');
  const zip = openZip(file);
  const entries = Object.values(zip.files).filter(({ dir }) => !dir);
  if (entries.length > limits.parts)
    throw templateRejection(`The file contains more than ${limits.parts} parts.`);
  // PizZip keeps the last of two parts of one name.
  const listed = file.readUInt16LE(file.lastIndexOf('PK\u0005\u0006') + 10);
  if (listed !== Object.keys(zip.files).length) throw templateRejection('The file contains a part twice.');
  if (declaredBytes(entries) > limits.contentBytes) {
    throw templateRejection('The uncompressed file is larger than 50 MiB.');
  }
  if (declaredBytes(entries.filter(isXml)) > limits.xmlBytes) {
    throw templateRejection('The text of the template is larger than 10 MiB.');
  }
  const xmlParts: string[] = [];
  for (const entry of entries) {
    const content = inflateEntry(entry);
    if (!isXml(entry)) continue;
    const xml = decodeEntry(entry.name, content);
    xmlParts.push(xml);
    if (!content.equals(Buffer.from(xml))) zip.file(entry.name, xml);
  }
  checkAmount(xmlParts);
  return zip;
}

function openZip(file: Buffer): PizZip {
  try {
    return new PizZip(file);
  } catch (cause) {
    throw templateRejection(whatElse(file, cause), { cause });
  }
}

/** Word saves .doc files, and .docx files with a password, as compound files (MS-CFB 2.2, MS-OFFCRYPTO 2.3.2). */
function whatElse(file: Buffer, error: unknown): string {
  const isEncryptedZip = error instanceof Error && /encrypted/i.test(error.message);
  const isCompound = file.toString('hex', 0, 8) === 'd0cf11e0a1b11ae1';
  if (isEncryptedZip || (isCompound && file.includes(Buffer.from('EncryptedPackage', 'utf16le')))) {
    // MS-OFFCRYPTO 2.2: a name of rights management, which labels use.
    return file.includes(Buffer.from('DRMEncrypted', 'utf16le'))
      ? 'The file is encrypted by a sensitivity label or by rights management: save it with a label that does not encrypt.'
      : 'The file is protected with a password.';
  }
  if (isCompound) {
    return 'The file has the old format .doc: save it in Word as .docx.';
  }
  return file.includes('PK\u0005\u0006')
    ? 'The file is damaged, or packed in a way that is not supported: open it in Word and save it.'
    : 'The file is not a Word document (.docx): it is not a zip package, or its end is missing.';
}

const dataOf = (entry: PizZip.ZipObject): Compressed =>
  (entry as PizZip.ZipObject & { readonly _data: Compressed })._data;

const declaredBytes = (entries: readonly PizZip.ZipObject[]): number =>
  entries.reduce((sum, entry) => sum + dataOf(entry).uncompressedSize, 0);

function inflateEntry(entry: PizZip.ZipObject): Buffer {
  const data = dataOf(entry);
  const { uncompressedSize, compressionMethod } = data;
  const isDamaged = (cause?: unknown) =>
    templateRejection(`The file is damaged in its part ${entry.name}.`, { cause });
  let content: Buffer;
  try {
    const compressed = data.getCompressedContent();
    content =
      compressionMethod === stored
        ? Buffer.from(compressed)
        : inflateRawSync(compressed, { maxOutputLength: Math.max(uncompressedSize, 1) });
  } catch (cause) {
    throw isDamaged(cause);
  }
  if (content.length !== uncompressedSize || crc32(content) !== data.crc32 >>> 0) throw isDamaged();
  return content;
}

const byteOrderMarks = new Map([
  ['efbbbf', 'utf-8'],
  ['fffe', 'utf-16le'],
  ['feff', 'utf-16be'],
]);
const declaration = /^<\?xml\b[^>]*?\bencoding\s*=\s*["']([\w.-]+)["']/;

/**
 * The XML without a byte order mark, and with a declaration of UTF-8: PizZip and docxtemplater know no other encoding, and
 * Microsoft's own strict files have the mark (UseJunior/safe-docx#875).
 */
function decodeEntry(name: string, content: Buffer): string {
  const start = content.toString('hex', 0, 3);
  const marked = [...byteOrderMarks].find(([mark]) => start.startsWith(mark))?.[1];
  const encoding = marked ?? declaration.exec(content.toString('latin1', 0, 200))?.[1] ?? 'utf-8';
  let xml: string;
  try {
    xml = new TextDecoder(encoding, { fatal: true }).decode(content);
  } catch (cause) {
    throw templateRejection(
      `The part ${name} has bytes that its encoding (${encoding}) does not have; open the template in Word and save it.`,
      { cause },
    );
  }
  xml = xml.replace(declaration, (whole, declared: string) =>
    /^utf-8$/i.test(declared) ? whole : whole.replace(declared, 'UTF-8'),
  );
  // Before anything parses it: a declaration can define entities of any size.
  if (xml.includes('<!DOCTYPE')) {
    throw templateRejection(
      `The part ${name} has a document type declaration, which Office files cannot have.`,
    );
  }
  return xml;
}

/** On the text, because a tree of more elements would take too much memory. */
function checkAmount(parts: readonly string[]): void {
  const elements = parts.reduce((sum, xml) => sum + (xml.match(/<[^/?!]/g)?.length ?? 0), 0);
  if (elements > limits.elements) {
    throw templateRejection(`The template has more than ${limits.elements} XML elements.`);
  }
  for (const xml of parts) {
    for (const paragraph of xml.split(/<\/?w:p[\s>]/)) {
      if (paragraph.split('{').length - 1 > 2 * limits.placeholdersPerParagraph) {
        throw templateRejection(
          `A paragraph of the template has more than ${limits.placeholdersPerParagraph} placeholders.`,
        );
      }
    }
  }
}

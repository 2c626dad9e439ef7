import type { TemplateParts } from './template-parts.ts';
import { templateRejection } from './template-rejection.ts';
import { walk } from './xml-tree.ts';

// Word and LibreOffice write w:, some libraries ns0: or none.
const wordNamespaces: ReadonlySet<string | null> = new Set([
  'http://schemas.openxmlformats.org/wordprocessingml/2006/main',
  'http://purl.oclc.org/ooxml/wordprocessingml/main',
]);

/** @throws InvalidTemplateError for what is not a Word document, or has macros */
export function checkIsDocument(parts: TemplateParts): void {
  for (const [name, tree] of parts.trees) {
    for (const { namespaceURI, prefix } of walk(tree)) {
      if (prefix !== 'w' && wordNamespaces.has(namespaceURI)) {
        throw templateRejection(
          `The part ${name} has another prefix than w: for the elements of Word; open the template in Word and save it.`,
        );
      }
    }
  }
  for (const [name, tree] of parts.trees) {
    const root = tree.documentElement!;
    const ignored = root.getAttribute('mc:Ignorable')?.split(/\s+/) ?? [];
    const unknown = ignored.find((prefix) => prefix !== '' && !root.hasAttribute(`xmlns:${prefix}`));
    // As libraries leave them that drop unused namespaces (plutext/docx4j#573).
    if (unknown !== undefined) {
      throw templateRejection(
        `The part ${name} ignores the prefix ${unknown} without declaring it: Word opens no letter that has this part.`,
      );
    }
  }
  const main = parts.mainPart;
  const type = main === null ? '' : parts.contentType(main);
  // An embedded workbook may have macros of its own.
  if (/macroEnabled/i.test(type) || parts.names.some((name) => /^word\/vbaProject\.bin$/i.test(name))) {
    throw templateRejection('The template contains macros; save it as .docx or .dotx.');
  }
  if (main === null || !/wordprocessingml\.(?:document|template)\.main\+xml$/.test(type)) {
    // Word opens more than this service: names in another case, or files of other programs.
    throw templateRejection(
      'The file is not a Word document (.docx), or not one as Word writes it: open it in Word and save it as .docx.',
    );
  }
}

import type { TemplateParts } from '../word/template-parts.ts';
import type { TemplateFault } from '../word/template-rejection.ts';
import { ownText } from '../word/word-text.ts';
import { type Document, elements } from '../word/xml-tree.ts';

/** What docxtemplater throws about a template (its `XTTemplateError` and `XTScopeParserError`). */
interface DocxtemplaterError extends Error {
  readonly properties: {
    readonly id: string;
    readonly file?: string;
    readonly xtag?: string;
    readonly explanation?: string;
    readonly errors?: readonly unknown[];
  };
}

const isDocxtemplaterError = (error: unknown): error is DocxtemplaterError =>
  error instanceof Error && typeof (error as Partial<DocxtemplaterError>).properties?.id === 'string';

/**
 * The faults that docxtemplater finds in the braces or the XML of a template.
 * @throws the error itself if it says nothing about the template
 */
export function syntaxFaultsOf(error: unknown, parts: TemplateParts): readonly TemplateFault[] {
  if (!isDocxtemplaterError(error)) throw error;
  const { id, file = 'template', xtag = '', explanation, errors } = error.properties;
  if (errors !== undefined)
    return withPlaces(
      errors.flatMap((each) => syntaxFaultsOf(each, parts)),
      parts,
    );
  const sentence = sentences[id]?.(excerpt(xtag)) ?? explanation ?? error.message;
  return [{ path: file, message: sentence }];
}

/** Placeholders in three braces, which other programs have for text that is not escaped. */
export function tripleBraces(parts: TemplateParts): TemplateFault[] {
  return parts.texts.flatMap(([path, tree]) =>
    elements(tree, 'w:p').flatMap((paragraph) =>
      [...ownText(paragraph).matchAll(/\{{3}\s*(\w{1,40})\s*\}{3}/g)].map(([written, name = '']) => ({
        path,
        message: `${written} has three braces: write {{${name}}}.`,
      })),
    ),
  );
}

/** The faults in the braces of a part, with the paragraphs in which they are. */
function withPlaces(faults: readonly TemplateFault[], parts: TemplateParts): TemplateFault[] {
  const paragraphs = new Map<string, string[]>();
  return faults.map((fault) => {
    const tree = parts.tree(fault.path);
    if (tree === undefined) return fault;
    if (!paragraphs.has(fault.path)) paragraphs.set(fault.path, unbalancedTextsIn(tree));
    const place = paragraphs.get(fault.path)!.shift();
    return place === undefined
      ? fault
      : { ...fault, message: `${fault.message} It is in the paragraph "${excerpt(place)}".` };
  });
}

/** The text of a paragraph once for each brace in it that has no partner. */
function unbalancedTextsIn(tree: Document): string[] {
  return elements(tree, 'w:p').flatMap((paragraph) => {
    const text = ownText(paragraph);
    let isOpen = false;
    let faults = 0;
    for (const [brace] of text.matchAll(/\{\{|\}\}/g)) {
      const opens = brace === '{{';
      if (opens === isOpen) faults += 1;
      isOpen = opens;
    }
    return Array<string>(faults + (isOpen ? 1 : 0)).fill(text);
  });
}

const excerpt = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text);

const isNotClosed = (tag: string): string =>
  `The placeholder that begins with {{${tag.replace(/^\{+/, '')} is not closed with }}.`;
const isNotOpened = (): string => 'There is a }} without a {{ before it.';

const sentences: Readonly<Record<string, (tag: string) => string>> = {
  unclosed_tag: isNotClosed,
  duplicate_open_tag: isNotClosed,
  unopened_tag: isNotOpened,
  duplicate_close_tag: isNotOpened,
};

import type Docxtemplater from 'docxtemplater';
import type { DXT } from 'docxtemplater';
import type PizZip from 'pizzip';
import { titleInAddress } from '../../text/names/title-address.ts';
import { placeContent } from './content-paragraphs.ts';
import { removeEmptyValues } from './empty-values.ts';
import type { LetterMoment } from './letter-moment.ts';
import { escapeXml, lines, oneLine } from './letter-text.ts';
import { contentMark, emptyMark, hasMarks, valueMark } from './marks.ts';
import type { LetterValues } from './placeholders.ts';
import { isComments } from '../word/template-zip.ts';
import { breakIntoLines } from '../word/word-text.ts';
import { elements, parsedXml, textOf, writtenXml } from '../word/xml-tree.ts';

/** The data of docxtemplater. */
export interface Letter {
  readonly values: LetterValues;
  readonly moment: LetterMoment;
}

/** A part of the XML as docxtemplater has parsed it; those of placeholders also have what {@link letterModule} needs. */
interface Part extends DXT.Part {
  readonly text?: boolean;
  isWordText: boolean;
  isTitleInAddress: boolean;
}

const name = 'LetterModule';

/** Called for each placeholder with its name, its part of the file, and whether it is in text of Word. */
export type Noticed = (name: string, path: string, isWordText: boolean) => void;

/** Values as Word's XML: text in paragraphs and lines, and nothing around a value that is empty. */
export function letterModule({ values }: Letter, noticed?: Noticed): DXT.Module {
  return {
    name,
    requiredAPIVersion: '3.48.0',
    // docxtemplater knows document, headers, footers, footnotes and properties.
    optionsTransformer(options: DXT.Options, doc: Docxtemplater<PizZip>) {
      const further = doc.getZip().file(/^word\/[^_].*\.xml$/);
      doc.targets = [...doc.targets, ...further.map((part) => part.name)].filter(
        (path) => !isComments({ name: path }),
      );
      return options;
    },
    // Claims every tag before docxtemplater's own modules: {{#loop}} and {{@rawXml}} are names that do not exist. Each
    // begins with the empty text.
    matchers: () => [['', name, { priority: 1 }]],
    postparse(parts: Part[], options: unknown) {
      // The types of 3.71 name another parameter before it.
      const { filePath } = options as { readonly filePath: string };
      let paragraph = 0;
      let text = '';
      for (const [at, part] of parts.entries()) {
        if (part.position === 'start' && part.text === true) {
          text = part.tag ?? '';
        }
        if (part.position === 'start' && part.tag === 'w:p') {
          paragraph = at;
        }
        part.isWordText = part.module === name && text === 'w:t';
        if (part.module !== name) continue;
        const tag = part.value.trim();
        noticed?.(tag, filePath, part.isWordText);
        part.isTitleInAddress = tag === 'title' && !hasOtherLetters(parts, paragraph, at);
      }
      return parts;
    },
    render(part: DXT.Part, { scopeManager }: DXT.RenderOptions) {
      if (part.module !== name) return null;
      const value = scopeManager.getValue(part.value, { part }) as string;
      return { value: renderValue(part as Part, value), errors: [] };
    },
    postrender: (parts: string[]) => [filledPart(parts.join(''), values.content)],
  };
}

/** The XML of a part whose values docxtemplater has put between marks, without marks. */
function filledPart(xml: string, content: string): string {
  if (!hasMarks(xml)) return xml;
  const tree = parsedXml(xml);
  removeEmptyValues(tree);
  placeContent(tree, content);
  for (const text of elements(tree, 'w:t')) {
    const written = textOf(text);
    if (written.includes(valueMark)) breakIntoLines(text, written.replaceAll(valueMark, '').split('\n'));
  }
  return writtenXml(tree);
}

function renderValue({ isWordText, isTitleInAddress, value: tag }: Part, value: string): string {
  if (!isWordText) return escapeXml(oneLine(value));
  const name = tag.trim();
  const shown = lines(isTitleInAddress ? titleInAddress(value) : value).join('\n');
  if (shown.trim() === '') return emptyMark;
  return name === 'content' ? contentMark : valueMark + escapeXml(shown) + valueMark;
}

/** Whether a paragraph has letters of its own, beside the placeholder there. */
function hasOtherLetters(parts: readonly DXT.Part[], paragraph: number, at: number): boolean {
  const around = [...parts.slice(paragraph, at), ...parts.slice(at + 1, endOfParagraph(parts, at))];
  return /\p{L}/u.test(textInTags(around));
}

const textInTags = (parts: readonly DXT.Part[]): string =>
  parts
    .filter(({ type, position }) => type === 'content' && position === 'insidetag')
    .map(({ value }) => value)
    .join('');

function endOfParagraph(parts: readonly DXT.Part[], at: number): number {
  for (let end = at + 1; end < parts.length; end += 1) {
    const part = parts[end];
    if (part?.tag === 'w:p' && part.position === 'end') return end + 1;
  }
  return parts.length;
}

import type Docxtemplater from 'docxtemplater';
import type { DXT } from 'docxtemplater';
import type PizZip from 'pizzip';
import { titleInAddress } from '../text/names/title-address.ts';
import { emptyMark, filledMark, withoutEmptyValues } from './empty-values.ts';
import type { LetterMoment } from './letter-moment.ts';
import { type ParagraphBreak, paragraphBreak } from './paragraph-break.ts';
import { blocks, escaped, lines, oneLine, xmlLines } from './letter-text.ts';
import type { LetterValues } from './placeholders.ts';
import { isComments } from './template-zip.ts';

/** The data of docxtemplater. */
export interface Letter {
  readonly values: LetterValues;
  readonly moment: LetterMoment;
}

/** A part of the XML as docxtemplater has parsed it; those of placeholders also have what {@link letterModule} needs. */
interface Part extends DXT.Part {
  readonly text?: boolean;
  isWordText: boolean;
  isInAddress: boolean;
  paragraphBreak?: ParagraphBreak | null;
}

const name = 'LetterModule';

/** Called for each placeholder with its name, its part of the file, and whether it is in text of Word. */
export type Noticed = (name: string, path: string, isWordText: boolean) => void;

/** Values as Word's XML: text in paragraphs and lines, and nothing around a value that is empty. */
export function letterModule(noticed?: Noticed): DXT.Module {
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
    // Claims every tag before docxtemplater's own modules: {{#loop}} and {{@rawXml}} are names that do not exist.
    matchers: () => [[/^([\s\S]*)$/ as unknown as string, name, { priority: 1 }]],
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
        if (!part.isWordText) continue;
        if (tag !== 'content' && tag !== 'title') continue;
        const before = parts.slice(paragraph, at);
        const after = parts.slice(at + 1, endOfParagraph(parts, at));
        part.isInAddress = !/\p{L}/u.test(textOf(before) + textOf(after));
        if (tag === 'content') part.paragraphBreak = paragraphBreak(xmlOf(before), xmlOf(after));
      }
      return parts;
    },
    render(part: DXT.Part, { scopeManager }: DXT.RenderOptions) {
      if (part.module !== name) return null;
      const value = scopeManager.getValue(part.value, { part }) as string;
      return { value: rendered(part as Part, value), errors: [] };
    },
    postrender: (parts: string[]) => [withoutEmptyValues(parts.join(''))],
  };
}

function rendered({ isWordText, isInAddress, paragraphBreak, value: tag }: Part, value: string): string {
  if (!isWordText) return escaped(oneLine(value));
  const shown = isInAddress && tag.trim() === 'title' ? titleInAddress(value) : value;
  if (shown.trim() === '') return emptyMark;
  return filledMark + (paragraphBreak?.written(blocks(shown)) ?? xmlLines(lines(shown)));
}

const xmlOf = (parts: readonly DXT.Part[]): string => parts.map(({ value }) => value).join('');

const textOf = (parts: readonly DXT.Part[]): string =>
  xmlOf(parts.filter(({ type, position }) => type === 'content' && position === 'insidetag'));

function endOfParagraph(parts: readonly DXT.Part[], at: number): number {
  for (let end = at + 1; end < parts.length; end += 1) {
    const part = parts[end];
    if (part?.tag === 'w:p' && part.position === 'end') return end + 1;
  }
  return parts.length;
}

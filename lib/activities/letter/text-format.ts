import { type XmlElement, xmlTree } from './xml-tree.ts';

/** The formatting that determines how much space a paragraph needs. */
export interface TextFormat {
  readonly sizePt: number;
  /** Distance between lines: fixed, or a multiple of the font's line height. */
  readonly line: { readonly pt: number } | { readonly times: number };
  /** Space before and after the paragraph. */
  readonly aroundPt: number;
}

/** The styles of a document. The XML is `word/styles.xml`, or empty: then Word's defaults apply (ECMA-376 part 1, 17.3). */
export class TextStyles {
  readonly #defaults: readonly XmlElement[];
  readonly #styles: ReadonlyMap<string | undefined, XmlElement>;
  readonly #normal: string | undefined;
  readonly #formats = new Map<string, TextFormat>();

  constructor(stylesXml: string) {
    const tree = xmlTree(stylesXml);
    const styles = tree.all('w:style');
    this.#defaults = tree.all('w:pPrDefault', 'w:rPrDefault');
    this.#styles = new Map(styles.map((style) => [style.attribute('w:styleId'), style]));
    this.#normal = styles
      .find(
        (style) =>
          style.attribute('w:type') === 'paragraph' &&
          /^(?:1|true|on)$/.test(style.attribute('w:default') ?? ''),
      )
      ?.attribute('w:styleId');
  }

  /** The format of a paragraph, with the size of its largest run. Letters differ in text, and share the formats. */
  format(paragraphXml: string): TextFormat {
    const key = paragraphXml.match(/<w:pPr>.*?<\/w:pPr>|<w:r[\s>]|<w:rPr>.*?<\/w:rPr>/gs)?.join('') ?? '';
    const format = this.#formats.get(key) ?? this.#formatOf(xmlTree(paragraphXml).children[0]!);
    this.#formats.set(key, format);
    return format;
  }

  #formatOf(paragraph: XmlElement): TextFormat {
    const runs = paragraph.all('w:r');
    const sizePt = runs.reduce((most, run) => Math.max(most, this.sizePt(run)), 0) || this.sizePt(paragraph);
    const spacing = (name: string): string | undefined =>
      this.#attribute(paragraph, name, 'w:pPr', 'w:spacing');
    const linePt = Number(spacing('w:line') ?? 240) / 20;
    const rule = spacing('w:lineRule') ?? 'auto';
    // "At least" is a lower bound: the font may need more.
    const times = Math.max(linePt / (rule === 'auto' ? 12 : sizePt), 1);
    return {
      sizePt,
      line: rule === 'exact' ? { pt: linePt } : { times },
      aroundPt: (Number(spacing('w:before') ?? 0) + Number(spacing('w:after') ?? 0)) / 20,
    };
  }

  /** The size of a run, or of a paragraph that has none. */
  sizePt(element: XmlElement): number {
    return Number(this.#attribute(element, 'w:val', 'w:rPr', 'w:sz') ?? 20) / 2;
  }

  /** Looks an attribute up where Word does: in the run, its style, the paragraph, its style, and the defaults. */
  #attribute(element: XmlElement, name: string, ...path: readonly string[]): string | undefined {
    const { paragraph } = element;
    const ofRun = element === paragraph ? [] : this.#withStyles(element, 'w:rPr', 'w:rStyle');
    const ofParagraph = paragraph === undefined ? [] : this.#withStyles(paragraph, 'w:pPr', 'w:pStyle');
    return [...ofRun, ...ofParagraph, ...this.#defaults]
      .map((owner) => owner.child(...path)?.attribute(name))
      .find((value) => value !== undefined);
  }

  /** The element, its style, the one that this is based on, and so on. Only paragraphs have a style by default. */
  #withStyles(element: XmlElement, ...property: readonly string[]): XmlElement[] {
    const otherwise = element.paragraph === element ? this.#normal : undefined;
    const found = [element];
    let style = this.#styles.get(element.child(...property)?.attribute('w:val') ?? otherwise);
    // Word follows at most ten levels; this also ends cycles.
    while (style !== undefined && found.length <= 11) {
      found.push(style);
      style = this.#styles.get(style.child('w:basedOn')?.attribute('w:val'));
    }
    return found;
  }
}

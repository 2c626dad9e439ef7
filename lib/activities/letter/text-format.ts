import { type XmlElement, xmlTree } from './xml-tree.ts';

/** The formatting that determines how much space a paragraph needs. */
export interface TextFormat {
  readonly sizePt: number;
  readonly isBold: boolean;
  /** Distance between lines: fixed, or a multiple of the font's line height. */
  readonly line: { readonly pt: number } | { readonly times: number };
  /** Space before and after the paragraph. */
  readonly aroundPt: number;
  /** Left and right indents. */
  readonly indentPt: number;
  /** The first line starts to the left of the others. */
  readonly hangs: boolean;
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
      .find((style) => style.attribute('w:type') === 'paragraph' && isOn(style.attribute('w:default')))
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
      this.#first(paragraph, (owner) => owner.child('w:pPr', 'w:spacing')?.attribute(name));
    const indent = (...names: readonly string[]): number =>
      Number(
        this.#first(paragraph, (owner) => {
          const written = owner.child('w:pPr', 'w:ind');
          return names.map((name) => written?.attribute(name)).find(Boolean);
        }) ?? 0,
      );
    const linePt = Number(spacing('w:line') ?? 240) / 20;
    const rule = spacing('w:lineRule') ?? 'auto';
    // "At least" is a lower bound: the font may need more.
    const times = Math.max(linePt / (rule === 'auto' ? 12 : sizePt), 1);
    return {
      sizePt,
      isBold: runs.some((run) => this.#first(run, boldIn) ?? false),
      line: rule === 'exact' ? { pt: linePt } : { times },
      aroundPt: (Number(spacing('w:before') ?? 0) + Number(spacing('w:after') ?? 0)) / 20,
      indentPt: (indent('w:left', 'w:start') + indent('w:right', 'w:end')) / 20,
      hangs: indent('w:hanging') > 0,
    };
  }

  /** The size of a run, or of a paragraph that has none. */
  sizePt(element: XmlElement): number {
    const halfPoints = this.#first(element, (owner) => owner.child('w:rPr', 'w:sz')?.attribute('w:val'));
    return Number(halfPoints ?? 20) / 2;
  }

  /** Looks a property up where Word does: in the run, its style, the paragraph, its style, and the defaults. */
  #first<T>(element: XmlElement, read: (owner: XmlElement) => T | undefined): T | undefined {
    const { paragraph } = element;
    const ofRun = element === paragraph ? [] : [element, ...this.#styled(element, 'w:rPr', 'w:rStyle')];
    const ofParagraph =
      paragraph === undefined ? [] : [paragraph, ...this.#styled(paragraph, 'w:pPr', 'w:pStyle')];
    for (const owner of [...ofRun, ...ofParagraph, ...this.#defaults]) {
      const found = read(owner);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The style of an element, the one that it is based on, and so on. Only paragraphs have one by default. */
  #styled(element: XmlElement, ...property: readonly string[]): XmlElement[] {
    const otherwise = element.paragraph === element ? this.#normal : undefined;
    const found: XmlElement[] = [];
    let style = this.#styles.get(element.child(...property)?.attribute('w:val') ?? otherwise);
    // Word follows at most ten levels; this also ends cycles.
    while (style !== undefined && found.length <= 10) {
      found.push(style);
      style = this.#styles.get(style.child('w:basedOn')?.attribute('w:val'));
    }
    return found;
  }
}

const isOn = (value: string | undefined): boolean => /^(?:1|true|on)$/.test(value ?? '');

function boldIn(owner: XmlElement): boolean | undefined {
  const bold = owner.child('w:rPr', 'w:b');
  return bold && isOn(bold.attribute('w:val') ?? 'on');
}

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

/** Properties specified in one place; absent ones are inherited. */
type Written = Partial<{
  size: number;
  bold: boolean;
  before: number;
  after: number;
  line: number;
  lineRule: string;
  left: number;
  right: number;
  hanging: number;
}>;

// Word's defaults (ECMA-376 part 1, 17.3.2.38 and 17.3.1.33): 10 points, single line spacing.
const word: Required<Written> = {
  size: 20,
  bold: false,
  before: 0,
  after: 0,
  line: 240,
  lineRule: 'auto',
  left: 0,
  right: 0,
  hanging: 0,
};

/** The styles of a document. The XML is `word/styles.xml`, or empty. */
export class TextStyles {
  readonly #defaults: Written;
  readonly #styles = new Map<
    string | undefined,
    { readonly basedOn: string | undefined; readonly written: Written }
  >();
  readonly #normal: string | undefined;

  constructor(stylesXml: string) {
    const tree = xmlTree(stylesXml);
    const [defaults] = tree.all('w:docDefaults');
    const [ofParagraph, ofRun] = [defaults?.child('w:pPrDefault'), defaults?.child('w:rPrDefault')];
    this.#defaults = writtenIn(ofParagraph?.child('w:pPr'), ofRun?.child('w:rPr'));
    for (const style of tree.all('w:style')) {
      const id = style.attribute('w:styleId');
      const written = writtenIn(style.child('w:pPr'), style.child('w:rPr'));
      this.#styles.set(id, { basedOn: style.child('w:basedOn')?.attribute('w:val'), written });
      const isDefault = /^(?:1|true|on)$/.test(style.attribute('w:default') ?? '');
      if (isDefault && style.attribute('w:type') === 'paragraph') this.#normal = id;
    }
  }

  /** The format of a paragraph, with the size of its largest run. */
  format(paragraph: XmlElement): TextFormat {
    const runs = paragraph.all('w:r').map((run) => this.#ofRun(run));
    const all = { ...word, ...this.#inherited(paragraph), ...writtenIn(paragraph.child('w:pPr')) };
    const largest = runs.reduce((most, { size = all.size }) => Math.max(most, size), 0) || all.size;
    return {
      sizePt: largest / 2,
      isBold: runs.some(({ bold }) => bold ?? all.bold),
      line: all.lineRule === 'exact' ? { pt: all.line / 20 } : { times: lineTimes(all) },
      aroundPt: (all.before + all.after) / 20,
      indentPt: (all.left + all.right) / 20,
      hangs: all.hanging > 0,
    };
  }

  /** The size of one run in the paragraph. */
  sizePt(paragraph: XmlElement, run: XmlElement): number {
    return (this.#ofRun(run).size ?? this.#inherited(paragraph).size ?? word.size) / 2;
  }

  #inherited(paragraph: XmlElement): Written {
    const style = paragraph.child('w:pPr', 'w:pStyle')?.attribute('w:val') ?? this.#normal;
    return { ...this.#defaults, ...this.#of(style) };
  }

  #ofRun(run: XmlElement): Written {
    const style = run.child('w:rPr', 'w:rStyle')?.attribute('w:val');
    return { ...this.#of(style), ...writtenIn(undefined, run.child('w:rPr')) };
  }

  #of(id: string | undefined, depth = 0): Written {
    const style = id === undefined ? undefined : this.#styles.get(id);
    // Word follows at most ten levels; this also ends cycles.
    if (style === undefined || depth > 10) return {};
    return { ...this.#of(style.basedOn, depth + 1), ...style.written };
  }
}

// "At least" is a lower bound: the font may need more.
function lineTimes({ line, lineRule, size }: Required<Written>): number {
  return lineRule === 'auto' ? Math.max(line / 240, 1) : Math.max(line / 20 / (size / 2), 1);
}

/** What the properties of a paragraph and of a run specify. */
function writtenIn(ofParagraph?: XmlElement, ofRun?: XmlElement): Written {
  const number = (element: XmlElement | undefined, ...names: readonly string[]): number | undefined =>
    names.map((name) => element?.attribute(`w:${name}`)).flatMap((value) => (value ? Number(value) : []))[0];
  const [spacing, indent] = [ofParagraph?.child('w:spacing'), ofParagraph?.child('w:ind')];
  const bold = ofRun?.child('w:b');
  const written: { [Name in keyof Written]: Written[Name] | undefined } = {
    size: number(ofRun?.child('w:sz'), 'val'),
    bold: bold && !/^(?:0|false|off)$/.test(bold.attribute('w:val') ?? ''),
    before: number(spacing, 'before'),
    after: number(spacing, 'after'),
    line: number(spacing, 'line'),
    lineRule: spacing?.attribute('w:lineRule'),
    left: number(indent, 'left', 'start'),
    right: number(indent, 'right', 'end'),
    hanging: number(indent, 'hanging'),
  };
  return Object.fromEntries(Object.entries(written).filter(([, value]) => value !== undefined));
}

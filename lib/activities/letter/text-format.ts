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

/** The paragraph styles of a document. The XML is `word/styles.xml`, or empty. */
export class TextStyles {
  readonly #defaults: Written;
  readonly #styles = new Map<string, { readonly basedOn: string | undefined; readonly written: Written }>();
  readonly #normal: string | undefined;

  constructor(stylesXml: string) {
    this.#defaults = writtenIn(/<w:docDefaults>.*?<\/w:docDefaults>/s.exec(stylesXml)?.[0] ?? '');
    let normal: string | undefined;
    for (const [style, attributes = ''] of stylesXml.matchAll(/<w:style\s([^>]*)>.*?<\/w:style>/gs)) {
      const id = /w:styleId="([^"]*)"/.exec(attributes)?.[1];
      if (id === undefined) continue;
      const basedOn = /<w:basedOn\s+w:val="([^"]*)"/.exec(style)?.[1];
      this.#styles.set(id, { basedOn, written: writtenIn(style) });
      if (/w:type="paragraph"/.test(attributes) && /w:default="(?:1|true|on)"/.test(attributes)) normal = id;
    }
    this.#normal = normal;
  }

  /** The format of a paragraph, with the size of its largest run. */
  format(paragraph: string): TextFormat {
    const properties = /<w:pPr>.*?<\/w:pPr>/s.exec(paragraph)?.[0] ?? '';
    const styleId = /<w:pStyle\s+w:val="([^"]*)"/.exec(properties)?.[1] ?? this.#normal;
    const style = this.#of(styleId);
    const ofParagraph = writtenIn(properties.replace(/<w:rPr>.*?<\/w:rPr>/gs, ''));
    const runs = runsOf(paragraph).map((run) => ({ ...this.#of(run.styleId), ...run.written }));
    const all = { ...word, ...this.#defaults, ...style, ...ofParagraph };
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
  sizePt(paragraph: string, runProperties: string): number {
    const run = writtenIn(runProperties).size ?? this.#of(runStyle(runProperties)).size;
    if (run !== undefined) return run / 2;
    const styleId = /<w:pStyle\s+w:val="([^"]*)"/.exec(paragraph)?.[1] ?? this.#normal;
    return (this.#of(styleId).size ?? this.#defaults.size ?? word.size) / 2;
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

function runsOf(paragraph: string): { styleId: string | undefined; written: Written }[] {
  return [...paragraph.matchAll(runStart)].map(([, properties = '']) => ({
    styleId: runStyle(properties),
    written: writtenIn(properties),
  }));
}

const runStart = /<w:r(?:\s[^>]*)?>\s*(?:(<w:rPr>.*?<\/w:rPr>)|<w:rPr\/>)?/gs;

const runStyle = (properties: string): string | undefined =>
  /<w:rStyle\s+w:val="([^"]*)"/.exec(properties)?.[1];

function writtenIn(xml: string): Written {
  const spacing = /<w:spacing\s([^>]*)>/.exec(xml)?.[1] ?? '';
  const indent = /<w:ind\s([^>]*)>/.exec(xml)?.[1] ?? '';
  const bold = /<w:b(?:\s+w:val="([^"]*)")?\s*\/>/.exec(xml);
  const written: { [Name in keyof Written]: Written[Name] | undefined } = {
    size: numberOf(/<w:sz\s+w:val="(\d+)"/.exec(xml)?.[1]),
    bold: bold === null ? undefined : !/^(?:0|false|off)$/.test(bold[1] ?? ''),
    before: attribute(spacing, 'before'),
    after: attribute(spacing, 'after'),
    line: attribute(spacing, 'line'),
    lineRule: /w:lineRule="(\w+)"/.exec(spacing)?.[1],
    left: attribute(indent, 'left') ?? attribute(indent, 'start'),
    right: attribute(indent, 'right') ?? attribute(indent, 'end'),
    hanging: attribute(indent, 'hanging'),
  };
  return Object.fromEntries(Object.entries(written).filter(([, value]) => value !== undefined)) as Written;
}

const attribute = (attributes: string, name: string): number | undefined =>
  numberOf(new RegExp(`w:${name}="(-?\\d+)"`).exec(attributes)?.[1]);

const numberOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number(text);

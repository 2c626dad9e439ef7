const paragraphNames = new Set(['w:p', 'a:p']);

/** An element of well-formed XML, with its place in it. */
export class XmlElement {
  readonly name: string;
  readonly parent: XmlElement | undefined;
  /** The innermost paragraph that the element is in, or is: a text box has its own, inside that of its anchor. */
  readonly paragraph: XmlElement | undefined;
  readonly children: XmlElement[] = [];
  readonly start: number;
  /** Where the content begins, and ends; both are the end of an element that has none. */
  readonly contentStart: number;
  contentEnd: number;
  end: number;
  readonly #xml: string;

  constructor(xml: string, name: string, place: { start: number; end: number }, parent?: XmlElement) {
    this.#xml = xml;
    this.name = name;
    this.parent = parent;
    this.paragraph = paragraphNames.has(name) ? this : parent?.paragraph;
    this.start = place.start;
    this.contentStart = this.contentEnd = this.end = place.end;
  }

  get xml(): string {
    return this.#xml.slice(this.start, this.end);
  }

  get content(): string {
    return this.#xml.slice(this.contentStart, this.contentEnd);
  }

  attribute(name: string): string | undefined {
    const tag = this.#xml.slice(this.start, this.contentStart);
    return new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1];
  }

  /** The first child of that name, its first child of the next name, and so on. */
  child(...names: readonly string[]): XmlElement | undefined {
    const [name, ...others] = names;
    const found = this.children.find((each) => each.name === name);
    return others.length === 0 ? found : found?.child(...others);
  }

  /** All elements of these names below this one, in the order of the document. */
  all(...names: readonly string[]): XmlElement[] {
    const found: XmlElement[] = [];
    // No recursion: XML can be nested a hundred thousand deep.
    const left = this.children.toReversed();
    for (let each = left.pop(); each !== undefined; each = left.pop()) {
      if (names.includes(each.name)) found.push(each);
      for (const child of each.children.toReversed()) left.push(child);
    }
    return found;
  }
}

/** An element of no name around the elements of the XML. */
export function xmlTree(xml: string): XmlElement {
  const root = new XmlElement(xml, '', { start: 0, end: 0 });
  let open = root;
  for (const { index, 0: tag, 1: closing, 2: name = '', 3: empty } of xml.matchAll(
    /<(\/?)([\w:.-]+)(?:\s[^<>]*?)?(\/?)>/g,
  )) {
    const place = { start: index, end: index + tag.length };
    if (closing === '/') {
      open.contentEnd = place.start;
      open.end = place.end;
      open = open.parent ?? root;
    } else {
      const child = new XmlElement(xml, name, place, open);
      open.children.push(child);
      if (empty !== '/') open = child;
    }
  }
  return root;
}

import { dirname, join } from 'node:path/posix';
import type PizZip from 'pizzip';
import { templateRejection } from './template-rejection.ts';
import { type Document, elements, parsedXml, plainText, remove, writtenXml } from './xml-tree.ts';
import { isComments, isXml } from './template-zip.ts';

const contentTypesPath = '[Content_Types].xml';

/** The parts of a template as trees, each parsed once. */
export class TemplateParts {
  readonly #zip: PizZip;
  readonly #trees = new Map<string, Document>();
  readonly #changed = new Set<string>();

  /** @throws InvalidTemplateError if the XML of a part is not well-formed */
  constructor(zip: PizZip) {
    this.#zip = zip;
    for (const part of Object.values(zip.files)) {
      if (part.dir || !isXml(part)) continue;
      const xml = part.asText();
      const tree = parsedPart(part.name, xml);
      this.#trees.set(part.name, tree);
      // docxtemplater fills neither.
      if (/<!(?:--|\[CDATA\[)/.test(xml) && plainText(tree)) this.#changed.add(part.name);
    }
  }

  /** Of all parts, also those that are not XML. */
  get names(): string[] {
    return Object.values(this.#zip.files)
      .filter(({ dir }) => !dir)
      .map(({ name }) => name);
  }

  get trees(): IterableIterator<[name: string, tree: Document]> {
    return this.#trees.entries();
  }

  /** Body, headers, footers, notes, and whatever else has text of Word: not the comments, which are nobody's letter. */
  get texts(): [name: string, tree: Document][] {
    return [...this.trees].filter(
      ([name]) =>
        /^word\/[^/]*\.xml$/.test(name) &&
        !isComments({ name }) &&
        !/^word\/(?:styles|settings)\.xml$/.test(name),
    );
  }

  tree(name: string): Document | undefined {
    return this.#trees.get(name);
  }

  /** The relationships of a part, by id. */
  relationships(name: string): ReadonlyMap<string, Relationship> {
    const tree = this.tree(relationshipsPath(name));
    const all = tree === undefined ? [] : elements(tree, 'Relationship');
    return new Map(
      all.map((each) => [
        each.getAttribute('Id') ?? '',
        {
          type: each.getAttribute('Type')?.replace(/^.*\//, '') ?? '',
          target: each.getAttribute('Target') ?? '',
          isExternal: each.getAttribute('TargetMode') === 'External',
        },
      ]),
    );
  }

  /** The part with the body: the package names it, and its name is not fixed. */
  get mainPart(): string | null {
    for (const { type, target } of this.relationships('').values()) {
      const name = target.replace(/^\//, '');
      if (type === 'officeDocument' && this.#trees.has(name)) return name;
    }
    return null;
  }

  /** Declared for the part, or for its extension (ECMA-376 part 2, 10.1.2.2). */
  contentType(name: string): string {
    const types = this.tree(contentTypesPath);
    if (types === undefined) return '';
    const declared = elements(types, 'Override').find((each) => each.getAttribute('PartName') === `/${name}`);
    const extension = name.replace(/^.*\./, '').toLowerCase();
    const general = elements(types, 'Default').find(
      (each) => each.getAttribute('Extension')?.toLowerCase() === extension,
    );
    return (declared ?? general)?.getAttribute('ContentType') ?? '';
  }

  /** Declares the type of a part by its name, and not that of any other by its extension. */
  setContentType(name: string, type: string): void {
    const types = this.tree(contentTypesPath)!;
    const former = this.contentType(name);
    for (const each of elements(types, 'Override')) {
      if (each.getAttribute('PartName') === `/${name}`) remove(each);
    }
    for (const each of elements(types, 'Default')) {
      if (each.getAttribute('ContentType') === former) each.setAttribute('ContentType', 'application/xml');
    }
    const root = types.documentElement!;
    const declared = types.createElementNS(root.namespaceURI, 'Override');
    root.appendChild(declared);
    declared.setAttribute('PartName', `/${name}`);
    declared.setAttribute('ContentType', type);
    this.markChanged(contentTypesPath);
  }

  removeRelationships(name: string, ids: ReadonlySet<string>): void {
    const path = relationshipsPath(name);
    const tree = this.tree(path);
    if (tree === undefined || ids.size === 0) return;
    for (const each of elements(tree, 'Relationship')) {
      if (ids.has(each.getAttribute('Id') ?? '')) remove(each);
    }
    this.markChanged(path);
  }

  /**
   * Removes the parts to which no relationships lead from the package: no program shows them, and Word does not save them.
   * @returns their names, without the files of their relationships
   */
  removeUnreachable(): string[] {
    const reached = this.#reachable();
    const gone = new Set(
      this.names.filter((name) => {
        const [, folder = '', of] = /^(.*?)_rels\/([^/]*)\.rels$/.exec(name) ?? [];
        return name !== contentTypesPath && !reached.has(of === undefined ? name : `${folder}${of}`);
      }),
    );
    for (const name of gone) {
      this.#zip.remove(name);
      this.#trees.delete(name);
      this.#changed.delete(name);
    }
    const types = this.tree(contentTypesPath);
    for (const each of types === undefined ? [] : elements(types, 'Override')) {
      if (!gone.has(each.getAttribute('PartName')?.slice(1) ?? '')) continue;
      remove(each);
      this.markChanged(contentTypesPath);
    }
    return [...gone].filter((name) => !name.endsWith('.rels'));
  }

  /** The names of the parts to which relationships lead, and the empty one of the package. */
  #reachable(): Set<string> {
    const names = new Map(this.names.map((name) => [comparable(name), name]));
    const reached = new Set(['']);
    // A set is iterated in the order in which it grows.
    for (const from of reached) {
      for (const { target, isExternal } of this.relationships(from).values()) {
        const part = isExternal ? undefined : names.get(comparable(partAt(from, target)));
        if (part !== undefined) reached.add(part);
      }
    }
    return reached;
  }

  /** The bytes of a part, one character each. */
  latin1(name: string): string {
    return this.#zip.file(name)?.asBinary() ?? '';
  }

  /** Removes the notes of the zip archive and its entries. @returns the notes */
  removeNotes(): string[] {
    return [this.#zip, ...Object.values(this.#zip.files)].flatMap((each) => {
      // Not in the types of PizZip 3.3.0.
      const comment: unknown = Reflect.get(each, 'comment');
      Object.assign(each, { comment: null });
      return typeof comment === 'string' && comment !== '' ? [comment] : [];
    });
  }

  markChanged(name: string): void {
    this.#changed.add(name);
  }

  /** Writes the changed parts into the file; others keep their compressed bytes. */
  write(): void {
    for (const name of this.#changed) this.#zip.file(name, writtenXml(this.#trees.get(name)!));
    this.#changed.clear();
  }
}

export interface Relationship {
  /** The last word of its type, such as `hyperlink`. */
  readonly type: string;
  readonly target: string;
  readonly isExternal: boolean;
}

/** `word/document.xml` has its relationships in `word/_rels/document.xml.rels`, the package in `_rels/.rels`. */
const relationshipsPath = (name: string): string => name.replace(/([^/]*)$/, '_rels/$1.rels');

/** The part that a relationship of another part names: `media/a.png` of `word/document.xml` is `word/media/a.png`. */
const partAt = (name: string, target: string): string =>
  target.startsWith('/') ? target.slice(1) : join(dirname(name), target);

/** Names differ neither by case nor by percent-encoding (ECMA-376 part 2). */
function comparable(name: string): string {
  try {
    return decodeURIComponent(name).toLowerCase();
  } catch {
    return name.toLowerCase();
  }
}

function parsedPart(name: string, xml: string): Document {
  try {
    return parsedXml(xml);
  } catch (cause) {
    throw templateRejection(
      `The part ${name} is not well-formed XML; open the template in Word and save it.`,
      {
        cause,
      },
    );
  }
}

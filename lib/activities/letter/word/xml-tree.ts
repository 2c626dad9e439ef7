import {
  type Document,
  DOMParser,
  type Element,
  type Node,
  onErrorStopParsing,
  XMLSerializer,
} from '@xmldom/xmldom';

export type { Document, Element } from '@xmldom/xmldom';

/** @throws Error if the XML is not well-formed, with its line and the reason; expands no entities but those of XML */
export const parsedXml = (xml: string): Document =>
  new DOMParser({ onError: onErrorStopParsing }).parseFromString(xml, 'text/xml');

export const writtenXml = (tree: Document): string => new XMLSerializer().serializeToString(tree);

const elementNode = 1;
const isElement = (node: Node): node is Element => node.nodeType === elementNode;

/** The elements directly below a node; with names, only those. Names have their prefix: `w:p`. */
export function children(parent: Node, ...names: readonly string[]): Element[] {
  const found: Element[] = [];
  for (let node = parent.firstChild; node !== null; node = node.nextSibling) {
    if (isElement(node) && (names.length === 0 || names.includes(node.nodeName))) found.push(node);
  }
  return found;
}

export const child = (parent: Node, name: string): Element | undefined => children(parent, name)[0];

/** What is at the end of a path of names below a node. */
export const below = (parent: Node, ...path: readonly string[]): Element | undefined =>
  path.reduce<Element | undefined>((at, name) => at && child(at, name), parent as Element);

/** All elements with these names below a node, in the order of the text. */
export function elements(from: Node, ...names: readonly string[]): Element[] {
  const found: Element[] = [];
  for (const node of walk(from)) if (names.includes(node.nodeName)) found.push(node);
  return found;
}

/** All elements below a node, in the order of the text. `enters` says below which of them to go on. */
export function* walk(from: Node, enters: (element: Element) => boolean = () => true): Generator<Element> {
  // Not recursive: a template may nest as deep as its limit of elements.
  let node = from.firstChild;
  let [parent, above]: [Node | null, Node[]] = [from, []];
  while (node !== null) {
    if (isElement(node)) {
      const [next, inside] = [node.nextSibling, node];
      yield inside;
      // What the caller has taken out of the tree is not entered.
      if (inside.parentNode === parent && inside.firstChild !== null && enters(inside)) {
        above.push(parent);
        parent = inside;
        node = inside.firstChild;
        continue;
      }
      node = inside.parentNode === parent ? inside.nextSibling : next;
    } else {
      node = node.nextSibling;
    }
    while (node === null && above.length > 0) {
      node = parent.nextSibling;
      parent = above.pop()!;
    }
  }
}

/** The nearest element around a node that has this name. */
export function around(node: Node, name: string): Element | undefined {
  for (let at = node.parentNode; at !== null; at = at.parentNode) {
    if (at.nodeName === name) return at as Element;
  }
  return undefined;
}

export const next = (element: Element): Element | undefined => sibling(element, 'nextSibling');
export const previous = (element: Element): Element | undefined => sibling(element, 'previousSibling');

function sibling(element: Element, way: 'nextSibling' | 'previousSibling'): Element | undefined {
  for (let node = element[way]; node !== null; node = node[way]) if (isElement(node)) return node;
  return undefined;
}

export const remove = (node: Node): void => void node.parentNode?.removeChild(node);

/** Inserts nodes in one step: xmldom renumbers all siblings at each insertion before one of them. */
export function insertBefore(added: Iterable<Node>, node: Node): void {
  insert(added, node.parentNode!, node);
}

export function insertAfter(added: Iterable<Node>, node: Node): void {
  insert(added, node.parentNode!, node.nextSibling);
}

function insert(added: Iterable<Node>, parent: Node, before: Node | null): void {
  const together = parent.ownerDocument!.createDocumentFragment();
  for (const each of added) together.appendChild(each);
  parent.insertBefore(together, before);
}

/** Replaces an element by what is in it. */
export function unwrap(element: Element, inside: Node = element): void {
  insertBefore([...inside.childNodes], element);
  remove(element);
}

/** A new element of Word, in the namespace of `like`: strict files have another one than transitional files. */
export function wordElement(
  like: Element,
  name: string,
  attributes: Readonly<Record<string, string>> = {},
): Element {
  const made = like.ownerDocument!.createElementNS(like.namespaceURI, name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttributeNS(like.namespaceURI, key, value);
  }
  return made;
}

const cdataNode = 4;
const commentNode = 8;

/** Makes CDATA sections text, and removes comments. @returns whether there were any */
export function plainText(tree: Document): boolean {
  const inside = [...walk(tree)].flatMap(({ childNodes }) => [...childNodes]);
  const special = inside.filter(({ nodeType }) => nodeType === cdataNode || nodeType === commentNode);
  for (const node of special) {
    if (node.nodeType === cdataNode) insertBefore([tree.createTextNode(node.nodeValue ?? '')], node);
    remove(node);
  }
  return special.length > 0;
}

export const textOf = (node: Node): string => node.textContent ?? '';

/** Whether Word takes an element that is a switch as on: `<w:b/>`, and not `<w:b w:val="0"/>`. */
export const isOn = (element: Element | undefined): boolean =>
  element !== undefined && !/^(?:0|false|off)$/.test(element.getAttribute('w:val') ?? 'on');

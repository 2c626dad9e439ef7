import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Language, Parser, type Node } from 'web-tree-sitter';

// The Bicep compiler is not available from npm or Debian. This module parses the language with its tree-sitter grammar
// and provides what the checks need; the pipelines build and lint with the real compiler.

await Parser.init();
const grammar = await Language.load(
  fileURLToPath(import.meta.resolve('tree-sitter-bicep/tree-sitter-bicep.wasm')),
);

export type DeclarationKind = 'param' | 'var' | 'resource' | 'module' | 'output' | 'type' | 'func' | 'import';

export interface Declaration {
  readonly kind: DeclarationKind;
  readonly name: string;
  readonly node: Node;
  /** A parameter that a caller must pass. */
  readonly required: boolean;
}

export interface BicepFile {
  readonly path: string;
  readonly text: string;
  readonly root: Node;
  readonly declarations: readonly Declaration[];
  /** `line: text` of everything the grammar could not parse. */
  readonly syntaxFaults: readonly string[];
}

const kinds: Record<string, DeclarationKind> = {
  parameter_declaration: 'param',
  variable_declaration: 'var',
  resource_declaration: 'resource',
  module_declaration: 'module',
  output_declaration: 'output',
  type_declaration: 'type',
  user_defined_function: 'func',
};

export function readBicep(path: string): BicepFile {
  const text = readFileSync(path, 'utf8');
  const parser = new Parser();
  parser.setLanguage(grammar);
  const root = parser.parse(readable(path, text))?.rootNode;
  if (!root) throw new Error(`${path} could not be parsed`);
  return { path, text, root, declarations: declarationsOf(root), syntaxFaults: syntaxFaultsOf(root) };
}

// The grammar (1.1.0) supports neither the assignments of parameter files nor extension declarations; both are
// rewritten on the same line to something that is equivalent for these checks.
function readable(path: string, text: string): string {
  if (!path.endsWith('.bicepparam')) return text.replaceAll(/^extension \w+$/gm, '');
  return text.replaceAll(/^using .*$/gm, '').replaceAll(/^param (\w+) =/gm, 'var $1 =');
}

function declarationsOf(root: Node): Declaration[] {
  const declarations: Declaration[] = [];
  walk(root, (node) => {
    const kind = kinds[node.type];
    const name = node.namedChildren.find((child) => child?.type === 'identifier');
    if (!kind || !name) return;
    const hasDefault = node.children.some((child) => child?.type === '=');
    const nullable = node.namedChildren.some((child) => child?.type.startsWith('nullable'));
    declarations.push({
      kind,
      name: name.text,
      node,
      required: kind === 'param' && !hasDefault && !nullable,
    });
  });
  for (const [, names = ''] of root.text.matchAll(/^import \{([^}]*)\} from/gm)) {
    for (const name of names.split(',')) {
      declarations.push({ kind: 'import', name: name.trim(), node: root, required: false });
    }
  }
  return declarations;
}

function syntaxFaultsOf(root: Node): string[] {
  const faults: string[] = [];
  walk(root, (node) => {
    if (node.isError || node.isMissing)
      faults.push(`${node.startPosition.row + 1}: ${node.text.slice(0, 60)}`);
  });
  return faults;
}

export function walk(node: Node, visit: (node: Node) => void): void {
  visit(node);
  for (const child of node.children) if (child) walk(child, visit);
}

/** The members of an object literal by name; strings and identifiers alike. */
export function membersOf(object: Node): Map<string, Node> {
  const members = new Map<string, Node>();
  for (const property of object.namedChildren) {
    if (property?.type !== 'object_property') continue;
    const [key, value] = property.namedChildren;
    if (key && value) members.set(key.text.replaceAll("'", ''), value);
  }
  return members;
}

/** The first object literal at or under a node: the body of a declaration, also if it is conditional or in a loop. */
export function objectIn(node: Node): Node | undefined {
  let found: Node | undefined;
  walk(node, (inner) => {
    if (inner.type === 'object') found ??= inner;
  });
  return found;
}

/** The text of the first string literal directly in a node: the type of a resource, the path of a module. */
export const literalIn = (node: Node): string =>
  node.namedChildren.find((child) => child?.type === 'string')?.text.slice(1, -1) ?? '';

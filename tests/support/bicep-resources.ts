import type { Node } from 'web-tree-sitter';
import { literalIn, membersOf, walk, type BicepFile } from './bicep-file.ts';

export interface Resource {
  readonly symbol: string;
  /** `Microsoft.Web/sites@2024-11-01`; a nested resource inherits the namespace and version of its parent. */
  readonly type: string;
  readonly existing: boolean;
  readonly nested: boolean;
  readonly body: Node;
}

/** Every resource of a file: nested ones, those in loops and behind conditions, and the existing ones. */
export function resourcesIn(file: BicepFile): Resource[] {
  const resources: Resource[] = [];
  visit(file.root);
  return resources;

  function visit(node: Node, parent?: Resource): void {
    let inside = parent;
    if (node.type === 'resource_declaration') {
      inside = resourceAt(node, parent);
      resources.push(inside);
    }
    for (const child of node.namedChildren) if (child) visit(child, inside);
  }
}

function resourceAt(node: Node, parent?: Resource): Resource {
  const body = bodyOf(node.lastNamedChild);
  if (!body) throw new Error(`line ${node.startPosition.row + 1}: a resource without a body`);
  const written = literalIn(node);
  const [outerType = '', outerVersion = ''] = parent?.type.split('@') ?? [];
  const [type = '', version = outerVersion] = written.split('@');
  return {
    symbol: node.firstNamedChild?.text ?? '',
    type: parent ? `${outerType}/${type}@${version}` : written,
    existing: node.children.some((child) => child?.type === 'existing'),
    nested: parent !== undefined,
    body,
  };
}

/** The object behind conditions and loops: `if (…) {…}`, `[for … in …: {…}]`, `[for … in …: if (…) {…}]`. */
export function bodyOf(node: Node | null | undefined): Node | undefined {
  if (!node || node.type === 'object') return node ?? undefined;
  return /^(if|for)_statement$/.test(node.type) ? bodyOf(node.lastNamedChild) : undefined;
}

/**
 * The literals and objects that an expression can evaluate to, as far as the file determines them: both branches of a
 * condition, elements of arrays and loops, variables, members of a list that a loop iterates over, and the values that
 * a parameter allows. Names whose values are known only in Azure yield nothing.
 */
export function possibleValues(file: BicepFile, node: Node): Node[] {
  const through = (inner: readonly (Node | null | undefined)[]): Node[] =>
    inner.flatMap((child) => (child ? possibleValues(file, child) : []));
  switch (node.type) {
    case 'parenthesized_expression':
    case 'if_statement':
    case 'for_statement':
      return through([node.lastNamedChild]);
    case 'ternary_expression':
      return through(node.namedChildren.slice(1));
    case 'array':
      return through(node.namedChildren);
    case 'identifier':
      return through(declaredValues(file, node.text));
    case 'member_expression':
      return through(membersOfLoopVariable(file, node));
    default:
      return [node];
  }
}

function declaredValues(file: BicepFile, name: string): readonly (Node | null | undefined)[] {
  const declared = file.declarations.find((declaration) => declaration.name === name);
  if (declared?.kind === 'var') return [declared.node.lastNamedChild];
  return declared?.kind === 'param' ? allowedValues(declared.node) : [];
}

/** The arguments of a parameter's decorator `@allowed([…])`. */
function allowedValues(parameter: Node): (Node | null)[] {
  const decorators = parameter.previousNamedSibling;
  if (decorators?.type !== 'decorators') return [];
  const values: (Node | null)[] = [];
  walk(decorators, (node) => {
    if (node.type === 'call_expression' && node.firstNamedChild?.text === 'allowed') {
      values.push(...(node.lastNamedChild?.firstNamedChild?.namedChildren ?? []));
    }
  });
  return values;
}

/** `alert.severity` inside a loop `for alert in alerts`, where `alerts` is a variable with a list. */
function membersOfLoopVariable(file: BicepFile, node: Node): (Node | undefined)[] {
  const [variable, member] = node.namedChildren;
  for (let around = node.parent; around; around = around.parent) {
    const [name, list] = around.namedChildren;
    if (around.type !== 'for_statement' || !list || name?.text !== variable?.text) continue;
    return possibleValues(file, list).map((item) =>
      item.type === 'object' ? membersOf(item).get(member?.text ?? '') : undefined,
    );
  }
  return [];
}

export interface Use {
  readonly resource: Resource;
  /** The path of the property that is read, e.g. `['properties', 'vaultUri']`. */
  readonly path: readonly string[];
  readonly line: number;
}

/** Every place where a property of a resource is read: `vault.properties.vaultUri`, `zones[i].id`, `vnet::app.id`. */
export function usesOf(file: BicepFile, resources: readonly Resource[]): Use[] {
  const bySymbol = new Map(resources.map((resource) => [resource.symbol, resource]));
  const uses: Use[] = [];
  walk(file.root, (node) => {
    const inner = node.parent?.type === 'member_expression' && node.parent.firstNamedChild?.id === node.id;
    if (node.type !== 'member_expression' || inner) return;
    const path: string[] = [];
    let root: Node | null = node;
    for (; root?.type === 'member_expression'; root = root.firstNamedChild) {
      path.unshift(root.lastNamedChild?.text ?? '');
    }
    if (root?.type === 'subscript_expression') root = root.firstNamedChild;
    if (root?.type === 'resource_expression') root = root.lastNamedChild;
    const resource = root?.type === 'identifier' ? bySymbol.get(root.text) : undefined;
    if (resource) uses.push({ resource, path, line: node.startPosition.row + 1 });
  });
  return uses;
}

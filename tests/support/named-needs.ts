import { readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { repositoryRoot } from '../../release/repository-root.ts';
import { childrenOf, isNode, syntaxTree, type Node } from './syntax-tree.ts';

// Which needs of a machine (agent/smb/tests/support/needs.ts) each test has by the functions that it calls, and which of them it names.

interface Module {
  /** By name: what is declared on its top level. */
  readonly declared: ReadonlyMap<string, Node>;
  /** By local name: the module and the name there. */
  readonly imported: ReadonlyMap<string, readonly [path: string, name: string]>;
  readonly body: readonly Node[];
}

const modules = new Map<string, Module>();

function moduleAt(path: string, text?: string): Module {
  const known = modules.get(path);
  if (known) return known;
  const code = text ?? readFileSync(join(repositoryRoot, path), 'utf8');
  const declared = new Map<string, Node>();
  const imported = new Map<string, readonly [string, string]>();
  const body = syntaxTree(code, path)['body'] as Node[];
  for (const statement of body) {
    const { source } = statement;
    const from = isNode(source) ? String(source['value']) : '';
    if (statement.type === 'ImportDeclaration' && statement['importKind'] !== 'type') {
      if (!from.startsWith('.')) continue;
      const target = posix.normalize(posix.join(dirname(path), from));
      for (const one of statement['specifiers'] as Node[]) {
        const original = isNode(one['imported']) ? String(one['imported']['name']) : 'default';
        imported.set(nameOf(one['local']), [target, original]);
      }
      continue;
    }
    const declaration = isNode(statement['declaration']) ? statement['declaration'] : statement;
    for (const one of (declaration['declarations'] as Node[] | undefined) ?? [declaration])
      if (isNode(one['id'])) declared.set(nameOf(one['id']), one);
  }
  const module = { declared, imported, body };
  modules.set(path, module);
  return module;
}

const nameOf = (node: unknown): string =>
  isNode(node) && typeof node['name'] === 'string' ? node['name'] : '';

const strings = (nodes: unknown): string[] =>
  (Array.isArray(nodes) ? nodes : []).flatMap((each) =>
    isNode(each) && each.type === 'Literal' ? String(each['value']) : [],
  );

// Only these start foreign programs.
const isOfTests = (path: string): boolean => /^(?:agent\/smb\/)?tests\/.*\.ts$/.test(path);

const known = new Map<string, ReadonlySet<string>>();

/** The needs of a name of a module; none of one that is being looked at, which calls itself. */
function needsOf(path: string, name: string): ReadonlySet<string> {
  const key = `${path} ${name}`;
  const found = known.get(key);
  if (found) return found;
  known.set(key, new Set());
  const declaration = isOfTests(path) ? moduleAt(path).declared.get(name) : undefined;
  const needs = declaration ? needsIn(path, declaration) : new Set<string>();
  known.set(key, needs);
  return needs;
}

/** The needs of a part of a module, and of all that it calls; what asks `has('…')` first does without. */
function needsIn(path: string, part: Node): ReadonlySet<string> {
  const found = new Set<string>();
  const optional = new Set<string>();
  const { declared, imported } = moduleAt(path);
  const visit = (node: Node): void => {
    const called = node.type === 'CallExpression' ? nameOf(node['callee']) : '';
    if (called === 'programPath') for (const need of strings(node['arguments']).slice(0, 1)) found.add(need);
    if (called === 'has') for (const need of strings(node['arguments'])) optional.add(need);
    if (node.type === 'Identifier') {
      const name = nameOf(node);
      const place = imported.get(name) ?? (declared.has(name) ? ([path, name] as const) : undefined);
      if (place) for (const need of needsOf(...place)) found.add(need);
    }
    for (const child of childrenOf(node)) visit(child);
  };
  visit(part);
  return found.difference(optional);
}

/** `test`, `describe` or a hook, however it is written, and the needs that it names. */
interface Group {
  readonly kind: string;
  readonly needs: readonly string[];
}

const isFunction = (node: unknown): node is Node =>
  isNode(node) && ['ArrowFunctionExpression', 'FunctionExpression'].includes(node.type);

/** The needs that each test of a file has without naming them, as `need: title`. */
export function unnamedNeeds(path: string, text?: string): string[] {
  const { body } = moduleAt(path, text);
  const bound = new Map<string, readonly string[]>();
  for (const statement of body) {
    for (const one of (statement['declarations'] as Node[] | undefined) ?? []) {
      const { init, id } = one;
      if (!isNode(init) || nameOf(init['callee']) !== 'requires' || !isNode(id)) continue;
      for (const property of (id['properties'] as Node[] | undefined) ?? [])
        bound.set(nameOf(property['key']), strings(init['arguments']));
    }
  }

  /** Of `test(…)`, `test.each(…)(…)`, `requires('…').test(…)`; undefined for another call. */
  const groupOf = (callee: unknown): Group | undefined => {
    if (!isNode(callee)) return undefined;
    const name = nameOf(callee);
    if (/^(?:test|describe|before(?:All|Each))$/.test(name))
      return { kind: name, needs: bound.get(name) ?? [] };
    const { object, property } = callee;
    if (callee.type === 'CallExpression' && isNode(callee['callee'])) {
      return ['each', 'for'].includes(nameOf(callee['callee']['property']))
        ? groupOf(callee['callee']['object'])
        : undefined;
    }
    const isRequired = isNode(object) && nameOf(object['callee']) === 'requires';
    return isRequired ? { kind: nameOf(property), needs: strings(object['arguments']) } : undefined;
  };

  const unnamed: string[] = [];
  /** @returns the needs that every test in it names */
  const visit = (node: Node, named: ReadonlySet<string>): ReadonlySet<string> | undefined => {
    const group = node.type === 'CallExpression' ? groupOf(node['callee']) : undefined;
    if (!group) {
      let common: ReadonlySet<string> | undefined;
      for (const child of childrenOf(node)) {
        const needs = visit(child, named);
        common = needs && common ? common.intersection(needs) : (common ?? needs);
      }
      return common;
    }
    const parts = node['arguments'] as Node[];
    const title = strings(parts)[0] ?? group.kind;
    const use = parts.find(isFunction);
    if (!use) return undefined;
    const now = named.union(new Set(group.needs));
    if (group.kind === 'describe') {
      const common = visit(use, now);
      reportHooks(path, use, common ?? now);
      return common;
    }
    if (group.kind !== 'test') return undefined;
    for (const need of needsIn(path, use).difference(now)) unnamed.push(`${need}: ${title}`);
    return now;
  };
  /** A hook runs if one of the tests beside it does. */
  const reportHooks = (path: string, scope: Node, named: ReadonlySet<string>): void => {
    for (const call of hooksIn(scope)) {
      const use = (call['arguments'] as Node[]).find(isFunction);
      if (!use) continue;
      for (const need of needsIn(path, use).difference(named))
        unnamed.push(`${need}: ${nameOf(call['callee'])}`);
    }
  };
  const hooksIn = (node: Node): Node[] =>
    childrenOf(node).flatMap((child) => {
      const group = child.type === 'CallExpression' ? groupOf(child['callee']) : undefined;
      if (group?.kind.startsWith('before')) return child;
      return group ? [] : hooksIn(child);
    });
  const file: Node = { type: 'Program', start: 0, end: 0, body };
  const common = visit(file, new Set());
  reportHooks(path, file, common ?? new Set());
  return unnamed;
}

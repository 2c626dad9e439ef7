import { permissions } from '../../lib/callers/roles.ts';
import { childrenOf, isNode, syntaxTree, type Node } from './syntax-tree.ts';

/** One guard of a file. */
export interface Omission {
  readonly line: number;
  /** Its first line. */
  readonly guard: string;
  /** The file without it. */
  readonly without: string;
}

/** Whether what follows a statement is not reached after it. */
function isLeaving(statement: unknown): boolean {
  if (!isNode(statement)) return false;
  if (statement.type !== 'BlockStatement')
    return ['ThrowStatement', 'ReturnStatement', 'ContinueStatement'].includes(statement.type);
  return isLeaving((statement['body'] as Node[]).at(-1));
}

/** What replaces a part of the text; undefined for a node that is no guard. */
interface Edit {
  readonly part: Node;
  readonly by: string;
}

const everyRole = `[${permissions.map((name) => `'${name}'`).join(', ')}]`;

/** What a property of this name becomes when it guards nothing. */
const openValues: Readonly<Record<string, string>> = {
  redirect: "'follow'",
  authLevel: "'anonymous'",
  anyOf: everyRole,
};

function editOf(node: Node, text: string): Edit | undefined {
  const nameOf = (key: unknown): string => (isNode(key) ? text.slice(key.start, key.end) : '');
  switch (node.type) {
    case 'IfStatement':
      return !isNode(node['alternate']) && isLeaving(node['consequent'])
        ? { part: node, by: ';' }
        : undefined;
    case 'Property': {
      const { value } = node;
      const by = openValues[nameOf(node['key'])];
      const isGiven = isNode(value) && ['Literal', 'ArrayExpression'].includes(value.type);
      return isGiven && by !== undefined ? { part: value, by } : undefined;
    }
    case 'TryStatement': {
      const { finalizer } = node;
      return isNode(finalizer) ? { part: finalizer, by: '{}' } : undefined;
    }
    case 'ExpressionStatement': {
      const { expression } = node;
      return isNode(expression) && expression.type === 'AwaitExpression'
        ? { part: { ...expression, end: expression.start + 'await'.length }, by: 'void' }
        : undefined;
    }
    default:
      return undefined;
  }
}

/** The guards of a module, in its order. */
export function omissionsIn(text: string, path: string): readonly Omission[] {
  const found: (Omission & { readonly start: number })[] = [];
  const visit = (node: Node): void => {
    const edit = editOf(node, text);
    if (edit) {
      const { part, by } = edit;
      const line = text.slice(0, part.start).split('\n').length;
      found.push({
        start: part.start,
        line,
        guard: text.split('\n')[line - 1]!.trim(),
        without: text.slice(0, part.start) + by + text.slice(part.end),
      });
    }
    for (const child of childrenOf(node)) visit(child);
  };
  visit(syntaxTree(text, path));
  return found.toSorted((one, other) => one.start - other.start);
}

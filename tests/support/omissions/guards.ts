import { permissions } from '../../../lib/callers/roles.ts';
import { childrenOf, isNode, syntaxTree, type Node } from '../syntax-tree.ts';

/** One guard of a file. */
export interface Omission {
  readonly line: number;
  /** Its first line. */
  readonly guard: string;
  /** An `await` that is dropped is an error of the linter, no-floating-promises. */
  readonly isAwait: boolean;
  /** The file without it. */
  readonly without: string;
  /** What makes it a guard that can be switched off while the program runs: what is inserted where. */
  readonly switched: readonly Insertion[];
}

interface Insertion {
  readonly at: number;
  readonly text: (id: number) => string;
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
  /** The expression whose value decides, or the block that may be left out. */
  readonly decides: Node;
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
        ? { part: node, by: ';', decides: node['test'] as Node }
        : undefined;
    case 'Property': {
      const { value } = node;
      const by = openValues[nameOf(node['key'])];
      const isGiven = isNode(value) && ['Literal', 'ArrayExpression'].includes(value.type);
      return isGiven && by !== undefined ? { part: value, by, decides: value } : undefined;
    }
    case 'TryStatement': {
      const { finalizer } = node;
      return isNode(finalizer) ? { part: finalizer, by: '{}', decides: finalizer } : undefined;
    }
    case 'ExpressionStatement': {
      const { expression } = node;
      return isNode(expression) && expression.type === 'AwaitExpression'
        ? {
            part: { ...expression, end: expression.start + 'await'.length },
            by: 'void',
            decides: expression['argument'] as Node,
          }
        : undefined;
    }
    default:
      return undefined;
  }
}

function switchOf({ decides: { type, start, end }, by }: Edit): readonly Insertion[] {
  if (type === 'BlockStatement')
    return [
      { at: start + 1, text: (id) => `if (guardWorks(${id}, true)) {` },
      { at: end - 1, text: () => '}' },
    ];
  // What is left of a property is the value that guards nothing; of a condition and a promise, false.
  const otherwise = [';', 'void'].includes(by) ? '' : `, ${by}`;
  return [
    { at: start, text: (id) => `guardWorks(${id}, (` },
    { at: end, text: () => `)${otherwise})` },
  ];
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
        isAwait: by === 'void',
        without: text.slice(0, part.start) + by + text.slice(part.end),
        switched: switchOf(edit),
      });
    }
    for (const child of childrenOf(node)) visit(child);
  };
  visit(syntaxTree(text, path));
  return found.toSorted((one, other) => one.start - other.start);
}

/** What the test process and the switched modules of other processes share: two files of one run. */
export interface Switchboard {
  /** Two 32-bit integers: which test runs, and the guard that is off, or -1. */
  readonly control: string;
  /** Gets a line with the id of each guard that works in a process that a test starts, once for each test. */
  readonly programs: string;
}

/**
 * The module with a switch at each of its guards, whose ids begin with `firstId`: `guard-runner.ts` switches them, in the test
 * process by a variable, in the programs that a test starts by a file, which they read again after a millisecond. In a browser the
 * guards stay.
 */
export function switchedModule(
  text: string,
  path: string,
  firstId: number,
  { control, programs }: Switchboard,
): string {
  const insertions = omissionsIn(text, path)
    .flatMap(({ switched }, index) =>
      switched.map((each) => ({ at: each.at, text: each.text(firstId + index) })),
    )
    .toSorted((one, other) => other.at - one.at);
  let result = text;
  for (const { at, text: inserted } of insertions) result = result.slice(0, at) + inserted + result.slice(at);
  return `${result}
function guardWorks(id, value, otherwise = false) {
  if (!value) return value;
  const { guards, process, performance } = globalThis;
  if (guards) {
    guards.worked.add(id);
    return guards.off === id ? otherwise : value;
  }
  const fs = process?.getBuiltinModule?.('node:fs');
  if (!fs) return value;
  const outside = (globalThis.guardsOutside ??= { state: new Int32Array(2), atMs: -Infinity, seen: new Set() });
  const { state, seen } = outside;
  try {
    if (performance.now() - outside.atMs > 1) {
      const [test] = state;
      const file = fs.openSync(${JSON.stringify(control)});
      fs.readSync(file, state, 0, 8, 0);
      fs.closeSync(file);
      if (state[0] !== test) seen.clear();
      outside.atMs = performance.now();
    }
    if (!seen.has(id)) fs.appendFileSync(${JSON.stringify(programs)}, id + '\\n');
    seen.add(id);
  } catch {
    return value;
  }
  return state[1] === id ? otherwise : value;
}
`;
}

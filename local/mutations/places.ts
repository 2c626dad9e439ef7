import { parseAst } from 'vitest/node';

/** A place of a source file, and what a mutation writes there. */
export interface Place {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

const otherOperators: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '>=',
  '<=': '>',
  '>': '<=',
  '>=': '<',
  '+': '-',
  '-': '+',
  '*': '/',
  '&&': '||',
  '||': '&&',
  '??': '&&',
};

/** Every place of a TypeScript file at which a mutation changes what it does. */
export function placesOf(source: string): readonly Place[] {
  const places: Place[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) visit(each);
    else if (isNode(value) && !isIgnored(value)) {
      const place = placeAt(value, source);
      if (place && source.slice(place.start, place.end) !== place.text) places.push(place);
      for (const child of Object.values(value)) visit(child);
    }
  };
  visit(parseAst(source, { lang: 'ts' }));
  return places;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

/** Types, imports, and texts for people: no test depends on them, or the compiler finds the change. */
function isIgnored(node: Node): boolean {
  if (/^(TS(?!AsExpression|NonNull|Satisfies)|Import|Export(Specifier|All))/.test(node.type)) return true;
  if (node.type !== 'CallExpression') return false;
  const { property } = node['callee'] as { property?: { name?: string } };
  return ['meta', 'info', 'warn'].includes(property?.name ?? '');
}

function placeAt(node: Node, source: string): Place | undefined {
  const { start, end } = node;
  const textOf = (field: string): string => {
    const child = node[field] as Node;
    return source.slice(child.start, child.end);
  };
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression': {
      const other = otherOperators[String(node['operator'])];
      return other === undefined
        ? undefined
        : { start, end, text: `(${textOf('left')} ${other} ${textOf('right')})` };
    }
    case 'UnaryExpression':
      return node['operator'] === '!' ? { start, end, text: textOf('argument') } : undefined;
    case 'Literal':
      if (typeof node['value'] === 'boolean') return { start, end, text: String(!node['value']) };
      return typeof node['value'] === 'number'
        ? { start, end, text: `(${source.slice(start, end)} ${node['value'] < 100 ? '+ 1' : '* 2'})` }
        : undefined;
    case 'ConditionalExpression':
      return { start, end, text: `(${textOf('test')} ? ${textOf('alternate')} : ${textOf('consequent')})` };
    case 'IfStatement': {
      const test = node['test'] as Node;
      return { start: test.start, end: test.end, text: `!(${textOf('test')})` };
    }
    case 'ExpressionStatement':
      return /^(await |this\.|[\w.]+\()/.test(source.slice(start, end))
        ? { start, end, text: ';' }
        : undefined;
    default:
      return undefined;
  }
}

import type { Operation } from './operation.ts';

/**
 * The name a route is registered under: a key of its template, then the operation's id.
 *
 * The Functions host tries routes in the order of the functions' names, ignoring case, and uses the first that matches;
 * a literal has no precedence over a parameter (azure-functions-host #9876, #3153, measured on 4.1037). Therefore the
 * key has one letter per segment, `l`iteral before `p`arameter before `r`est: the more specific of two templates sorts
 * first, regardless of the operations' names.
 *
 * @throws Error for a template that contains anything else, such as a constraint or an optional parameter
 */
export function functionName({ id, route }: Pick<Operation, 'id' | 'route'>): string {
  const key = segmentsOf(route).map(({ kind }) => kind);
  return `${key.join('')}-${id}`;
}

export interface Segment {
  /** In alphabetical order, the more specific kind is first. */
  readonly kind: 'l' | 'p' | 'r';
  readonly text: string;
}

export function segmentsOf(route: string): Segment[] {
  return route.split('/').map((text, index, all) => {
    if (/^[^{}]+$/.test(text)) return { kind: 'l', text };
    if (/^\{\w+\}$/.test(text)) return { kind: 'p', text };
    if (/^\{\*\w+\}$/.test(text) && index === all.length - 1) return { kind: 'r', text };
    throw new Error(`Route "${route}": "${text}" is neither a literal nor {name}, nor {*name} at the end`);
  });
}

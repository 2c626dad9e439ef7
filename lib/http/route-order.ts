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

type Route = Pick<Operation, 'id' | 'method' | 'route'>;

/** Two routes of one method that match the same path. */
export interface RoutePair {
  /** One of the paths; `x` stands for any value. */
  readonly path: string;
  /** The route that the host tries first. */
  readonly taken: Route;
  readonly passedOver: Route;
  /** Whether the host uses the more specific route: where the two first differ, the literal before the parameter. */
  readonly isRight: boolean;
}

/**
 * Every pair of routes that can match the same path, with the route that the host uses.
 *
 * @param nameOf the names under which the functions are registered
 */
export function routePairs(routes: readonly Route[], nameOf = functionName): RoutePair[] {
  const inOrder = routes.toSorted((one, other) => byName(nameOf(one), nameOf(other)));
  return inOrder.flatMap((taken, index) =>
    inOrder.slice(index + 1).flatMap((passedOver) => {
      if (taken.method !== passedOver.method) return [];
      const [first, second] = [segmentsOf(taken.route), segmentsOf(passedOver.route)];
      const path = sharedPath(first, second);
      return path === undefined ? [] : [{ path, taken, passedOver, isRight: keyOf(first) < keyOf(second) }];
    }),
  );
}

/** @throws Error that names each pair in which the host uses the less specific route, or that nothing distinguishes */
export function rejectHiddenRoutes(routes: readonly Route[], nameOf = functionName): void {
  const faults = routePairs(routes, nameOf).filter(({ isRight }) => !isRight);
  if (faults.length === 0) return;
  const lines = faults.map(
    ({ path, taken, passedOver }) =>
      `${taken.method} ${path}: the host uses ${nameOf(taken)} (${taken.route}) and never ${nameOf(passedOver)} (${passedOver.route}).`,
  );
  throw new Error(`Routes hide each other.\n${lines.join('\n')}`);
}

interface Segment {
  /** In alphabetical order, the more specific kind is first. */
  readonly kind: 'l' | 'p' | 'r';
  readonly text: string;
}

function segmentsOf(route: string): Segment[] {
  return route.split('/').map((text, index, all) => {
    if (/^[^{}]+$/.test(text)) return { kind: 'l', text };
    if (/^\{\w+\}$/.test(text)) return { kind: 'p', text };
    if (/^\{\*\w+\}$/.test(text) && index === all.length - 1) return { kind: 'r', text };
    throw new Error(`Route "${route}": "${text}" is neither a literal nor {name}, nor {*name} at the end`);
  });
}

const keyOf = (segments: readonly Segment[]): string => segments.map(({ kind }) => kind).join('');

/** .NET's OrdinalIgnoreCase, which the host sorts by. */
function byName(one: string, other: string): number {
  const [first, second] = [one.toUpperCase(), other.toUpperCase()];
  return first < second ? -1 : first > second ? 1 : 0;
}

function sharedPath(one: readonly Segment[], other: readonly Segment[]): string | undefined {
  const path: string[] = [];
  for (let index = 0; index < Math.max(one.length, other.length); index += 1) {
    const [first, second] = [one[index], other[index]];
    if (first?.kind === 'r' || second?.kind === 'r') {
      const rest = first?.kind === 'r' ? other.slice(index) : one.slice(index);
      return [...path, ...rest.map(valueOf)].join('/');
    }
    if (!first || !second) return undefined;
    const literals = [first, second].filter(({ kind }) => kind === 'l').map(({ text }) => text.toLowerCase());
    if (new Set(literals).size > 1) return undefined;
    path.push(valueOf(first.kind === 'l' ? first : second));
  }
  return path.join('/');
}

const valueOf = ({ kind, text }: Segment): string => (kind === 'l' ? text : 'x');

import type { Operation } from '../../lib/http/operation.ts';
import { functionName, type Segment, segmentsOf } from '../../lib/http/route-order.ts';

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

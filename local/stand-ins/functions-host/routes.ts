// Route templates, matched like ASP.NET Core's RouteCollection in the Functions host: case-insensitive literals, `{name}`,
// `{name?}`, `{name:constraint}`, and a final `{*rest}`.

export interface Route<Target> {
  functionName: string;
  template: string;
  methods: readonly string[];
  target: Target;
}

interface Part {
  literal?: string;
  name: string;
  optional: boolean;
  rest: boolean;
  constraints: readonly string[];
}

const constraintPatterns: Record<string, RegExp> = {
  guid: /^\{?[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}\}?$/i,
  int: /^[+-]?\d{1,10}$/,
  long: /^[+-]?\d{1,19}$/,
  alpha: /^[a-z]+$/i,
  bool: /^(?:true|false)$/i,
};

/** @throws Error for an unsupported template, instead of matching it differently from Azure */
function parse(template: string): Part[] {
  return template.split('/').map((segment) => {
    const inner = /^\{(.*)\}$/.exec(segment)?.[1];
    if (inner === undefined) {
      if (/[{}]/.test(segment)) throw new Error(`Route "${template}": "${segment}" is not supported locally`);
      return { literal: segment.toLowerCase(), name: '', optional: false, rest: false, constraints: [] };
    }
    const [, stars, name, constraintText, mark] =
      /^(\*{0,2})([A-Za-z_]\w*)((?::[a-z]+)*)(\?)?$/.exec(inner) ?? [];
    if (name === undefined) throw new Error(`Route "${template}": "${segment}" is not supported locally`);
    const constraints = (constraintText ?? '').split(':').filter((constraint) => constraint !== '');
    for (const constraint of constraints) {
      if (!(constraint in constraintPatterns)) {
        throw new Error(`Route "${template}": constraint "${constraint}" is not supported locally`);
      }
    }
    return { name, optional: mark === '?', rest: (stars ?? '') !== '', constraints };
  });
}

/**
 * The routes of an app. They are tried in the order of their functions' names, compared without case, and the first match
 * wins: the host sorts functions by name (FunctionMetadataManager) and adds their routes in that order
 * (WebJobsRouteBuilder). A literal has no precedence over a parameter or a catch-all (azure-functions-host #9876, #3153).
 */
export class RouteTable<Target> {
  readonly #routes: { parts: Part[]; methods: ReadonlySet<string>; target: Target }[];

  constructor(routes: readonly Route<Target>[]) {
    this.#routes = routes
      .toSorted((a, b) => compareIgnoringCase(a.functionName, b.functionName))
      .map(({ template, methods, target }) => ({
        parts: parse(template),
        methods: new Set(methods.map((method) => method.toUpperCase())),
        target,
      }));
  }

  /**
   * Returns the route of a decoded path, with its parameters. As in Azure, a path that exists only with other methods is
   * not a match, nor is one with an empty segment; a catch-all accepts one after its first segment (RoutePatternMatcher).
   */
  match(method: string, path: string): { target: Target; parameters: Record<string, string> } | undefined {
    const trimmed = path.replace(/^\//, '').replace(/\/$/, '');
    const segments = trimmed === '' ? [] : trimmed.split('/');
    // Only a catch-all keeps the slash at the end.
    const end = path.length > 1 && path.endsWith('/') ? '/' : '';
    for (const { parts, methods, target } of this.#routes) {
      if (!methods.has(method)) continue;
      const parameters = matchParts(parts, segments, end);
      if (parameters) return { target, parameters };
    }
    return undefined;
  }
}

/** .NET's OrdinalIgnoreCase. */
function compareIgnoringCase(a: string, b: string): number {
  const [upperA, upperB] = [a.toUpperCase(), b.toUpperCase()];
  return upperA < upperB ? -1 : upperA > upperB ? 1 : 0;
}

const restOf = (segments: readonly string[], end: string): string =>
  segments.length === 0 ? '' : segments.join('/') + end;

function matchParts(
  parts: readonly Part[],
  segments: readonly string[],
  end: string,
): Record<string, string> | undefined {
  const checked = parts.at(-1)?.rest ? segments.slice(0, parts.length) : segments;
  if (checked.includes('')) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, part] of parts.entries()) {
    const value = part.rest ? restOf(segments.slice(index), end) : (segments[index] ?? '');
    if (part.literal !== undefined) {
      if (value.toLowerCase() !== part.literal) return undefined;
      continue;
    }
    if (value === '') {
      if (part.optional || part.rest) continue;
      return undefined;
    }
    if (!part.constraints.every((constraint) => constraintPatterns[constraint]!.test(value)))
      return undefined;
    parameters[part.name] = value;
  }
  return parts.at(-1)?.rest || segments.length <= parts.length ? parameters : undefined;
}

// Route templates as ASP.NET Core reads them in the Functions host: literals without regard to case, `{name}`,
// `{name?}`, `{name:constraint}` and a last `{*rest}`; the more specific template wins, whatever the order.

export interface Route<Target> {
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

/** @throws Error for a template that this host does not understand, rather than serving another one than Azure would */
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

export class RouteTable<Target> {
  readonly #routes: { parts: Part[]; methods: ReadonlySet<string>; target: Target; precedence: string }[];

  constructor(routes: readonly Route<Target>[]) {
    this.#routes = routes
      .map(({ template, methods, target }) => {
        const parts = parse(template);
        return {
          parts,
          methods: new Set(methods.map((method) => method.toUpperCase())),
          target,
          precedence: parts.map(precedenceOf).join(''),
        };
      })
      .sort((a, b) => (a.precedence < b.precedence ? -1 : 1));
  }

  /** The route of a path (no query), with its parameters decoded; a path that exists with other methods only is no match, as in Azure. */
  match(method: string, path: string): { target: Target; parameters: Record<string, string> } | undefined {
    const segments = path.replace(/^\//, '').replace(/\/$/, '').split('/');
    for (const { parts, methods, target } of this.#routes) {
      if (!methods.has(method)) continue;
      const parameters = matchParts(parts, segments);
      if (parameters) return { target, parameters };
    }
    return undefined;
  }
}

function precedenceOf(part: Part): string {
  if (part.literal !== undefined) return '1';
  const constrained = part.constraints.length > 0;
  if (part.rest) return constrained ? '4' : '5';
  return constrained ? '2' : '3';
}

function matchParts(parts: readonly Part[], segments: readonly string[]): Record<string, string> | undefined {
  const parameters: Record<string, string> = {};
  for (const [index, part] of parts.entries()) {
    const raw = part.rest ? segments.slice(index).join('/') : segments[index];
    if (raw === undefined || (raw === '' && !part.rest)) {
      if (part.optional) continue;
      return undefined;
    }
    const value = decodeSegment(raw);
    if (part.literal !== undefined) {
      if (value.toLowerCase() !== part.literal) return undefined;
      continue;
    }
    if (!part.constraints.every((constraint) => constraintPatterns[constraint]!.test(value)))
      return undefined;
    parameters[part.name] = value;
  }
  const last = parts.at(-1);
  return last?.rest || segments.length <= parts.length ? parameters : undefined;
}

/** Kestrel decodes everything but `%2F`, so that a slash inside a value stays inside its segment. */
function decodeSegment(segment: string): string {
  try {
    return segment
      .split(/(%2f)/i)
      .map((piece, index) => (index % 2 === 1 ? piece : decodeURIComponent(piece)))
      .join('');
  } catch {
    return segment;
  }
}

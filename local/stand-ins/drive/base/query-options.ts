import { GraphError, invalidRequest, notEmulated } from './graph-error.ts';

/** The query options of A5, by name without "$". */
type Option = 'select' | 'top' | 'skiptoken';

export type QueryOptions = Partial<Record<Option, string>>;

/**
 * Reads `$name` or `name` (A2: both are accepted, and names are case-sensitive). Rejects anything else: the real service
 * ignores some unknown names, which would hide typos.
 */
export function queryOptions(
  query: URLSearchParams,
  allowed: readonly Option[],
  others: readonly string[] = [],
): QueryOptions {
  const options: QueryOptions = {};
  for (const [name, value] of query) {
    const plain = name.startsWith('$') ? name.slice(1) : name;
    const option = allowed.find((each) => each === plain || (each === 'skiptoken' && plain === 'skipToken'));
    if (option === undefined) {
      if (others.includes(name)) continue;
      // Documented (A5), but not used here.
      if (plain === 'expand') throw notEmulated('$expand');
      throw invalidRequest(`The query parameter '${name}' is not supported here.`);
    }
    if (options[option] !== undefined)
      throw invalidRequest(`Query option '${name}' was specified more than once.`);
    options[option] = value;
  }
  return options;
}

/** Keeps the selected properties and all OData annotations. */
export function select(value: object, list: string | undefined, known: ReadonlySet<string>): object {
  if (list === undefined || list === '*') return value;
  const names = list.split(',').map((name) => name.trim());
  for (const name of names) {
    if (!known.has(name)) {
      throw new GraphError(
        400,
        'BadRequest',
        `Parsing OData Select and Expand failed: Could not find '${name}'.`,
      );
    }
  }
  return Object.fromEntries(
    Object.entries(value).filter(([name]) => names.includes(name) || name.startsWith('@odata.')),
  );
}

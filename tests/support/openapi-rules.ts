import { createConfig, lintFromString } from '@redocly/openapi-core';

/** What a rule sees of the walk through the document. */
interface Place {
  readonly location: { readonly child: (path: readonly (string | number)[]) => unknown };
  readonly resolve: (node: unknown) => { readonly node?: any };
  readonly report: (problem: { message: string; location?: unknown }) => void;
}

type Entries = Readonly<Record<string, any>>;

/** What readers and generators of clients rely on (docs/front-end.md), beside Redocly's own rules. */
const rules: Readonly<Record<string, () => Readonly<Record<string, (node: any, place: Place) => void>>>> = {
  'property-description': () => ({
    SchemaProperties(properties: Entries, { location, report }) {
      for (const [name, property] of Object.entries(properties)) {
        if (property.$ref === undefined && property.description === undefined)
          report({ message: 'Every property has a description.', location: location.child([name]) });
      }
    },
  }),
  'property-example': () => ({
    SchemaProperties(properties: Entries, { location, report }) {
      for (const [name, { type, enum: values, format, example }] of Object.entries(properties)) {
        if (type === 'string' && !values && !format && example === undefined)
          report({
            message:
              'Every text has an example, an enumeration, or a format: examples of operations consist of them.',
            location: location.child([name]),
          });
      }
    },
  }),
  'path-example': () => ({
    Parameter(parameter: Entries, { resolve, report }) {
      if (parameter['in'] === 'path' && resolve(parameter['schema']).node?.example === undefined)
        report({ message: 'Every id in a path has an example that can be sent.' });
    },
  }),
  'integer-limit': () => ({
    Parameter(parameter: Entries, { resolve, report }) {
      if (parameter['name'] === 'limit' && resolve(parameter['schema']).node?.type !== 'integer')
        report({ message: 'limit is an integer everywhere.' });
    },
  }),
  'operation-example': () => ({
    Operation(operation: Entries, { resolve, report }) {
      for (const body of [resolve(operation['requestBody']).node, ...successes(operation, resolve)]) {
        for (const [type, media] of Object.entries<Entries>(body?.content ?? {})) {
          if (media['example'] === undefined)
            report({ message: `Every body of a request or a success has an example (${type}).` });
        }
      }
    },
  }),
  'open-responses': () => ({
    Operation(operation: Entries, { resolve, report }) {
      for (const response of successes(operation, resolve)) {
        for (const media of Object.values<Entries>(response.content ?? {})) {
          if (isClosed(media['schema'], resolve)) report({ message: 'Responses can get new fields.' });
        }
      }
    },
  }),
  location: () => ({
    Operation({ responses }: Entries, { resolve, report }) {
      const created = resolve(responses['201']).node;
      const repeated = resolve(responses['200']).node;
      if (created?.headers?.Location && repeated && !repeated.headers?.Location)
        report({ message: 'If a 201 has Location, so has the 200 of a repeated request.' });
    },
  }),
  discriminator: () => ({
    NamedSchemas(schemas: Entries, { location, report }) {
      for (const [name, schema] of Object.entries(schemas)) {
        if ((schema.oneOf || schema.anyOf) && !schema.discriminator)
          report({ message: 'A union has a discriminator.', location: location.child([name]) });
      }
    },
  }),
};

const successes = ({ responses }: Entries, resolve: Place['resolve']): any[] =>
  Object.entries(responses as Entries)
    .filter(([status]) => status < '300')
    .map(([, response]) => resolve(response).node);

/** Whether the schema or one inside it permits no further fields. */
function isClosed(schema: unknown, resolve: Place['resolve'], seen = new Set<unknown>()): boolean {
  const { node } = resolve(schema);
  if (typeof node !== 'object' || node === null || seen.has(node)) return false;
  seen.add(node);
  return (
    node.additionalProperties === false || Object.values(node).some((each) => isClosed(each, resolve, seen))
  );
}

const config = await createConfig({
  extends: ['recommended-strict'],
  plugins: [{ id: 'service', rules: { oas3: rules as any } }],
  rules: {
    ...Object.fromEntries(Object.keys(rules).map((name) => [`service/${name}`, 'error'])),
    'no-invalid-schema-examples': 'error',
    'no-invalid-media-type-examples': 'error',
    'no-invalid-parameter-examples': 'error',
    'parameter-description': 'error',
    'operation-description': 'error',
    'response-contains-header': {
      severity: 'error',
      names: { 401: ['WWW-Authenticate'], 429: ['Retry-After'], 503: ['Retry-After'] },
    },
    // LICENSE is still to be chosen.
    'info-license': 'off',
    // lib/http/route-order.ts, and a test of it.
    'no-ambiguous-paths': 'off',
  },
});

/** Redocly's rules that an OpenAPI document violates, and ours (`service/…`), each with its places. */
export async function lintOpenApi(text: string): Promise<{ rule: string; message: string; place: string }[]> {
  const problems = await lintFromString({ source: text, config });
  return problems.map(({ ruleId, message, location }) => ({
    rule: ruleId,
    message,
    place: location[0]?.pointer ?? '',
  }));
}

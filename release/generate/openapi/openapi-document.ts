import { z } from 'zod';
import { statusOf, type ProblemCode } from '../../../lib/base/service-error.ts';
import type { Access } from '../../../lib/callers/caller.ts';
import { appPermissions } from '../../../lib/callers/roles.ts';
import { mayHaveBody, type Operation } from '../../../lib/http/operation.ts';
import { fieldTexts } from './field-texts.ts';
import { problemSchema } from './problem-schema.ts';

type Json = Record<string, unknown>;

/**
 * The OpenAPI 3.0.3 document, generated from the schemas that validate requests. Shaped for API Management's import: paths
 * relative to the server, every body schema named, parameters inline, kebab-case operation ids, nothing recursive.
 */
export function openApiDocument(operations: readonly Operation[], version: string): Json {
  const schemas = new NamedSchemas();
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    const path = `/${operation.route.replace(/^v1\//, '')}`;
    paths[path] ??= {};
    paths[path][operation.method.toLowerCase()] = describe(operation, schemas);
  }
  const tags = [...new Set(operations.map((operation) => operation.tag))].toSorted();
  return {
    openapi: '3.0.3',
    info: {
      title: 'Project documents, folder requests and activities',
      description:
        'Stores project documents in a SharePoint library on behalf of the signed-in user, queues folder requests ' +
        'for on-premises agents, and writes activities with an AI text provider. Clients ignore unknown fields of ' +
        'responses and treat unknown values of enumerations as described in docs/http-contract.md, "Everywhere".',
      version,
      contact: { name: 'The engineers of this service', url: 'https://example.com/' },
    },
    servers: [{ url: '/api/v1', description: 'The service itself, and API Management in front of it' }],
    tags: tags.map((name) => ({ name, description: tagDescriptions[name] ?? name })),
    paths,
    components: {
      schemas: schemas.all(),
      securitySchemes: {
        user: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        application: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: `App-only token of a client of RECORDS_SYNC_CLIENT_IDS, with the permission ${appPermissions.join(', ')}`,
        },
        agent: { type: 'apiKey', in: 'header', name: 'x-api-key' },
      },
    },
  };
}

const tagDescriptions: Record<string, string> = {
  activities: 'Emails and Word letters written by an AI text provider',
  agents: 'On-premises programs that fulfill folder requests',
  contacts: 'Contacts, maintained by the system of record',
  documents: 'Project folders and files in the document library',
  'folder requests': 'The queue of directories to be created on a file share',
  operations: 'Health and self-description',
  projects: 'Projects, maintained by the system of record',
};

function describe(operation: Operation, schemas: NamedSchemas): Json {
  const { access, body, isBodyOptional = false, streamedBody } = operation;
  const content = body
    ? { 'application/json': schemas.media(body, 'input', `${pascal(operation.id)}Body`) }
    : streamedBody && {
        [streamedBody.contentType]: schemas.media(
          streamedBody.schema,
          'input',
          `${pascal(operation.id)}Form`,
        ),
      };
  return {
    operationId: operation.id,
    summary: operation.summary,
    description: `${operation.description} ${callersOf(access)}`,
    tags: [operation.tag],
    security: [
      ...(access.kind === 'anonymous' ? [] : [{ [access.kind]: [] }]),
      ...(access.kind === 'user' && access.orApplication ? [{ application: [] }] : []),
    ],
    parameters: [
      ...parameters('path', operation.params),
      ...parameters('query', operation.query),
      ...parameters('header', operation.headers),
    ],
    ...(content && { requestBody: { required: !isBodyOptional, content } }),
    responses: responses(operation, schemas),
  };
}

function callersOf(access: Access): string {
  if (access.kind === 'anonymous') return 'Callers: anyone.';
  if (access.kind === 'agent') return 'Callers: agents.';
  const users = access.anyOf.length > 0 ? access.anyOf : ['any signed-in user'];
  const applications = access.orApplication ? [`applications with ${access.orApplication}`] : [];
  return `Callers: ${[...users, ...applications].join(', ')}.`;
}

function parameters(at: 'path' | 'query' | 'header', schema: z.ZodType | undefined): Json[] {
  if (!schema) return [];
  const {
    definitions = {},
    properties = {},
    required = [],
  } = jsonSchema(schema, 'input') as {
    definitions?: Record<string, Json>;
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { allOf, $ref = allOf, ...own }]) => {
    const [only = { $ref }] = Array.isArray($ref) ? ($ref as Json[]) : [];
    const { id: _id, ...named } = definitions[nameIn(only['$ref'])] ?? {};
    const { description, ...rest } = { ...named, ...own };
    rest['example'] ??= exampleOfFormat[rest['format'] as string];
    return { name, in: at, required: at === 'path' || required.includes(name), description, schema: rest };
  });
}

function responses(operation: Operation, schemas: NamedSchemas): Json {
  const result: Record<string, Json> = {};
  for (const [status, { description, schema, contentType, headers, example }] of Object.entries(
    operation.responses,
  )) {
    const mediaType = contentType ?? 'application/json';
    const media = schema
      ? schemas.media(schema, 'output', `${pascal(operation.id)}Response`, example)
      : contentType && { schema: { type: 'string', format: 'binary' }, example: exampleOfFormat['binary'] };
    result[status] = {
      description,
      ...(headers && { headers: headersOf(headers) }),
      ...(media && { content: { [mediaType]: media } }),
    };
  }
  const codesByStatus = Map.groupBy(codesOf(operation), statusOf);
  for (const [status, codes] of [...codesByStatus].toSorted(([a], [b]) => a - b)) {
    result[status] = {
      description: codes.map((code) => `\`${code}\``).join(', '),
      ...(headersByStatus[status] && { headers: headersOf(headersByStatus[status]) }),
      content: { 'application/problem+json': { schema: schemas.ref(problemSchema, 'output', 'Problem') } },
    };
  }
  return result;
}

const retryAfter = { 'Retry-After': 'Seconds after which the call may succeed' };
/** What every problem with this status has. */
const headersByStatus: Partial<Record<number, Readonly<Record<string, string>>>> = {
  401: { 'WWW-Authenticate': 'How to authenticate; with `claims` if the identity provider requires more' },
  429: retryAfter,
  503: retryAfter,
};

const headersOf = (headers: Readonly<Record<string, string>>): Json =>
  Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
  );

function codesOf({ access, headers, method, problems = [] }: Operation): ProblemCode[] {
  const isKeyed = headers instanceof z.ZodObject && 'idempotency-key' in headers.shape;
  const codes = new Set<ProblemCode>([
    // Any operation can return it: an unknown query parameter is enough.
    'invalid_request',
    ...(mayHaveBody(method) ? (['unsupported_media_type'] as const) : []),
    ...(access.kind === 'agent' ? (['invalid_agent_key'] as const) : []),
    ...(access.kind === 'user'
      ? ([
          'unauthenticated',
          'forbidden',
          'identity_provider_error',
          'identity_provider_unavailable',
        ] as const)
      : []),
    ...problems,
    ...(isKeyed ? (['idempotency_key_reused', 'request_in_progress'] as const) : []),
    'rate_limited',
    'internal_error',
    'storage_unavailable',
    'not_configured',
  ]);
  return [...codes];
}

/** Body schemas by name, because API Management does not import inline ones. A schema's `meta({ id })` is its name. */
class NamedSchemas {
  readonly #schemas: Record<string, Json> = {};

  ref(schema: z.ZodType, io: 'input' | 'output', fallbackName: string): Json {
    const { definitions, ...rest } = jsonSchema(schema, io) as {
      definitions?: Record<string, Json>;
      $ref?: string;
    };
    for (const [name, { id: _id, ...definition }] of Object.entries(definitions ?? {}))
      this.#schemas[name] = definition;
    // A schema with its own id is emitted as a reference to its definition.
    if (rest.$ref) return rest;
    this.#schemas[fallbackName] = rest;
    return { $ref: `#/components/schemas/${fallbackName}` };
  }

  /** @param facts of the example, for properties that depend on the operation */
  media(schema: z.ZodType, io: 'input' | 'output', fallbackName: string, facts: Json = {}): Json {
    const reference = this.ref(schema, io, fallbackName);
    return { schema: reference, example: { ...(this.#example(reference) as Json), ...facts } };
  }

  /**
   * Made of the examples of the required properties, or of all if none is required: optional ones depend on others, so that
   * together they would contradict each other.
   */
  #example(schema: Json): unknown {
    const { $ref, example, enum: values, items, format, type, minimum = 1 } = schema;
    if ($ref) return this.#example(this.#schemas[nameIn($ref)] ?? {});
    if (example !== undefined) return example;
    const [first] = (schema['oneOf'] ?? schema['anyOf'] ?? schema['allOf'] ?? values ?? []) as Json[];
    if (first !== undefined) return values ? first : this.#example(first);
    const properties = (schema['properties'] ?? {}) as Record<string, Json>;
    const required = (schema['required'] ?? Object.keys(properties)) as string[];
    switch (type) {
      case 'object':
        return Object.fromEntries(required.map((name) => [name, this.#example(properties[name] ?? {})]));
      case 'array':
        return [this.#example(items as Json)];
      case 'boolean':
        return false;
      case 'string':
        return exampleOfFormat[format as string];
      default:
        return Math.max(1, minimum as number);
    }
  }

  all(): Record<string, Json> {
    const names = Object.keys(this.#schemas).toSorted();
    return Object.fromEntries(names.map((name) => [name, this.#schemas[name] ?? {}]));
  }
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const generated = z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io,
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema: made }) {
      if (zodSchema instanceof z.ZodDiscriminatedUnion) made['discriminator'] = discriminatorOf(zodSchema);
      // Responses may get new fields, which clients ignore.
      if (io === 'output' && made.additionalProperties === false) delete made.additionalProperties;
    },
  });
  const text = JSON.stringify(generated).replaceAll('#/definitions/', '#/components/schemas/');
  const { $schema: _dialect, id: _id, ...rest } = JSON.parse(text, withFieldTexts) as Json;
  return rest;
}

/** What tells the schemas of a union apart: the value of a property in each. */
function discriminatorOf({ def }: z.ZodDiscriminatedUnion): Json {
  const propertyName = def.discriminator;
  const mapping = Object.fromEntries(
    def.options.map((option) => {
      const value = (option as z.ZodObject).shape[propertyName] as z.ZodLiteral<string>;
      return [value.value, `#/components/schemas/${z.globalRegistry.get(option)?.id}`];
    }),
  );
  return { propertyName, mapping };
}

/** Properties get the description and example of their name if they have none (a reviver of JSON.parse). */
function withFieldTexts(key: string, value: unknown): unknown {
  if (key !== 'properties') return value;
  for (const [name, property] of Object.entries(value as Record<string, Json>)) {
    const [description, example] = fieldTexts[name] ?? [];
    if (!property['$ref']) property['description'] ??= description;
    const isPlain = !property['enum'] && !property['format'] && property['example'] === undefined;
    const type = property['type'] === 'integer' ? 'number' : property['type'];
    if (isPlain && typeof example === type) property['example'] = example;
  }
  return value;
}

const exampleOfFormat: Record<string, string> = {
  uuid: '7d3f2a10-5b7c-4e2e-9a41-0c9d1e5f6a77',
  date: '2027-03-01',
  'date-time': '2026-11-20T09:58:53.945Z',
  binary: '(the bytes)',
};

const nameIn = (reference: unknown): string => String(reference).replace('#/components/schemas/', '');

const pascal = (id: string): string =>
  id.replaceAll(/(^|-)([a-z])/g, (_match, _dash, letter: string) => letter.toUpperCase());

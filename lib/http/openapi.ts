import { z } from 'zod';
import { appPermissions } from '../callers/roles.ts';
import { faultCodes, type FaultCode } from '../contract/faults.ts';
import type { Operation } from './operation.ts';
import { maxErrors } from './problem.ts';
import { problemCodes, statusOf, type ProblemCode } from '../base/service-error.ts';

type Json = Record<string, unknown>;

const errorFault = z
  .object({
    path: z.string().meta({
      description: 'Dotted: the part of the request (body, query, params, headers), then the names in it',
      example: 'body.targetPath',
    }),
    code: z
      .enum(faultCodes as [FaultCode, ...FaultCode[]])
      .meta({ id: 'FaultCode', description: 'What is wrong' }),
    params: z
      .record(z.string(), z.union([z.string(), z.number()]))
      .meta({ description: 'The facts of the code, such as `max`', example: { max: 4000 } }),
    message: z.string().meta({
      description: 'For developers: a sentence without its subject',
      example: 'must not be longer than 4000 characters',
    }),
  })
  .meta({ id: 'Fault', description: 'One fault of a request' });
const problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z
      .enum(problemCodes as [ProblemCode, ...ProblemCode[]])
      .meta({ id: 'ProblemCode', description: 'What happened' }),
    requestId: z.string(),
    errors: z.array(errorFault).max(maxErrors).optional(),
    subject: z.string().optional().meta({ description: 'Of an activity that was written, but not stored' }),
    content: z.string().optional().meta({ description: 'As subject' }),
  })
  .meta({
    id: 'Problem',
    description: 'RFC 9457 problem details; `code` is stable, title and detail are for people.',
  });

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
        'for on-premises agents, and writes activities with an AI text provider.',
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
    ? { 'application/json': { schema: schemas.ref(body, 'input', `${pascal(operation.id)}Body`) } }
    : streamedBody && {
        [streamedBody.contentType]: {
          schema: schemas.ref(streamedBody.schema, 'input', `${pascal(operation.id)}Form`),
        },
      };
  return {
    operationId: operation.id,
    summary: operation.summary,
    description: operation.description,
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

function parameters(at: 'path' | 'query' | 'header', schema: z.ZodType | undefined): Json[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = jsonSchema(schema, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: at,
    required: at === 'path' || required.includes(name),
    ...(description !== undefined && { description }),
    schema: rest,
  }));
}

function responses(operation: Operation, schemas: NamedSchemas): Json {
  const result: Record<string, Json> = {};
  for (const [status, { description, schema, contentType, headers }] of Object.entries(operation.responses)) {
    const mediaType = contentType ?? 'application/json';
    const media = schema
      ? { schema: schemas.ref(schema, 'output', `${pascal(operation.id)}Response`) }
      : contentType && { schema: { type: 'string', format: 'binary' } };
    result[status] = {
      description,
      ...(headers && {
        headers: Object.fromEntries(
          Object.entries(headers).map(([name, text]) => [
            name,
            { description: text, schema: { type: 'string' } },
          ]),
        ),
      }),
      ...(media && { content: { [mediaType]: media } }),
    };
  }
  const codesByStatus = Map.groupBy(codesOf(operation), statusOf);
  for (const [status, codes] of [...codesByStatus].toSorted(([a], [b]) => a - b)) {
    result[status] = {
      description: codes.map((code) => `\`${code}\``).join(', '),
      content: { 'application/problem+json': { schema: schemas.ref(problem, 'output', 'Problem') } },
    };
  }
  return result;
}

function codesOf({ access, body, streamedBody, problems = [] }: Operation): ProblemCode[] {
  const codes = new Set<ProblemCode>([
    // Any operation can return it: an unknown query parameter is enough.
    'invalid_request',
    ...(body || streamedBody ? (['unsupported_media_type'] as const) : []),
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

  all(): Record<string, Json> {
    const names = Object.keys(this.#schemas).toSorted();
    return Object.fromEntries(names.map((name) => [name, this.#schemas[name] ?? {}]));
  }
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const generated = z.toJSONSchema(schema, { target: 'openapi-3.0', io, unrepresentable: 'any' });
  const text = JSON.stringify(generated).replaceAll('#/definitions/', '#/components/schemas/');
  const { $schema: _dialect, id: _id, ...rest } = JSON.parse(text) as Json;
  return rest;
}

const pascal = (id: string): string =>
  id.replaceAll(/(^|-)([a-z])/g, (_match, _dash, letter: string) => letter.toUpperCase());

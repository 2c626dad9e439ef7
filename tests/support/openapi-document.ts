import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';

export type Schema = Readonly<Record<string, any>>;

export interface DescribedParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: Schema;
}

interface DescribedResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

export interface DescribedOperation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters: readonly DescribedParameter[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;
  };
  readonly responses: Readonly<Record<string, DescribedResponse>>;
}

export interface SeenResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

/** An OpenAPI 3.0 document as tests read it: its operations, and whether it describes a response. */
export class OpenApiDocument {
  readonly operations: readonly DescribedOperation[];
  readonly #schemas: Readonly<Record<string, Schema>>;
  readonly #ajv = new Ajv({ strict: false, allErrors: true });
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: any) {
    this.#schemas = document.components.schemas;
    this.operations = Object.entries<Record<string, any>>(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        ...operation,
        method: method.toUpperCase(),
        path,
      })),
    );
    addFormats.default(this.#ajv);
    for (const [name, schema] of Object.entries(this.#schemas)) {
      this.#ajv.addSchema(asJsonSchema(schema), `#/components/schemas/${name}`);
    }
  }

  /** The referenced schema if this one is a reference. */
  resolved(schema: Schema): Schema {
    // Beside a description, a reference is the only part of an allOf (OpenAPI 3.0).
    const [only, ...others] = (schema['allOf'] as Schema[] | undefined) ?? [];
    if (only && others.length === 0) return this.resolved(only);
    const name = /^#\/components\/schemas\/(.*)$/.exec(String(schema['$ref'] ?? ''))?.[1];
    return name === undefined ? schema : (this.#schemas[name] ?? {});
  }

  /** Every way in which the response differs from the description; empty if it matches. */
  mismatches({ operationId, responses }: DescribedOperation, response: SeenResponse): string[] {
    const { status, headers, bytes } = response;
    const described = responses[status];
    if (!described) return [`${status} is not described`];
    const faults = Object.keys(described.headers ?? {})
      .filter((name) => !headers.has(name))
      .map((name) => `the header ${name} is missing`);
    const mediaType = headers.get('content-type')?.split(';')[0] ?? '';
    const [[describedType, media] = []] = Object.entries(described.content ?? {});
    if (!media) return bytes.length === 0 ? faults : [...faults, 'there is a body'];
    if (media.schema['format'] === 'binary') return faults;
    if (mediaType !== describedType) return [...faults, `${mediaType} is not ${describedType}`];
    const body: unknown = JSON.parse(bytes.toString());
    const validate = this.#validator(`${operationId} ${status}`, media.schema);
    if (!validate(body)) faults.push(this.#ajv.errorsText(validate.errors));
    if (mediaType === 'application/problem+json') {
      const { code } = body as { code: string };
      if (!described.description.split(', ').includes(`\`${code}\``)) faults.push(`${code} is not described`);
    }
    return faults;
  }

  #validator(key: string, schema: Schema): ValidateFunction {
    const known = this.#validators.get(key) ?? this.#ajv.compile(asJsonSchema(schema));
    this.#validators.set(key, known);
    return known;
  }
}

/**
 * JSON Schema expresses with a type what OpenAPI 3.0 expresses with `nullable`. Objects are closed: clients have to ignore
 * unknown fields, but a field that is not described is a fault of the description.
 */
function asJsonSchema(schema: any): any {
  if (Array.isArray(schema)) return schema.map(asJsonSchema);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { nullable, ...rest } = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, asJsonSchema(value)]),
  );
  if (rest['type'] === 'object' && rest['properties']) rest['additionalProperties'] ??= false;
  return nullable === true ? { anyOf: [rest, { type: 'null' }] } : rest;
}

import { expect } from 'vitest';
import type { StackDescription } from '../../local/stack/stack-file.ts';

/** A running stack's description of its service; a test may have tokens for fewer people. */
export interface ServiceDescription extends Pick<StackDescription, 'baseUrl' | 'agents'> {
  readonly tokens: Partial<StackDescription['tokens']>;
}

export interface Sent {
  /** Values of the template's parameters. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly body?: NonNullable<RequestInit['body']>;
  readonly as?: keyof StackDescription['tokens'];
  /** One of the stack's agents, instead of a user. */
  readonly agent?: StackDescription['agents'][number];
}

export interface OperationResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  /** Parsed if it is JSON. */
  readonly body: any;
}

interface DescribedOperation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}

type Paths = Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;

/** Calls the operations of a running service by the names and paths of its own OpenAPI document. */
export class OperationClient {
  readonly description: ServiceDescription;
  readonly #operations: ReadonlyMap<string, DescribedOperation & { method: string; path: string }>;
  /** The operations that have succeeded as their document describes. */
  readonly succeeded = new Set<string>();

  private constructor(description: ServiceDescription, paths: Paths) {
    this.description = description;
    this.#operations = new Map(
      Object.entries(paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => [
          operation.operationId,
          { ...operation, method: method.toUpperCase(), path },
        ]),
      ),
    );
  }

  static async of(description: ServiceDescription): Promise<OperationClient> {
    const response = await fetch(`${description.baseUrl}/api/v1/openapi.json`);
    expect(response.status).toBe(200);
    const { paths } = (await response.json()) as { paths: Paths };
    return new OperationClient(description, paths);
  }

  get operationIds(): string[] {
    return [...this.#operations.keys()].toSorted();
  }

  /** Fails unless the response is a success that the document describes, with JSON where it requires JSON. */
  async call(operationId: string, sent: Sent = {}): Promise<OperationResponse> {
    const operation = this.#operations.get(operationId);
    if (!operation) throw new Error(`the document has no operation ${operationId}`);
    const { tokens, baseUrl } = this.description;
    const { params = {}, query, as, agent, json, body, headers } = sent;
    const token = as && tokens[as];
    if (as && token === undefined) throw new Error(`${operationId}: there is no token for ${as}`);
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
      const value = params[name];
      if (value === undefined) throw new Error(`${operationId} needs the parameter ${name}`);
      return encodeURIComponent(value);
    });
    const search = new URLSearchParams(query).toString();
    const response = await fetch(`${baseUrl}/api/v1${path}${search && `?${search}`}`, {
      method: operation.method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(agent && { 'x-api-key': agent.key }),
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
      ...(body !== undefined && { body, duplex: 'half' }),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const what = `${operation.method} ${path}: ${bytes.toString('utf8', 0, 1000)}`;
    const successes = Object.keys(operation.responses).filter((status) => status.startsWith('2'));
    expect(successes, what).toContain(String(response.status));
    expect(response.headers.get('x-request-id'), what).toMatch(/./);
    const mediaType = response.headers.get('content-type')?.split(';')[0];
    const described = Object.keys(operation.responses[response.status]?.content ?? {});
    if (described.length === 0) expect(bytes, what).toHaveLength(0);
    if (described.includes('application/json')) expect(mediaType, what).toBe('application/json');
    this.succeeded.add(operationId);
    return {
      status: response.status,
      headers: response.headers,
      bytes,
      body: mediaType === 'application/json' ? (JSON.parse(bytes.toString()) as unknown) : undefined,
    };
  }
}

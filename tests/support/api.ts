import { HttpRequest, HttpResponse, InvocationContext } from '@azure/functions';
import { operations } from '../../functions/operations.ts';
import { handlerFor } from '../../lib/http/edge.ts';
import type { Operation } from '../../lib/http/operation.ts';
import { functionName } from '../../lib/http/route-order.ts';
import type { Services } from '../../lib/services.ts';

export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed; undefined if the response has none. */
  readonly body: any;
}

interface Sent {
  readonly token?: string | undefined;
  readonly agentKey?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; a string or bytes as they are. */
  readonly body?: unknown;
}

/**
 * Calls the service's handlers with real `HttpRequest`s, as the host would, with routes matched by the operations' own
 * templates. The tests of the whole system cover what the host and HTTP add.
 */
export class Api {
  readonly lines: string[] = [];
  readonly #services: Services;
  readonly #operations: readonly Operation[];

  constructor(services: Services) {
    this.#services = services;
    this.#operations = operations(services, '0.0.0');
  }

  /** `path` is below `/api/v1`. */
  async call(method: string, path: string, sent: Sent = {}): Promise<ApiResponse> {
    const url = new URL(`http://localhost/api/v1${path}`);
    const found = this.#operations
      .filter((operation) => operation.method === method)
      .map((operation) => ({ operation, params: match(operation.route, url.pathname.slice('/api/'.length)) }))
      .filter(({ params }) => params !== undefined)
      // As in the host: the first by name.
      .toSorted((one, other) => (functionName(one.operation) < functionName(other.operation) ? -1 : 1))[0];
    if (!found?.params) throw new Error(`no operation matches ${method} ${path}`);
    const { token, agentKey, headers, body } = sent;
    const request = new HttpRequest({
      method,
      url: url.href,
      params: found.params,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(agentKey !== undefined && { 'x-api-key': agentKey }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: bodyOf(body) }),
    });
    const context = new InvocationContext({
      functionName: functionName(found.operation),
      invocationId: 'test',
      logHandler: (_level, ...args) => void this.lines.push(args.join(' ')),
    });
    const handler = handlerFor(found.operation, this.#services.callers, {
      failures: this.#services.failures,
    });
    const response = new HttpResponse(await handler(request, context));
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : (JSON.parse(text) as unknown),
    };
  }
}

const bodyOf = (body: unknown): { string: string } | { bytes: Uint8Array } => {
  if (body instanceof Uint8Array) return { bytes: body };
  return { string: typeof body === 'string' ? body : JSON.stringify(body) };
};

function match(route: string, path: string): Record<string, string> | undefined {
  const names: string[] = [];
  const pattern = route.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
    names.push(name);
    return '([^/]+)';
  });
  const found = new RegExp(`^${pattern}$`).exec(path);
  return found
    ? Object.fromEntries(names.map((name, at) => [name, decodeURIComponent(found[at + 1] ?? '')]))
    : undefined;
}

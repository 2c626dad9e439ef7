import createClient from 'openapi-fetch';
import { ApiProblem, problemOf } from '../openapi/api-problem.ts';
import type { paths } from '../openapi/openapi-types.ts';
import type { StrictClient } from './strict-client.ts';

export type Fetch = (request: Request) => Promise<Response>;

/** Calls the API by path and method. Throws error responses as ApiProblem, so `data` is set whenever there is a body. */
export function createProblemClient(baseUrl: string, send: Fetch): StrictClient {
  const client = createClient<paths>({ baseUrl, fetch: send, bodySerializer: serializeBody });
  client.use({
    async onResponse({ response }) {
      if (!response.ok) throw await problemOf(response);
      if (!isOfService(response)) {
        throw new ApiProblem(response.status, { detail: 'The response is neither JSON nor a file.' });
      }
    },
  });
  // The compiler cannot compare types that depend on a path.
  return client as StrictClient;
}

/** A proxy, or a wrong base URL, returns a page with 200. */
function isOfService({ status, headers }: Response): boolean {
  const type = headers.get('content-type') ?? '';
  return status === 204 || type.startsWith('application/json') || headers.has('content-disposition');
}

/** An object with a file becomes a form, the file last: then the service streams it. */
function serializeBody(body: unknown): FormData | string {
  if (body instanceof FormData) return body;
  const fields = Object.entries(body ?? {}) as [string, unknown][];
  const files = fields.filter((field): field is [string, Blob] => field[1] instanceof Blob);
  if (files.length === 0) return JSON.stringify(body);
  const form = new FormData();
  for (const [name, value] of fields) {
    if (typeof value === 'string') form.set(name, value);
  }
  for (const [name, file] of files) form.set(name, file);
  return form;
}

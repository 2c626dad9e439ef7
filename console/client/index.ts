import createClient, { type Client } from 'openapi-fetch';
import { ApiProblem, problemOf } from '../api/api-problem.ts';
import type { components, paths } from '../api/openapi-types.ts';

export { ApiProblem, problemOf } from '../api/api-problem.ts';
export type { components, paths } from '../api/openapi-types.ts';
export { failureText, faultText, problemText, warningText, type Language } from '../texts/text-of-code.ts';
export {
  DirectUploadError,
  uploadDirectly,
  type DirectUploadOptions,
  type OpenUpload,
  type Progress,
  type ResumeOptions,
  type StoppedUpload,
} from '../uploads/upload-directly.ts';

export type Schemas = components['schemas'];
export type Fetch = (request: Request) => Promise<Response>;

/** `fetch` as the signed-in user. @param accessToken returns a token that is still valid, for each request */
export const withToken =
  (accessToken: () => Promise<string>): Fetch =>
  async (request) => {
    request.headers.set('authorization', `Bearer ${await accessToken()}`);
    return fetch(request);
  };

/**
 * Calls the API by path and method. Throws error responses as ApiProblem, so `data` is set whenever there is a body.
 *
 * @param baseUrl like `https://host/api/v1`
 */
export function createServiceClient(baseUrl: string, send: Fetch): Client<paths> {
  const client = createClient<paths>({ baseUrl, fetch: send });
  client.use({
    async onResponse({ response }) {
      if (!response.ok) throw await problemOf(response);
    },
  });
  return client;
}

/** The body of a successful call. */
export async function dataOf<T>(call: Promise<{ data?: T }>): Promise<T> {
  const { data } = await call;
  return data as T;
}

/** Calls `read` again after `Retry-After` until `isDone`, for example for a folder request. */
export async function readUntil<T>(
  read: () => Promise<{ data?: T; response: Response }>,
  isDone: (value: T) => boolean,
): Promise<T> {
  for (;;) {
    const { data, response } = await read();
    if (isDone(data as T)) return data as T;
    const seconds = Number(response.headers.get('retry-after') ?? 5);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}

/** Whether an error is the problem with this code. */
export const isProblem = (error: unknown, code: Schemas['ProblemCode']): boolean =>
  error instanceof ApiProblem && error.code === code;

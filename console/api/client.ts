import createClient from 'openapi-fetch';
import type { components, paths } from './openapi-types.ts';
import { problemOf } from './api-problem.ts';
import { sessionFetch } from './session-fetch.ts';

export type Schemas = components['schemas'];

/** Calls the API by path and method. Throws error responses as ApiProblem, so `data` is set whenever there is a body. */
export const api = createClient<paths>({ baseUrl: '/api/v1', fetch: sessionFetch });

api.use({
  async onResponse({ response }) {
    if (!response.ok) throw await problemOf(response);
  },
});

/** The body of a successful call. */
export async function dataOf<T>(call: Promise<{ data?: T }>): Promise<T> {
  const { data } = await call;
  return data as T;
}

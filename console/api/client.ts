import { createProblemClient } from '../client/problem-client.ts';
import { sessionFetch } from './session-fetch.ts';

export { dataOf, type Schemas } from '../client/index.ts';

/** Calls the API by path and method. Throws error responses as ApiProblem, so `data` is set whenever there is a body. */
export const api = createProblemClient('/api/v1', sessionFetch);

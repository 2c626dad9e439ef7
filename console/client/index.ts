import { ApiProblem } from '../openapi/api-problem.ts';
import type { components } from '../openapi/openapi-types.ts';
import { createProblemClient, type Fetch } from './problem-client.ts';
import type { StrictClient } from './strict-client.ts';
import { withRetries } from './with-retries.ts';

export { ApiProblem, problemOf } from '../openapi/api-problem.ts';
export type { components, paths } from '../openapi/openapi-types.ts';
export {
  failureText,
  faultText,
  problemText,
  waitingText,
  warningText,
  type Language,
} from '../texts/text-of-code.ts';
export {
  DirectUploadError,
  uploadDirectly,
  type DirectUploadOptions,
  type OpenUpload,
  type Progress,
  type ResumeOptions,
  type StoppedUpload,
} from '../uploads/upload-directly.ts';
export type { Fetch } from './problem-client.ts';
export { isSettled, readUntil, type ReadUntilOptions } from './read-until.ts';
export type { StrictClient } from './strict-client.ts';
export { withToken, type AccessToken } from './with-token.ts';

export type Schemas = components['schemas'];

/**
 * Calls the API by path and method. Throws every failure as ApiProblem, so `data` is set whenever there is a body. Repeats
 * what can be repeated, within a minute.
 *
 * @param baseUrl like `https://host/api/v1`
 * @param send of `withToken`; uploads take the same one
 */
export const createServiceClient = (baseUrl: string, send: Fetch): StrictClient =>
  createProblemClient(baseUrl, withRetries(send));

/** The body of a successful call. */
export async function dataOf<T>(call: Promise<{ data?: T }>): Promise<T> {
  const { data } = await call;
  return data as T;
}

/** Whether an error is the problem with this code. */
export const isProblem = (error: unknown, code: Schemas['ProblemCode']): boolean =>
  error instanceof ApiProblem && error.code === code;

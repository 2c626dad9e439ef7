import { ApiProblem, problemOf } from '../openapi/api-problem.ts';
import type { Fetch } from './problem-client.ts';

/**
 * @param facts `renew` after the service has rejected the token: an access token from a cache does not help then
 * @returns a token that is still valid
 */
export type AccessToken = (facts: { readonly renew: boolean }) => Promise<string>;

/**
 * `fetch` as the signed-in user. A rejected token is renewed once, and the request is sent again.
 *
 * @throws ApiProblem `not_sent` when there is no token; `cause` has the error of `accessToken`
 */
export const withToken =
  (accessToken: AccessToken): Fetch =>
  async (request) => {
    const again = request.clone();
    const response = await fetch(await authorize(request, accessToken, false));
    if (response.status !== 401) return response;
    const { code } = await problemOf(response.clone());
    // Only the user can end these.
    if (code === 'interaction_required' || code === 'sign_in_again') return response;
    return fetch(await authorize(again, accessToken, true));
  };

async function authorize(request: Request, accessToken: AccessToken, renew: boolean): Promise<Request> {
  try {
    request.headers.set('authorization', `Bearer ${await accessToken({ renew })}`);
    return request;
  } catch (error) {
    // Of fetch: the identity provider could not be reached.
    if (error instanceof TypeError) throw error;
    throw new ApiProblem(0, { code: 'not_sent', detail: 'There is no access token.' }, undefined, error);
  }
}

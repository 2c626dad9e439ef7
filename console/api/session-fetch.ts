import { SessionEnded, session } from '../session/session.ts';
import { claimsOf } from '../openapi/api-problem.ts';

/** `fetch` as the signed-in user. A rejected token is renewed once; if the new one is rejected too, the session has ended. */
export async function sessionFetch(request: Request): Promise<Response> {
  const again = request.clone();
  const response = await fetch(withToken(request, await session.accessToken()));
  if (response.status !== 401) return response;
  const claims = claimsOf(response);
  if (claims === undefined) {
    const repeated = await fetch(withToken(again, await session.accessToken({ renew: true })));
    if (repeated.status !== 401) return repeated;
  }
  session.end(claims);
  throw new SessionEnded();
}

/** `sessionFetch` that waits for a new sign-in when the session has ended. For work that goes on by itself, such as uploads. */
export async function patientFetch(request: Request): Promise<Response> {
  for (;;) {
    const attempt = request.clone();
    try {
      return await sessionFetch(attempt);
    } catch (error) {
      if (!(error instanceof SessionEnded)) throw error;
      await session.resumed(request.signal);
    }
  }
}

function withToken(request: Request, token: string): Request {
  request.headers.set('authorization', `Bearer ${token}`);
  return request;
}

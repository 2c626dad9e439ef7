import { SessionEnded, session } from '../session/session.ts';
import { claimsOf } from '../openapi/api-problem.ts';

/** The platform ends a request after 230 s (docs/http-contract.md, "Limits"): what has no response by then has lost its connection. */
const silentMs = 240_000;

/** `fetch` has no limit of its own: after the sleep of a laptop, a request can wait for hours. */
async function fetchInTime(request: Request): Promise<Response> {
  const silence = new AbortController();
  // As fetch reports that there was no response.
  const end = (): void => silence.abort(new TypeError('The service did not respond.'));
  const timer = setTimeout(end, silentMs);
  try {
    return await fetch(request, { signal: AbortSignal.any([request.signal, silence.signal]) });
  } finally {
    clearTimeout(timer);
  }
}

/** `fetch` as the signed-in user. A rejected token is renewed once; if the new one is rejected too, the session has ended. */
export async function sessionFetch(request: Request): Promise<Response> {
  const again = request.clone();
  const response = await fetchInTime(withToken(request, await session.accessToken()));
  if (response.status !== 401) return response;
  const claims = claimsOf(response);
  if (claims === undefined) {
    const repeated = await fetchInTime(withToken(again, await session.accessToken({ renew: true })));
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

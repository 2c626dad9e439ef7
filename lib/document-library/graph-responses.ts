import { interactionRequired } from '../callers/interaction-required.ts';

/** Where the response redirects to, unless that is the page for callers that are throttled. */
export function contentUrlOf({ status, headers }: Response): string | null {
  const location = status === 302 ? headers.get('location') : null;
  return location === null || /\/_layouts\/15\/Throttle\.htm/i.test(location) ? null : location;
}

/** If the response is a claims challenge (continuous access evaluation, conditional access): its claims, in base64. */
export function claimsChallenge(response: Response): string | undefined {
  if (response.status !== 401 && response.status !== 403) return undefined;
  const header = response.headers.get('www-authenticate') ?? '';
  if (!/\berror="?insufficient_claims\b/i.test(header)) return undefined;
  return /\bclaims="([A-Za-z0-9+/=_-]*)"/i.exec(header)?.[1] ?? '';
}

export async function challengeError(response: Response, claimsBase64: string): Promise<Error> {
  await response.body?.cancel();
  const claims = Buffer.from(claimsBase64, 'base64').toString('utf8');
  return interactionRequired(claims, new Error(`Graph responded ${response.status} with a claims challenge`));
}

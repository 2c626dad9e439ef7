import { interactionRequired } from '../callers/interaction-required.ts';

/**
 * Where the response redirects to, unless that is a page instead of content: SharePoint sends callers that are throttled,
 * blocked, or signed out to one of its own (drive rule A9).
 */
export function contentUrlOf({ status, headers }: Response): string | null {
  const location = status === 302 ? headers.get('location') : null;
  const path = location === null ? '' : (URL.parse(location)?.pathname ?? location);
  const isPage =
    /\/_layouts\/15\/(?!download\.aspx$)[^/]*\.(?:html?|aspx)$|\/_(?:forms|login)\/|\/oauth2\//i.test(path);
  return isPage ? null : location;
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

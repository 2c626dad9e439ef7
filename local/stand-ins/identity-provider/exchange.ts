import { randomUUID, timingSafeEqual } from 'node:crypto';
import { decodeJwt, errors, type JWTPayload } from 'jose';
import type { Signing } from './signing.ts';
import { TokenError } from './token-error.ts';

export interface Registration {
  tenantId: string;
  clientId: string;
  clientSecret: string;
  /** Delegated Graph permissions with the consent of an administrator. */
  consentedScopes: readonly string[];
}

const graph = 'https://graph.microsoft.com';
const identityScopes: ReadonlySet<string> = new Set(['openid', 'profile', 'offline_access', 'email']);
export const graphTokenSeconds = 75 * 60;

/** The on-behalf-of exchange (docs/sign-in-rules.md, B1), as strict as Entra ID. @throws TokenError */
export async function exchangeOnBehalfOf(
  form: URLSearchParams,
  registration: Registration,
  signing: Signing,
  now: Date,
): Promise<object> {
  const required = (name: string) => requiredParameter(form, name);
  if (required('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer') {
    throw new TokenError({
      error: 'unsupported_grant_type',
      number: 70003,
      message: `The app requested an unsupported grant type '${form.get('grant_type')}'.`,
    });
  }
  authenticateClient(required('client_id'), form.get('client_secret'), registration);
  if (required('requested_token_use') !== 'on_behalf_of') {
    throw new TokenError({
      error: 'invalid_request',
      number: 900_441,
      message: "The 'requested_token_use' parameter must be 'on_behalf_of'.",
    });
  }
  const scopes = required('scope').split(' ').filter(Boolean);
  const granted = grantedScopes(scopes, registration);
  const user = await assertedUser(required('assertion'), registration, signing, now);
  return tokenResponse({ user, granted, scopes, form, registration, signing, now });
}

export function requiredParameter(form: URLSearchParams, name: string): string {
  const values = form.getAll(name);
  if (values.length === 1 && values[0]) return values[0];
  throw new TokenError({
    error: 'invalid_request',
    number: 900144,
    message: `The request body must contain the following parameter: '${name}'.`,
  });
}

export function authenticateClient(
  clientId: string,
  secret: string | null,
  registration: Pick<Registration, 'clientId' | 'clientSecret'> | undefined,
): void {
  if (clientId !== registration?.clientId) {
    throw new TokenError({
      error: 'unauthorized_client',
      number: 700016,
      message: `Application with identifier '${clientId}' was not found in the directory.`,
    });
  }
  if (secret === null || secret === '') {
    throw new TokenError({
      status: 401,
      error: 'invalid_client',
      number: 7000218,
      message:
        "The request body must contain the following parameter: 'client_assertion' or 'client_secret'.",
    });
  }
  const given = Buffer.from(secret);
  const expected = Buffer.from(registration.clientSecret);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw new TokenError({
      status: 401,
      error: 'invalid_client',
      number: 7000215,
      message: 'Invalid client secret provided.',
    });
  }
}

function grantedScopes(scopes: readonly string[], { consentedScopes }: Registration): string[] {
  const wanted = scopes.filter((scope) => !identityScopes.has(scope));
  if (wanted.length === 0) return [];
  const names = wanted.map((scope) => {
    if (/^https?:\/\//.test(scope) && !scope.startsWith(`${graph}/`)) {
      throw new TokenError({
        error: 'invalid_resource',
        number: 500011,
        message: `The resource principal of the scope '${scope}' was not found in the tenant.`,
      });
    }
    return scope.replace(`${graph}/`, '');
  });
  if (names.includes('.default')) {
    if (names.length > 1) {
      throw new TokenError({
        error: 'invalid_scope',
        number: 70011,
        message: 'The .default scope cannot be combined with resource-specific scopes.',
      });
    }
    return [...consentedScopes];
  }
  if (!names.every((name) => consentedScopes.includes(name))) {
    throw new TokenError({
      error: 'invalid_grant',
      number: 65001,
      message: 'The user or administrator has not consented to use the application.',
      suberror: 'consent_required',
    });
  }
  return names;
}

async function assertedUser(
  assertion: string,
  { tenantId, clientId }: Registration,
  signing: Signing,
  now: Date,
): Promise<JWTPayload> {
  const rejection = (number: number, message: string) =>
    new TokenError({ error: 'invalid_grant', number, message });
  let user: JWTPayload;
  try {
    user = await signing.verify(assertion, now, [`https://sts.windows.net/${tenantId}/`]);
  } catch (error) {
    if (error instanceof errors.JWTExpired)
      throw rejection(500133, 'Assertion is not within its valid time range.');
    throw rejection(50013, 'Assertion failed signature validation.');
  }
  if (decodeJwt(assertion).tid !== tenantId) throw rejection(50013, 'Assertion is of another tenant.');
  if (user.aud !== clientId && user.aud !== `api://${clientId}`) {
    throw rejection(500131, 'Assertion audience does not match the Client app presenting the assertion.');
  }
  if (typeof user['scp'] !== 'string') {
    throw rejection(50013, 'Assertion is an app-only token, which cannot be exchanged.');
  }
  return user;
}

/** The claims of a token for Graph, which only Graph reads. */
export const graphClaims = (
  person: JWTPayload & { readonly upn: unknown },
  clientId: string,
  scopes: readonly string[],
  seconds: number,
): JWTPayload => ({
  ...person,
  aud: graph,
  iss: `https://sts.windows.net/${String(person['tid'])}/`,
  appid: clientId,
  scp: scopes.join(' '),
  unique_name: person.upn,
  ver: '1.0',
  iat: seconds,
  nbf: seconds,
  exp: seconds + graphTokenSeconds,
});

async function tokenResponse({
  user,
  granted,
  scopes,
  form,
  registration: { tenantId, clientId },
  signing,
  now,
}: {
  user: JWTPayload;
  granted: readonly string[];
  scopes: readonly string[];
  form: URLSearchParams;
  registration: Registration;
  signing: Signing;
  now: Date;
}): Promise<object> {
  const seconds = Math.floor(now.getTime() / 1000);
  const person = {
    oid: user['oid'],
    tid: tenantId,
    name: user['name'],
    given_name: user['given_name'],
    family_name: user['family_name'],
  };
  const accessToken = await signing.signForGraph(
    graphClaims({ ...person, upn: user['preferred_username'] }, clientId, granted, seconds),
  );
  const idToken =
    scopes.includes('openid') &&
    (await signing.sign({
      ...person,
      aud: clientId,
      preferred_username: user['preferred_username'],
      sub: user.sub ?? '',
      ver: '2.0',
      iat: seconds,
      nbf: seconds,
      exp: seconds + 3600,
    }));
  const clientInfo = Buffer.from(JSON.stringify({ uid: user['oid'], utid: tenantId })).toString('base64url');
  return {
    token_type: 'Bearer',
    scope: [...granted, ...scopes.filter((scope) => identityScopes.has(scope))].join(' '),
    expires_in: graphTokenSeconds,
    ext_expires_in: graphTokenSeconds,
    access_token: accessToken,
    ...(scopes.includes('offline_access') && { refresh_token: `1.local-${randomUUID()}` }),
    ...(idToken && { id_token: idToken }),
    ...(form.get('client_info') === '1' && { client_info: clientInfo }),
  };
}

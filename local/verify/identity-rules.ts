import { decodeJwt, decodeProtectedHeader } from 'jose';
import { found, type Rule } from './rule.ts';

export interface IdentityTarget {
  /** Without a path, such as `https://login.microsoftonline.com`. */
  readonly authorityHost: string;
  readonly tenantId: string;
  /** The API's registration. */
  readonly clientId: string;
  /** A user's access token for the API, as the front end gets it. */
  readonly token: string;
  /** To try the exchange; a deployed service usually has none. */
  readonly clientSecret?: string | undefined;
  readonly scopes: readonly string[];
  readonly onRequest?: (method: string, url: string) => void;
}

interface TokenResponse {
  readonly error?: string;
  readonly error_codes?: readonly number[];
  readonly scope?: string;
}

const guid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const timeoutMs = 30_000;

async function json(target: IdentityTarget, path: string, form?: Record<string, string>) {
  const url = `${target.authorityHost}/${target.tenantId}${path}`;
  target.onRequest?.(form ? 'POST' : 'GET', url);
  const response = await fetch(url, {
    signal: AbortSignal.timeout(timeoutMs),
    ...(form && { method: 'POST', body: new URLSearchParams(form) }),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as any };
}

const exchange = (
  target: IdentityTarget,
  assertion: string,
  scope: string,
  more: Record<string, string> = {},
) =>
  json(target, '/oauth2/v2.0/token', {
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    client_id: target.clientId,
    client_secret: target.clientSecret ?? '',
    assertion,
    scope,
    requested_token_use: 'on_behalf_of',
    ...more,
  });

const toldError = ({ status, body }: { status: number; body: TokenResponse }): string =>
  [status, body.error ?? '', ...(body.error_codes ?? []).map((code) => `AADSTS${code}`)].join(' ').trim();

const needsSecret = 'needs IDP_API_CLIENT_SECRET, a client secret of the API, which you remove afterwards';

/** B1 to B4: what a tenant issues, and what it exchanges. */
export const identityRules: readonly Rule<IdentityTarget>[] = [
  {
    id: 'B4.1',
    expected: 'the key set has RSA keys with kid, among them that of the token',
    follows: 'Every user would be 401: check IDP_TENANT_ID, and that the token is one for this API.',
    async probe(target) {
      const { body, headers } = await json(target, '/discovery/v2.0/keys');
      const keys = (body.keys ?? []) as { kid?: string; kty?: string }[];
      const { kid, alg } = decodeProtectedHeader(target.token);
      const isKnown = keys.some((key) => key.kid === kid && key.kty === 'RSA');
      const rotation = /max-age=\d+/.exec(headers.get('cache-control') ?? '')?.[0] ?? 'no max-age';
      return found(
        isKnown && alg === 'RS256',
        `${keys.length} keys, ${rotation}; token ${alg}, its key is ${isKnown ? 'listed' : 'not listed'}`,
      );
    },
  },
  {
    id: 'B4.2',
    expected: 'issuer, audience and tid of the token are those of tenant and API',
    follows:
      'Every user would be 401: request the scope of this API (api://<client id>/access_as_user) in this tenant.',
    async probe({ tenantId, clientId, token }) {
      const { iss = '', aud, tid, ver } = decodeJwt(token);
      const issuer =
        iss === `https://sts.windows.net/${tenantId}/`
          ? 'v1'
          : iss.endsWith(`/${tenantId}/v2.0`)
            ? 'v2'
            : 'another';
      const audience = aud === clientId || aud === `api://${clientId}` ? 'this API' : 'another';
      return found(
        issuer !== 'another' && audience === 'this API' && tid === tenantId,
        `ver ${String(ver)}, issuer ${issuer}, audience ${audience}, tid ${tid === tenantId ? 'this tenant' : 'another'}`,
      );
    },
  },
  {
    id: 'B4.3',
    expected: 'the token has the scope access_as_user, an oid, and roles',
    follows:
      'Without the scope every call is 401 (IDP_API_SCOPE); without roles it is 403: assign the person an app role of the API.',
    async probe({ token }) {
      const claims = decodeJwt<{ scp?: string; oid?: string; roles?: readonly string[] }>(token);
      const scopes = (claims.scp ?? '').split(' ').filter(Boolean);
      const { roles = [] } = claims;
      const hasId = guid.test(claims.oid ?? '');
      return found(
        scopes.includes('access_as_user') && hasId && roles.length > 0,
        `scopes ${scopes.join(', ') || 'none'}; oid ${hasId ? 'present' : 'absent'}; roles ${roles.join(', ') || 'none'}`,
      );
    },
  },
  {
    id: 'B4.4',
    expected: 'a token lives at least an hour',
    follows: 'No setting is needed; pages renew the token when it expires.',
    async probe({ token }) {
      const { exp = 0, iat = 0 } = decodeJwt(token);
      const minutes = Math.round((exp - iat) / 60);
      return found(minutes >= 60, `${minutes} minutes`);
    },
  },
  {
    id: 'B4.5',
    expected: 'discovery names the issuer of v2 tokens',
    follows: 'Check IDP_AUTHORITY_HOST and IDP_TENANT_ID.',
    async probe(target) {
      const { status, body } = await json(target, '/v2.0/.well-known/openid-configuration');
      const isIssuer = String(body.issuer).endsWith(`/${target.tenantId}/v2.0`);
      return found(status === 200 && isIssuer, `${status}, ${isIssuer ? 'this tenant' : 'another issuer'}`);
    },
  },
  {
    id: 'B1.1',
    expected: 'the token is exchanged for one with the scopes of DOCAPI_SCOPES',
    follows:
      'Grant admin consent for these delegated permissions of Graph to the API (65001), or correct DOCAPI_SCOPES.',
    async probe(target) {
      if (target.clientSecret === undefined) return found(null, needsSecret);
      const response = await exchange(target, target.token, target.scopes.join(' '));
      const granted = new Set(
        String(response.body.scope ?? '')
          .split(' ')
          .map((scope) => scope.split('/').at(-1)),
      );
      const missing = target.scopes.filter((scope) => !granted.has(scope));
      return found(
        response.status === 200 && missing.length === 0,
        response.status === 200 ? `granted; missing: ${missing.join(', ') || 'none'}` : toldError(response),
      );
    },
  },
  {
    id: 'B1.2',
    expected: 'a token that is none is invalid_grant with AADSTS50013, or a number of its kind',
    follows: 'Broken tokens would be reported as an outage of the provider: tell the maintainers the number.',
    async probe(target) {
      if (target.clientSecret === undefined) return found(null, needsSecret);
      const response = await exchange(
        target,
        `${target.token.slice(0, -8)}AAAAAAAA`,
        target.scopes.join(' '),
      );
      return found(response.status === 400 && response.body.error === 'invalid_grant', toldError(response));
    },
  },
  {
    id: 'B1.3',
    expected: 'a claims request that is not met is interaction_required with claims',
    follows:
      'Nothing to set: without policies for authentication contexts, the tenant grants it, which this cannot tell apart.',
    async probe(target) {
      if (target.clientSecret === undefined) return found(null, needsSecret);
      const claims = JSON.stringify({ access_token: { acrs: { essential: true, value: 'c1' } } });
      const response = await exchange(target, target.token, target.scopes.join(' '), { claims });
      if (response.status === 200)
        return found(null, '200; needs a policy that requires the authentication context c1');
      return found(
        typeof response.body.claims === 'string',
        `${toldError(response)}, ${response.body.claims ? 'with' : 'without'} claims`,
      );
    },
  },
];

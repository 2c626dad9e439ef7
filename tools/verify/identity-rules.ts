import { compactVerify, createLocalJWKSet, decodeJwt, decodeProtectedHeader, type JSONWebKeySet } from 'jose';
import { type Finding, toFinding, type Rule } from './rule.ts';

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
  /** Up to and including `/v1.0`. */
  readonly graphRoot: string;
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

/** What an operator does about the error of an exchange (docs/sign-in-rules.md, B2). */
const causes: readonly (readonly [RegExp, string])[] = [
  [/AADSTS65001\b/, 'Grant admin consent for these delegated permissions of Graph to the API.'],
  [
    /AADSTS(?:90094|650056|65005|70011)\b/,
    'Correct DOCAPI_SCOPES, or the permissions of the registration of the API.',
  ],
  [/AADSTS7000215\b/, 'IDP_API_CLIENT_SECRET is wrong.'],
  [/AADSTS7000222\b/, 'IDP_API_CLIENT_SECRET has expired.'],
  [/AADSTS700016\b/, 'The tenant has no registration with the id of --api (IDP_API_CLIENT_ID).'],
  [
    /AADSTS(?:50013|500131|500133)\b/,
    'The provider does not accept the token, so nothing is known of consent.',
  ],
  [
    /AADSTS(?:50074|50076|50079|50158|53000|53003)\b/,
    'Conditional access asks this person for more: sign in again as the policy says.',
  ],
];

const causeOf = (response: { status: number; body: TokenResponse }): string | undefined =>
  causes.find(([pattern]) => pattern.test(toldError(response)))?.[1];

/** Whom Graph takes the bearer for. */
async function graphUser({ graphRoot, onRequest }: IdentityTarget, token: string) {
  const url = `${graphRoot}/me`;
  onRequest?.('GET', url);
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(timeoutMs),
  });
  const { id } = (await response.json().catch(() => ({}))) as { id?: unknown };
  return { status: response.status, id };
}

/** The keys of the provider, and its clock, which decides over the token. */
async function keySet(target: IdentityTarget) {
  const { body, headers } = await json(target, '/discovery/v2.0/keys');
  const keys = (body.keys ?? []) as JSONWebKeySet['keys'];
  return { keys, headers, now: Date.parse(headers.get('date') ?? '') || Date.now() };
}

async function isSignedBy(keys: JSONWebKeySet['keys'], token: string): Promise<boolean> {
  return compactVerify(token, createLocalJWKSet({ keys }), { algorithms: ['RS256'] }).then(
    () => true,
    () => false,
  );
}

// As the service (lib/callers/user-token.ts).
const leewaySeconds = 60;

/** Why a token says nothing about consent; null if the exchange can be tried with it. */
async function faultOf(target: IdentityTarget): Promise<string | null> {
  const { keys, now } = await keySet(target);
  if (!(await isSignedBy(keys, target.token))) return 'its signature is not of this provider (B4.1)';
  if (!lifetimeOf(target.token, now).isValid) return 'it is not valid at this time (B4.6)';
  return issuerOf(target).isExpected ? null : 'it is a token for another API or of another tenant (B4.2)';
}

function lifetimeOf(token: string, nowMs: number): { isValid: boolean; seen: string } {
  const { exp, nbf } = decodeJwt(token);
  const now = nowMs / 1000;
  const minutes = (seconds: number) => `${Math.round(Math.abs(seconds) / 60)} minutes`;
  if (exp === undefined) return { isValid: false, seen: 'no exp' };
  if (exp <= now - leewaySeconds) return { isValid: false, seen: `expired ${minutes(now - exp)} ago` };
  if (nbf !== undefined && nbf > now + leewaySeconds)
    return { isValid: false, seen: `valid only in ${minutes(nbf - now)}` };
  return { isValid: true, seen: `valid for ${minutes(exp - now)}` };
}

function issuerOf({ tenantId, clientId, token }: IdentityTarget) {
  const { iss = '', aud, tid, ver } = decodeJwt(token);
  const isV1 = iss === `https://sts.windows.net/${tenantId}/`;
  const issuer = isV1 ? 'v1' : iss.endsWith(`/${tenantId}/v2.0`) ? 'v2' : 'another';
  const audience = aud === clientId || aud === `api://${clientId}` ? 'this API' : 'another';
  return {
    isExpected: issuer !== 'another' && audience === 'this API' && tid === tenantId,
    seen: `ver ${String(ver)}, issuer ${issuer}, audience ${audience}, tid ${tid === tenantId ? 'this tenant' : 'another'}`,
  };
}

/** An exchange with a token that is valid in itself, so that an error is about the exchange. */
async function judgeExchange(target: IdentityTarget, judge: () => Promise<Finding>): Promise<Finding> {
  if (target.clientSecret === undefined) return toFinding(null, needsSecret);
  const fault = await faultOf(target);
  return fault === null ? judge() : toFinding(null, `the token cannot be exchanged: ${fault}`);
}

/** @throws Error of the network if the provider cannot be reached */
export async function requireProvider(target: IdentityTarget): Promise<void> {
  await json(target, '/discovery/v2.0/keys');
}

const needsExchange = 'needs an exchange that is granted (B1.1)';
const needsSecret = 'needs IDP_API_CLIENT_SECRET, a client secret of the API, which you remove afterwards';

/** B1 to B4: what a tenant issues, and what it exchanges. */
export const identityRules: readonly Rule<IdentityTarget>[] = [
  {
    id: 'B4.1',
    expected: 'the key set has RSA keys with kid, and one of them has signed the token',
    follows: 'Every user would be 401: check IDP_TENANT_ID, and that the token is one for this API.',
    async probe(target) {
      const { keys, headers } = await keySet(target);
      const { kid, alg } = decodeProtectedHeader(target.token);
      const isKnown = keys.some((key) => key.kid === kid && key.kty === 'RSA');
      const isSigned = await isSignedBy(keys, target.token);
      const rotation = /max-age=\d+/.exec(headers.get('cache-control') ?? '')?.[0] ?? 'no max-age';
      return toFinding(
        isKnown && isSigned,
        `${keys.length} keys, ${rotation}; token ${alg}, its key is ${isKnown ? 'listed' : 'not listed'}, its signature ${isSigned ? 'verifies' : 'does not verify'}`,
      );
    },
  },
  {
    id: 'B4.6',
    expected: 'the token is valid now (nbf, exp), by the clock of the provider',
    follows: 'Sign in again; if it is valid only later, correct the clock of this machine.',
    async probe(target) {
      const { isValid, seen } = lifetimeOf(target.token, (await keySet(target)).now);
      return toFinding(isValid, seen);
    },
  },
  {
    id: 'B4.2',
    expected: 'issuer, audience and tid of the token are those of tenant and API',
    follows:
      'Every user would be 401: request the scope of this API (api://<client id>/access_as_user) in this tenant.',
    async probe(target) {
      const { isExpected, seen } = issuerOf(target);
      return toFinding(isExpected, seen);
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
      return toFinding(
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
      return toFinding(minutes >= 60, `${minutes} minutes`);
    },
  },
  {
    id: 'B4.5',
    expected: 'discovery names the issuer of v2 tokens',
    follows: 'Check IDP_AUTHORITY_HOST and IDP_TENANT_ID.',
    async probe(target) {
      const { status, body } = await json(target, '/v2.0/.well-known/openid-configuration');
      const isIssuer = String(body.issuer).endsWith(`/${target.tenantId}/v2.0`);
      return toFinding(
        status === 200 && isIssuer,
        `${status}, ${isIssuer ? 'this tenant' : 'another issuer'}`,
      );
    },
  },
  {
    id: 'B1.1',
    expected: 'the token is exchanged for one with the scopes of DOCAPI_SCOPES',
    follows: 'Tell the maintainers the number, unless docs/sign-in-rules.md (B2) says what it means.',
    probe: (target) =>
      judgeExchange(target, async () => {
        const response = await exchange(target, target.token, target.scopes.join(' '));
        const granted = new Set(
          String(response.body.scope ?? '')
            .split(' ')
            .map((scope) => scope.split('/').at(-1)),
        );
        const missing = target.scopes.filter((scope) => !granted.has(scope));
        if (response.status === 200)
          return toFinding(missing.length === 0, `granted; missing: ${missing.join(', ') || 'none'}`);
        const follows = causeOf(response);
        return { ...toFinding(false, toldError(response)), ...(follows !== undefined && { follows }) };
      }),
  },
  {
    id: 'B1.2',
    expected: 'a token that is none is invalid_grant with AADSTS50013, or a number of its kind',
    follows: 'Broken tokens would be reported as an outage of the provider: tell the maintainers the number.',
    probe: (target) =>
      judgeExchange(target, async () => {
        const broken = `${target.token.slice(0, -8)}AAAAAAAA`;
        const response = await exchange(target, broken, target.scopes.join(' '));
        if (response.body.error === 'invalid_client') return toFinding(null, needsExchange);
        return toFinding(
          response.status === 400 && response.body.error === 'invalid_grant',
          toldError(response),
        );
      }),
  },
  {
    id: 'B1.4',
    expected: 'the exchanged token is one for Graph, of the same person',
    follows:
      'Do not go live: the library would see nobody, or another person than the one who signed in. Send the report to the maintainers.',
    probe: (target) =>
      judgeExchange(target, async () => {
        const { body } = await exchange(target, target.token, target.scopes.join(' '));
        const { access_token: token } = body as { access_token?: string };
        if (token === undefined) return toFinding(null, needsExchange);
        const me = await graphUser(target, token);
        if (me.status === 403) return toFinding(null, '403; needs User.Read in the token');
        const isSame = me.id === decodeJwt(target.token)['oid'];
        return toFinding(
          me.status === 200 && isSame,
          `${me.status}${me.status !== 200 ? '' : isSame ? ', the same person' : ', another person'}`,
        );
      }),
  },
  {
    id: 'B1.3',
    expected: 'a claims request that is not met is interaction_required with claims',
    follows:
      'Nothing to set: without policies for authentication contexts, the tenant grants it, which this cannot tell apart.',
    probe: (target) =>
      judgeExchange(target, async () => {
        const claims = JSON.stringify({ access_token: { acrs: { essential: true, value: 'c1' } } });
        const response = await exchange(target, target.token, target.scopes.join(' '), { claims });
        if (response.status === 200)
          return toFinding(null, '200; needs a policy that requires the authentication context c1');
        if (response.body.claims === undefined && causeOf(response) !== undefined)
          return toFinding(null, needsExchange);
        return toFinding(
          typeof response.body.claims === 'string',
          `${toldError(response)}, ${response.body.claims ? 'with' : 'without'} claims`,
        );
      }),
  },
];

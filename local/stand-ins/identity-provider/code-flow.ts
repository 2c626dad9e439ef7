import { createHash, randomBytes } from 'node:crypto';
import type { Person } from './people.ts';
import { TokenError } from './token-error.ts';

/** The registration of a single-page app (docs/sign-in-rules.md, B5). */
export interface PageRegistration {
  clientId: string;
  redirectUris: readonly string[];
  /** Of a program on a machine (B7): the port of `http://localhost` is its choice, and no page can redeem its codes. */
  isNative?: true;
  /** Every address below these origins is a redirect URI; Entra ID has no such rule. */
  origins?: readonly string[];
}

/** An authorization request with the signed-in user, kept until its code is redeemed. */
export interface AuthorizationRequest {
  clientId: string;
  redirectUri: string;
  scopes: readonly string[];
  state: string | undefined;
  nonce: string | undefined;
  challenge: string;
  responseMode: (typeof responseModes)[number];
  prompt: string | undefined;
  loginHint: string | undefined;
}

interface Grant {
  person: Person;
  clientId: string;
  scopes: readonly string[];
  nonce: string | undefined;
  /** When the sign-in expires, regardless of renewals. */
  endsAt: number;
}

const codeLifetimeMs = 60_000;
const grantLifetimeMs = 24 * 3_600_000;

const responseModes = ['query', 'fragment', 'form_post'] as const;

function isRedirectUriOf(
  { redirectUris, origins = [], isNative }: PageRegistration,
  address: string,
): boolean {
  const uri = URL.parse(address);
  // learn.microsoft.com/entra/identity-platform/reply-url, "Localhost exceptions"
  if (isNative) {
    return (
      uri?.protocol === 'http:' &&
      uri.hostname === 'localhost' &&
      uri.pathname === '/' &&
      redirectUris.includes('http://localhost')
    );
  }
  return redirectUris.includes(address) || (uri !== null && origins.includes(uri.origin));
}

/** Codes of pages and programs that sign in users, and the refresh tokens of pages. */
export class CodeFlow {
  readonly #now: () => Date;
  readonly #codes = new Map<
    string,
    { grant: Grant; request: AuthorizationRequest; endsAt: number; isUsed: boolean }
  >();
  readonly #refreshTokens = new Map<string, Grant>();
  #pages: PageRegistration[] = [];

  constructor(now: () => Date) {
    this.#now = now;
  }

  register(page: PageRegistration): void {
    this.#pages.push(page);
  }

  /** Origins that can read the token endpoint's responses. */
  isOriginOfPage(origin: string): boolean {
    return this.#pages.some(
      ({ redirectUris, origins = [], isNative }) =>
        !isNative && (origins.includes(origin) || redirectUris.some((uri) => new URL(uri).origin === origin)),
    );
  }

  isRedirectUri(uri: string): boolean {
    return this.#pages.some((page) => isRedirectUriOf(page, uri));
  }

  /** @throws TokenError for errors that Entra ID shows on its own page, because it trusts no address to redirect to */
  read(query: URLSearchParams): AuthorizationRequest {
    const required = (name: string): string => {
      const value = query.get(name);
      if (value) return value;
      throw new TokenError({
        error: 'invalid_request',
        number: 900144,
        message: `The request must contain the following parameter: '${name}'.`,
      });
    };
    const clientId = required('client_id');
    const page = this.#pages.find((each) => each.clientId === clientId);
    if (!page) {
      throw new TokenError({
        error: 'unauthorized_client',
        number: 700016,
        message: `Application with identifier '${clientId}' was not found in the directory.`,
      });
    }
    const redirectUri = required('redirect_uri');
    if (!isRedirectUriOf(page, redirectUri)) {
      throw new TokenError({
        error: 'invalid_request',
        number: 50011,
        message: `The redirect URI '${redirectUri}' specified in the request does not match the redirect URIs configured for the application.`,
      });
    }
    if (required('response_type') !== 'code') {
      throw new TokenError({
        error: 'unsupported_response_type',
        number: 700051,
        message: 'The response type is not enabled for the application.',
      });
    }
    if (query.get('code_challenge_method') !== 'S256' || !query.get('code_challenge')) {
      throw new TokenError({
        error: 'invalid_request',
        number: 9002325,
        message: 'Proof Key for Code Exchange is required for cross-origin authorization code redemption.',
      });
    }
    const asked = query.get('response_mode') ?? 'query';
    const responseMode = responseModes.find((mode) => mode === asked);
    if (responseMode === undefined) {
      throw new TokenError({
        error: 'invalid_request',
        number: 90007,
        message: `The response mode '${asked}' is not supported here.`,
      });
    }
    return {
      clientId,
      redirectUri,
      scopes: required('scope').split(' ').filter(Boolean),
      state: query.get('state') ?? undefined,
      nonce: query.get('nonce') ?? undefined,
      challenge: query.get('code_challenge')!,
      responseMode,
      prompt: query.get('prompt') ?? undefined,
      loginHint: query.get('login_hint') ?? undefined,
    };
  }

  /** The parameters of the response to this request. */
  signIn(request: AuthorizationRequest, person: Person): { code: string } {
    const code = `1.${randomBytes(24).toString('base64url')}`;
    const now = this.#now().getTime();
    const { clientId, scopes, nonce } = request;
    const grant = { person, clientId, scopes, nonce, endsAt: now + grantLifetimeMs };
    this.#codes.set(code, { grant, request, endsAt: now + codeLifetimeMs, isUsed: false });
    return { code };
  }

  /** @throws TokenError */
  redeemCode(form: URLSearchParams): Grant {
    const held = this.#codes.get(form.get('code') ?? '');
    if (!held) throw invalidGrant(9002313, 'Invalid request. Request is malformed or invalid.');
    if (held.isUsed) throw invalidGrant(54005, 'OAuth2 Authorization code was already redeemed.');
    if (held.endsAt < this.#now().getTime())
      throw invalidGrant(70008, 'The provided authorization code or refresh token has expired.');
    if (form.get('client_id') !== held.request.clientId)
      throw invalidGrant(
        700005,
        'Provided Authorization Code is intended to use against other tenant or app.',
      );
    if (form.get('redirect_uri') !== held.request.redirectUri)
      throw invalidGrant(50011, 'The redirect URI does not match the one of the authorization request.');
    const verifier = form.get('code_verifier') ?? '';
    if (createHash('sha256').update(verifier).digest('base64url') !== held.request.challenge) {
      throw invalidGrant(
        501481,
        'The Code_Verifier does not match the code_challenge supplied in the authorization request.',
      );
    }
    held.isUsed = true;
    return held.grant;
  }

  /** @throws TokenError */
  redeemRefreshToken(form: URLSearchParams): Grant {
    const grant = this.#refreshTokens.get(form.get('refresh_token') ?? '');
    if (!grant || grant.clientId !== form.get('client_id'))
      throw invalidGrant(9002313, 'Invalid request. Request is malformed or invalid.');
    if (grant.endsAt < this.#now().getTime()) {
      throw invalidGrant(
        700084,
        'The refresh token was issued to a single page app (SPA), and therefore has a fixed, limited lifetime of 1.00:00:00, which cannot be extended. It is now expired.',
      );
    }
    return grant;
  }

  /** Each call returns a new one; earlier ones remain valid until the sign-in expires. */
  refreshTokenFor(grant: Grant): string {
    const token = `1.${randomBytes(32).toString('base64url')}`;
    this.#refreshTokens.set(token, grant);
    return token;
  }

  /** Revokes all sessions, as an administrator or the limit of 24 hours does: no page can renew its tokens. */
  endGrants(): void {
    for (const grant of this.#refreshTokens.values()) grant.endsAt = 0;
  }
}

export type { Grant };

/** The redirect address with the response. */
export function redirection(
  { redirectUri, responseMode }: AuthorizationRequest,
  response: Record<string, string>,
): string {
  const parameters = new URLSearchParams(response);
  return `${redirectUri}${responseMode === 'fragment' ? '#' : '?'}${parameters.toString()}`;
}

const invalidGrant = (number: number, message: string): TokenError =>
  new TokenError({ error: 'invalid_grant', number, message });

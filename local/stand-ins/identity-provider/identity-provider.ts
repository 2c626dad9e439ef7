import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { decodeJwt, type JWTPayload } from 'jose';
import { exchangeOnBehalfOf, type Registration } from './exchange.ts';
import type { Person } from './people.ts';
import { Signing } from './signing.ts';
import { TokenError, tokenErrorBody, type TokenFault } from './token-error.ts';
import type { ServerCertificate } from '../local-ca.ts';

export { people, type Person } from './people.ts';
export { tokenFaults, type TokenFault } from './token-error.ts';

/** `unreachable`: connections are cut. `silent`: nothing is ever answered. `page`: a proxy's 502 with HTML. */
export type Outage = 'unreachable' | 'silent' | 'page';

export interface AccessTokenOptions {
  lifetimeSeconds?: number;
  /** `2.0`, or the older form with the App ID URI as audience. */
  version?: '1.0' | '2.0';
  /** Over the ones made here; undefined leaves one out. */
  claims?: Record<string, unknown>;
}

export interface IdentityProviderOptions extends Partial<Registration> {
  /** Good for `localhost`. */
  tls: ServerCertificate;
  now?: () => Date;
}

/** What was asked of the token endpoint; no secret and no assertion is kept. */
export interface RecordedExchange {
  oid: string | undefined;
  scopes: string[];
  outcome: number;
}

/**
 * An Entra ID tenant on loopback over HTTPS, as far as this product speaks to one: key set and discovery, access tokens
 * for users of this API, and the on-behalf-of exchange for Graph tokens.
 */
export class IdentityProvider {
  readonly registration: Registration;
  readonly exchanges: RecordedExchange[] = [];
  keySetRequests = 0;
  readonly #server;
  readonly #now: () => Date;
  #signing: Signing | undefined;
  #faults: { fault: TokenFault | Outage; oid: string | undefined; times: number }[] = [];

  private constructor({ tls, now = () => new Date(), ...registration }: IdentityProviderOptions) {
    this.#now = now;
    this.registration = {
      tenantId: 'c0ffee00-7e4a-4a0d-9c55-0123456789ab',
      clientId: 'a91c0de5-0000-4000-8000-0123456789ab',
      clientSecret: `local-${randomUUID()}`,
      consentedScopes: ['Files.ReadWrite.All', 'Sites.Read.All', 'Sites.ReadWrite.All', 'User.Read'],
      ...registration,
    };
    this.#server = createServer(tls, (request, response) => void this.#serve(request, response));
    this.#server.keepAliveTimeout = 120_000;
  }

  static async start(options: IdentityProviderOptions): Promise<IdentityProvider> {
    const provider = new IdentityProvider(options);
    await new Promise<void>((resolve, reject) => {
      provider.#server.once('error', reject);
      provider.#server.listen(0, '127.0.0.1', resolve);
    });
    provider.#signing = await Signing.create(`${provider.url}/${provider.registration.tenantId}/v2.0`);
    return provider;
  }

  /** What IDP_AUTHORITY_HOST is set to. */
  get url(): string {
    return `https://localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  /** An access token of this user for this API, as the front end would get one. */
  accessToken(person: Person, options: AccessTokenOptions = {}): Promise<string> {
    const { lifetimeSeconds = 3600, version = '2.0', claims = {} } = options;
    const { tenantId, clientId } = this.registration;
    const seconds = Math.floor(this.#now().getTime() / 1000);
    const isV2 = version === '2.0';
    const payload: JWTPayload = {
      aud: isV2 ? clientId : `api://${clientId}`,
      ...(isV2 ? {} : { iss: `https://sts.windows.net/${tenantId}/` }),
      iat: seconds,
      nbf: seconds,
      exp: seconds + lifetimeSeconds,
      ...(isV2 ? { azp: clientId, azpacr: '0' } : { appid: clientId, appidacr: '0' }),
      name: person.name,
      given_name: person.givenName,
      family_name: person.familyName,
      email: person.email,
      [isV2 ? 'preferred_username' : 'upn']: person.email,
      oid: person.oid,
      ...(person.roles.length > 0 && { roles: [...person.roles] }),
      scp: 'access_as_user',
      sub: createHash('sha256').update(`${person.oid}${clientId}`).digest('base64url'),
      tid: tenantId,
      ver: version,
      ...claims,
    };
    return this.#keys().sign(payload);
  }

  /** The claims of a Graph token made here. @throws jose's error for any other token */
  verifyGraphToken(token: string): Promise<JWTPayload> {
    return this.#keys().verifyForGraph(token);
  }

  /** The next `times` exchanges (of one user, where `oid` is given) fail like this. */
  fail(fault: TokenFault | Outage, { oid, times = 1 }: { oid?: string; times?: number } = {}): void {
    this.#faults.push({ fault, oid, times });
  }

  recover(): void {
    this.#faults = [];
  }

  rotateKeys(): Promise<void> {
    return this.#keys().rotate();
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  #keys(): Signing {
    if (!this.#signing) throw new Error('The identity provider has not started.');
    return this.#signing;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => undefined);
    const { tenantId } = this.registration;
    const { pathname } = new URL(request.url ?? '/', this.url);
    try {
      switch (`${request.method} ${pathname}`) {
        case `GET /${tenantId}/v2.0/.well-known/openid-configuration`:
          return json(response, 200, this.#discovery());
        case `GET /${tenantId}/discovery/v2.0/keys`:
          this.keySetRequests += 1;
          return json(response, 200, this.#keys().keySet);
        case `POST /${tenantId}/oauth2/v2.0/token`:
          return await this.#exchange(request, response);
        default:
          request.resume();
          return this.#refuseToken(response, {
            error: 'invalid_request',
            number: 90002,
            message: `There is no tenant or endpoint at ${pathname} here.`,
          });
      }
    } catch (error) {
      console.error('identity provider:', error);
      response.destroy();
    }
  }

  #discovery(): object {
    const base = `${this.url}/${this.registration.tenantId}`;
    return {
      issuer: `${base}/v2.0`,
      authorization_endpoint: `${base}/oauth2/v2.0/authorize`,
      token_endpoint: `${base}/oauth2/v2.0/token`,
      jwks_uri: `${base}/discovery/v2.0/keys`,
      token_endpoint_auth_methods_supported: ['client_secret_post'],
      id_token_signing_alg_values_supported: ['RS256'],
      response_types_supported: ['code'],
      subject_types_supported: ['pairwise'],
      scopes_supported: ['openid', 'profile', 'email', 'offline_access'],
    };
  }

  async #exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await text(request));
    const exchange: RecordedExchange = {
      oid: subjectOf(form.get('assertion')),
      scopes: (form.get('scope') ?? '').split(' ').filter(Boolean),
      outcome: 0,
    };
    this.exchanges.push(exchange);
    response.once('finish', () => (exchange.outcome = response.statusCode));
    const fault = this.#takeFault(exchange.oid);
    if (fault === 'unreachable') return void response.destroy();
    if (fault === 'silent') return;
    if (fault === 'page') {
      return void response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>502 Bad Gateway</h1>');
    }
    try {
      if (fault) throw new TokenError(fault);
      if (!/^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? '')) {
        throw new TokenError({
          error: 'invalid_request',
          number: 900144,
          message: "The request body must be 'application/x-www-form-urlencoded'.",
        });
      }
      json(response, 200, await exchangeOnBehalfOf(form, this.registration, this.#keys(), this.#now()));
    } catch (error) {
      if (!(error instanceof TokenError)) throw error;
      this.#refuseToken(response, error.fault);
    }
  }

  #takeFault(oid: string | undefined): TokenFault | Outage | undefined {
    const entry = this.#faults.find((each) => each.oid === undefined || each.oid === oid);
    if (!entry) return undefined;
    entry.times -= 1;
    if (entry.times <= 0) this.#faults = this.#faults.filter((each) => each !== entry);
    return entry.fault;
  }

  #refuseToken(response: ServerResponse, fault: TokenFault): void {
    if (fault.retryAfterSeconds !== undefined) {
      response.setHeader('retry-after', String(fault.retryAfterSeconds));
    }
    json(response, fault.status ?? 400, tokenErrorBody(fault, this.#now()));
  }
}

function subjectOf(assertion: string | null): string | undefined {
  try {
    return decodeJwt<{ oid?: string }>(assertion ?? '').oid;
  } catch {
    return undefined;
  }
}

function json(response: ServerResponse, status: number, body: object): void {
  response
    .writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
    .end(JSON.stringify(body));
}

import { createHash, randomUUID } from 'node:crypto';
import { createServer as createPlainServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { decodeJwt, type JWTPayload } from 'jose';
import { type Application, verificationClientId } from './applications.ts';
import { applicationOf } from './client-credentials.ts';
import { CodeFlow, redirection, type Grant, type PageRegistration } from './code-flow.ts';
import { DeviceFlow, type PublicGrant, resourceScopes } from './device-flow.ts';
import { exchangeOnBehalfOf, graphClaims, graphTokenSeconds, type Registration } from './exchange.ts';
import { people, type Person } from './people.ts';
import { codePage, formPostPage, messagePage, signInPage } from './sign-in-page.ts';
import { Signing } from './signing.ts';
import { TokenError, tokenErrorBody, type TokenFault } from './token-error.ts';
import type { Around } from '../around.ts';
import type { ServerCertificate } from '../local-ca.ts';

export { applications, verificationClientId } from './applications.ts';
export { people, type Person } from './people.ts';
export { tokenFaults, type TokenFault } from './token-error.ts';

/**
 * `unreachable`: connections are reset. `silent`: no request gets a response. `page`: a proxy's 502 with HTML. `portal`: a page
 * with 200, where a network wants its own sign-in.
 */
export type Outage = 'unreachable' | 'silent' | 'page' | 'portal';

export interface AccessTokenOptions {
  lifetimeSeconds?: number;
  /** `2.0`, or the older form with the App ID URI as audience. */
  version?: '1.0' | '2.0';
  /** Override the default claims; undefined omits one. */
  claims?: Record<string, unknown>;
}

export interface IdentityProviderOptions extends Partial<Registration> {
  /** Valid for `localhost`. */
  tls: ServerCertificate;
  now?: () => Date;
  /** Of the HTTPS server, and of the one for browsers; the default, 0, selects free ones. */
  ports?: readonly [https: number, http: number];
  around?: Around;
}

/** A request to the token endpoint, without secret and assertion. */
export interface RecordedExchange {
  oid: string | undefined;
  scopes: string[];
  outcome: number;
}

/**
 * An Entra ID tenant on loopback over HTTPS, limited to what this product uses: key set and discovery, access tokens for
 * users of this API, the on-behalf-of exchange for Graph tokens, sign-in of pages by code with PKCE, of commands by
 * that or by device code, and tokens of applications by client credentials. Browsers can also use plain HTTP (`browserUrl`), which needs no trusted certificate.
 */
export class IdentityProvider {
  registration: Registration;
  readonly exchanges: RecordedExchange[] = [];
  keySetRequests = 0;
  /** Lifetime of the access tokens of pages. */
  pageTokenSeconds = 3600;
  readonly #server;
  readonly #plainServer;
  readonly #codeFlow: CodeFlow;
  /** Its interval can be shortened, because a real one is 5 seconds. */
  readonly deviceFlow: DeviceFlow;
  readonly #now: () => Date;
  readonly #ports: readonly [number, number];
  // Kept: the response to a request that arrives while the servers close still names them.
  #url = '';
  #browserUrl = '';
  #signing: Signing | undefined;
  #faults: { fault: TokenFault | Outage; oid: string | undefined; times: number }[] = [];
  #redirectTo: string | undefined;

  private constructor({
    tls,
    now = () => new Date(),
    ports = [0, 0],
    around = (handler) => handler,
    ...registration
  }: IdentityProviderOptions) {
    this.#ports = ports;
    this.#now = now;
    this.registration = {
      tenantId: 'c0ffee00-7e4a-4a0d-9c55-0123456789ab',
      clientId: 'a91c0de5-0000-4000-8000-0123456789ab',
      clientSecret: `local-${randomUUID()}`,
      consentedScopes: [
        'Files.ReadWrite.All',
        'Sites.Read.All',
        'Sites.ReadWrite.All',
        'Sites.Selected',
        'User.Read',
      ],
      ...registration,
    };
    const serve = around((request, response) => this.#serve(request, response));
    this.#server = createServer(tls, (request, response) => void serve(request, response));
    this.#plainServer = createPlainServer((request, response) => void serve(request, response));
    this.#codeFlow = new CodeFlow(now);
    this.#codeFlow.register({
      clientId: verificationClientId,
      redirectUris: ['http://localhost'],
      isNative: true,
    });
    const { clientId, consentedScopes } = this.registration;
    const scopesOfPeople = [`${clientId}/access_as_user`, ...consentedScopes];
    this.deviceFlow = new DeviceFlow(
      [{ clientId: verificationClientId, consentedScopes: scopesOfPeople }],
      now,
    );
    this.#server.keepAliveTimeout = 120_000;
  }

  static async start(options: IdentityProviderOptions): Promise<IdentityProvider> {
    const provider = new IdentityProvider(options);
    await Promise.all(
      [provider.#server, provider.#plainServer].map(
        (server, index) =>
          new Promise<void>((resolve, reject) => {
            server.once('error', reject);
            server.listen(provider.#ports[index], '127.0.0.1', resolve);
          }),
      ),
    );
    const portOf = (server: Server) => (server.address() as AddressInfo).port;
    provider.#url = `https://localhost:${portOf(provider.#server)}`;
    provider.#browserUrl = `http://localhost:${portOf(provider.#plainServer)}`;
    provider.#signing = await Signing.create(`${provider.url}/${provider.registration.tenantId}/v2.0`);
    return provider;
  }

  /** The value for IDP_AUTHORITY_HOST. */
  get url(): string {
    return this.#url;
  }

  /** The same, for browsers on this machine. */
  get browserUrl(): string {
    return this.#browserUrl;
  }

  /** Registers a page that signs in users. */
  registerPage(page: PageRegistration): void {
    this.#codeFlow.register(page);
  }

  /** An administrator consents to one more delegated permission. */
  consent(scope: string): void {
    const { consentedScopes } = this.registration;
    this.registration = { ...this.registration, consentedScopes: [...consentedScopes, scope] };
  }

  /** Prevents pages from renewing their tokens; existing tokens remain valid until they expire. */
  endPageSessions(): void {
    this.#codeFlow.endGrants();
  }

  /** An access token for this user and this API, as issued to the front end. */
  accessToken(person: Person, options: AccessTokenOptions = {}): Promise<string> {
    const { clientId } = this.registration;
    return this.#apiToken(options, {
      ...clientOf(clientId, '0', options),
      name: person.name,
      given_name: person.givenName,
      family_name: person.familyName,
      email: person.email,
      [options.version === '1.0' ? 'upn' : 'preferred_username']: person.email,
      oid: person.oid,
      ...(person.roles.length > 0 && { roles: [...person.roles] }),
      scp: 'access_as_user',
      sub: createHash('sha256').update(`${person.oid}${clientId}`).digest('base64url'),
    });
  }

  /** An access token of an application for this API, without a user (docs/sign-in-rules.md, B6). */
  appToken({ clientId, oid, roles }: Application, options: AccessTokenOptions = {}): Promise<string> {
    return this.#apiToken(options, {
      ...clientOf(clientId, '1', options),
      oid,
      sub: oid,
      ...(roles.length > 0 && { roles: [...roles] }),
    });
  }

  #apiToken(
    { lifetimeSeconds = 3600, version = '2.0', claims = {} }: AccessTokenOptions,
    own: JWTPayload,
  ): Promise<string> {
    const { tenantId, clientId } = this.registration;
    const seconds = Math.floor(this.#now().getTime() / 1000);
    const isV2 = version === '2.0';
    return this.#keys().sign({
      aud: isV2 ? clientId : `api://${clientId}`,
      ...(isV2 ? {} : { iss: `https://sts.windows.net/${tenantId}/` }),
      iat: seconds,
      nbf: seconds,
      exp: seconds + lifetimeSeconds,
      ...own,
      tid: tenantId,
      ver: version,
      ...claims,
    });
  }

  /** The claims of a Graph token issued by this provider. @throws jose's error for any other token */
  verifyGraphToken(token: string): Promise<JWTPayload> {
    return this.#keys().verifyForGraph(token);
  }

  /** Makes the next `times` exchanges or sign-ins of a command (of one user, if `oid` is given) fail with this error. */
  fail(fault: TokenFault | Outage, { oid, times = 1 }: { oid?: string; times?: number } = {}): void {
    this.#faults.push({ fault, oid, times });
  }

  /** Sends each request for a token, with its body, to another address, as a captive portal does, until `recover`. */
  redirectTokens(to: string): void {
    this.#redirectTo = to;
  }

  recover(): void {
    this.#faults = [];
    this.#redirectTo = undefined;
  }

  async stop(): Promise<void> {
    await Promise.all(
      [this.#server, this.#plainServer].map((server) => {
        const closed = new Promise<void>((resolve) => server.close(() => resolve()));
        server.closeAllConnections();
        return closed;
      }),
    );
  }

  #keys(): Signing {
    if (!this.#signing) throw new Error('The identity provider has not started.');
    return this.#signing;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => undefined);
    const { tenantId } = this.registration;
    const { pathname, searchParams } = new URL(request.url ?? '/', this.url);
    const origin = request.headers.origin;
    // On errors too, because a page must be able to read the reason (B5).
    if (origin !== undefined && this.#codeFlow.isOriginOfPage(origin)) {
      response.setHeader('access-control-allow-origin', origin);
    }
    try {
      switch (`${request.method} ${pathname}`) {
        case `GET /${tenantId}/v2.0/.well-known/openid-configuration`:
          return json(response, 200, this.#discovery(this.#urlFor(request)));
        case `GET /${tenantId}/discovery/v2.0/keys`:
          this.keySetRequests += 1;
          return json(response, 200, this.#keys().keySet);
        case `GET /${tenantId}/oauth2/v2.0/authorize`:
          return this.#authorize(searchParams, request, response);
        case `GET /${tenantId}/oauth2/v2.0/logout`:
          return this.#signOut(searchParams, response);
        case `POST /${tenantId}/oauth2/v2.0/devicecode`:
          return await this.#beginDeviceCode(request, response);
        case 'GET /devicelogin':
          return this.#decideDeviceCode(searchParams, response);
        case `POST /${tenantId}/oauth2/v2.0/token`:
          return await this.#token(request, response);
        default:
          request.resume();
          return this.#rejectToken(response, {
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

  /** As the caller reached it: a page that uses plain HTTP gets no address whose certificate its browser rejects. */
  #urlFor(request: IncomingMessage): string {
    return 'encrypted' in request.socket ? this.url : this.browserUrl;
  }

  #discovery(url: string): object {
    const base = `${url}/${this.registration.tenantId}`;
    return {
      issuer: `${base}/v2.0`,
      authorization_endpoint: `${base}/oauth2/v2.0/authorize`,
      token_endpoint: `${base}/oauth2/v2.0/token`,
      device_authorization_endpoint: `${base}/oauth2/v2.0/devicecode`,
      jwks_uri: `${base}/discovery/v2.0/keys`,
      token_endpoint_auth_methods_supported: ['client_secret_post'],
      id_token_signing_alg_values_supported: ['RS256'],
      end_session_endpoint: `${base}/oauth2/v2.0/logout`,
      response_modes_supported: ['query', 'fragment', 'form_post'],
      response_types_supported: ['code'],
      subject_types_supported: ['pairwise'],
      scopes_supported: ['openid', 'profile', 'email', 'offline_access'],
    };
  }

  #authorize(query: URLSearchParams, request: IncomingMessage, response: ServerResponse): void {
    try {
      const authorization = this.#codeFlow.read(query);
      const { clientId, scopes, state } = authorization;
      this.deviceFlow.requireConsentOf(clientId, scopes);
      const respond = (parameters: Record<string, string>): void => {
        const all = { ...parameters, ...(state !== undefined && { state }) };
        if (authorization.responseMode !== 'form_post')
          return redirect(response, redirection(authorization, all));
        html(response, 200, formPostPage(authorization.redirectUri, all));
      };
      const chosen = Object.values(people).find(({ email }) => email === authorization.loginHint);
      if (authorization.prompt === 'none') {
        const signedIn = personOf(request);
        // Without a hint, the only session is meant (B5).
        return signedIn && (!chosen || chosen === signedIn)
          ? respond(this.#codeFlow.signIn(authorization, signedIn))
          : respond({ error: 'login_required' });
      }
      if (authorization.loginHint === 'cancel') {
        const said = 'AADSTS65004: User declined to consent to access the app.';
        return respond({ error: 'access_denied', error_description: said });
      }
      if (chosen) {
        response.setHeader('set-cookie', `${sessionCookie}=${chosen.oid}; Path=/; HttpOnly; SameSite=Lax`);
        return respond(this.#codeFlow.signIn(authorization, chosen));
      }
      const linkFor = ({ email }: Person) =>
        `?${new URLSearchParams([...query, ['login_hint', email]]).toString()}`;
      html(response, 200, signInPage(Object.values(people), linkFor));
    } catch (error) {
      if (!(error instanceof TokenError)) throw error;
      const { number, message } = error.fault;
      html(
        response,
        400,
        messagePage('Sorry, but we’re having trouble signing you in', `AADSTS${number}: ${message}`),
      );
    }
  }

  #signOut(query: URLSearchParams, response: ServerResponse): void {
    const target = query.get('post_logout_redirect_uri');
    response.setHeader('set-cookie', `${sessionCookie}=; Path=/; Max-Age=0`);
    if (target !== null && this.#codeFlow.isRedirectUri(target)) return redirect(response, target);
    html(response, 200, messagePage('You signed out', 'It is a good idea to close all browser windows.'));
  }

  async #token(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await text(request));
    if (this.#redirectTo !== undefined) {
      return void response.writeHead(307, { location: this.#redirectTo }).end();
    }
    const grantType = form.get('grant_type');
    if (grantType === 'client_credentials') return this.#clientCredentials(form, response);
    if (deviceGrantTypes.has(grantType ?? '') || this.deviceFlow.isPublicClient(form.get('client_id'))) {
      return this.#commandToken(form, request, response);
    }
    if (grantType !== 'authorization_code' && grantType !== 'refresh_token') {
      return this.#exchange(form, request, response);
    }
    try {
      if (request.headers.origin === undefined) {
        throw new TokenError({
          error: 'invalid_request',
          number: 9002327,
          message:
            "Tokens issued for the 'Single-Page Application' client-type may only be redeemed via cross-origin requests.",
        });
      }
      const grant =
        grantType === 'refresh_token'
          ? this.#codeFlow.redeemRefreshToken(form)
          : this.#codeFlow.redeemCode(form);
      json(response, 200, await this.#pageTokens(grant, this.#urlFor(request)));
    } catch (error) {
      if (!(error instanceof TokenError)) throw error;
      this.#rejectToken(response, error.fault);
    }
  }

  async #clientCredentials(form: URLSearchParams, response: ServerResponse): Promise<void> {
    try {
      const application = applicationOf(form, this.registration.clientId);
      const token = { token_type: 'Bearer', expires_in: 3600, ext_expires_in: 3600 };
      json(response, 200, { ...token, access_token: await this.appToken(application) });
    } catch (error) {
      if (!(error instanceof TokenError)) throw error;
      this.#rejectToken(response, error.fault);
    }
  }

  async #beginDeviceCode(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      json(
        response,
        200,
        this.deviceFlow.begin(new URLSearchParams(await text(request)), `${this.browserUrl}/devicelogin`),
      );
    } catch (error) {
      if (!(error instanceof TokenError)) throw error;
      this.#rejectToken(response, error.fault);
    }
  }

  /** Entra ID's page, without its password: the code, then the person, or "Cancel". */
  #decideDeviceCode(query: URLSearchParams, response: ServerResponse): void {
    const code = query.get('code');
    const choice = query.get('login_hint');
    if (code === null) return html(response, 200, codePage());
    if (choice === null) {
      const linkFor = ({ email }: Person) =>
        `?${new URLSearchParams({ code, login_hint: email }).toString()}`;
      return html(response, 200, signInPage(Object.values(people), linkFor));
    }
    const person = Object.values(people).find(({ email }) => email === choice) ?? null;
    if (!this.deviceFlow.decide(code, person)) {
      return html(
        response,
        400,
        messagePage('Enter code', "That code didn't work. Check the code and try again."),
      );
    }
    html(
      response,
      200,
      person === null
        ? messagePage('Canceled', 'The program gets no access.')
        : messagePage('You have signed in', 'You may now close this window.'),
    );
  }

  async #commandToken(
    form: URLSearchParams,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    try {
      const grantType = form.get('grant_type');
      const grant =
        grantType === 'refresh_token'
          ? this.deviceFlow.renew(form)
          : grantType === 'authorization_code'
            ? this.#redeemCodeOfCommand(form, request)
            : this.deviceFlow.redeem(form);
      const fault = this.#takeFault(grant.person.oid);
      if (typeof fault === 'string') return fail(response, fault);
      if (fault) throw new TokenError(fault);
      json(response, 200, await this.#commandTokens(grant, form, this.#urlFor(request)));
    } catch (error) {
      if (!(error instanceof TokenError)) throw error;
      this.#rejectToken(response, error.fault);
    }
  }

  /** @throws TokenError */
  #redeemCodeOfCommand(form: URLSearchParams, { headers }: IncomingMessage): PublicGrant {
    if (headers.origin !== undefined) {
      throw new TokenError({
        error: 'invalid_request',
        number: 9002326,
        message:
          "Cross-origin token redemption is permitted only for the 'Single-Page Application' client-type.",
      });
    }
    const { clientId, person, scopes } = this.#codeFlow.redeemCode(form);
    return { clientId, person, scopes };
  }

  async #commandTokens(grant: PublicGrant, form: URLSearchParams, url: string): Promise<object> {
    const { person, clientId, scopes } = grant;
    const { tenantId, clientId: apiClientId } = this.registration;
    const requested = resourceScopes(scopes);
    const ofApi = /^(?:api:\/\/)?([^/]+)\/(.+)$/.exec(requested[0] ?? '');
    const seconds = Math.floor(this.#now().getTime() / 1000);
    const names = { oid: person.oid, tid: tenantId, name: person.name, preferred_username: person.email };
    const clientInfo = Buffer.from(JSON.stringify({ uid: person.oid, utid: tenantId })).toString('base64url');
    const claims = { given_name: person.givenName, family_name: person.familyName, upn: person.email };
    return {
      token_type: 'Bearer',
      scope: scopes.join(' '),
      expires_in: graphTokenSeconds,
      ext_expires_in: graphTokenSeconds,
      access_token:
        ofApi?.[1] === apiClientId
          ? await this.accessToken(person, {
              lifetimeSeconds: graphTokenSeconds,
              claims: { azp: clientId, scp: ofApi[2] },
            })
          : await this.#keys().signForGraph(
              graphClaims(
                { oid: person.oid, tid: tenantId, name: person.name, ...claims },
                clientId,
                requested.map((scope) => scope.replace('https://graph.microsoft.com/', '')),
                seconds,
              ),
            ),
      ...(scopes.includes('offline_access') && { refresh_token: this.deviceFlow.refreshTokenFor(grant) }),
      id_token: await this.#keys().sign({
        iss: `${url}/${tenantId}/v2.0`,
        aud: clientId,
        ...names,
        sub: createHash('sha256').update(`${person.oid}${clientId}`).digest('base64url'),
        ver: '2.0',
        iat: seconds,
        nbf: seconds,
        exp: seconds + 3600,
      }),
      ...(form.get('client_info') === '1' && { client_info: clientInfo }),
    };
  }

  async #pageTokens(grant: Grant, url: string): Promise<object> {
    const { person, scopes, nonce, clientId } = grant;
    const { tenantId, clientId: apiClientId } = this.registration;
    const apiScope = /^(?:api:\/\/)?([^/]+)\/(.+)$/;
    const requested = scopes.map((scope) => apiScope.exec(scope)).find((match) => match !== null);
    if (requested?.[1] !== apiClientId) {
      throw new TokenError({
        error: 'invalid_resource',
        number: 500011,
        message: `The resource principal of the scopes '${scopes.join(' ')}' was not found in the tenant.`,
      });
    }
    const seconds = Math.floor(this.#now().getTime() / 1000);
    return {
      token_type: 'Bearer',
      scope: scopes.join(' '),
      expires_in: this.pageTokenSeconds,
      ext_expires_in: this.pageTokenSeconds,
      access_token: await this.accessToken(person, {
        lifetimeSeconds: this.pageTokenSeconds,
        claims: { azp: clientId, scp: requested[2] },
      }),
      ...(scopes.includes('offline_access') && { refresh_token: this.#codeFlow.refreshTokenFor(grant) }),
      // Only the access token has roles, because they are the API's, not the page's.
      id_token: await this.#keys().sign({
        // The page compares it with the discovery document. The access token is for the service, which uses HTTPS.
        iss: `${url}/${tenantId}/v2.0`,
        aud: clientId,
        tid: tenantId,
        oid: person.oid,
        sub: createHash('sha256').update(`${person.oid}${clientId}`).digest('base64url'),
        name: person.name,
        preferred_username: person.email,
        ...(nonce !== undefined && { nonce }),
        ver: '2.0',
        iat: seconds,
        nbf: seconds,
        exp: seconds + 3600,
      }),
    };
  }

  async #exchange(form: URLSearchParams, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const exchange: RecordedExchange = {
      oid: subjectOf(form.get('assertion')),
      scopes: (form.get('scope') ?? '').split(' ').filter(Boolean),
      outcome: 0,
    };
    this.exchanges.push(exchange);
    response.once('finish', () => (exchange.outcome = response.statusCode));
    const fault = this.#takeFault(exchange.oid);
    if (typeof fault === 'string') return fail(response, fault);
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
      this.#rejectToken(response, error.fault);
    }
  }

  #takeFault(oid: string | undefined): TokenFault | Outage | undefined {
    const entry = this.#faults.find((each) => each.oid === undefined || each.oid === oid);
    if (!entry) return undefined;
    entry.times -= 1;
    if (entry.times <= 0) this.#faults = this.#faults.filter((each) => each !== entry);
    return entry.fault;
  }

  #rejectToken(response: ServerResponse, fault: TokenFault): void {
    if (fault.retryAfterSeconds !== undefined) {
      response.setHeader('retry-after', String(fault.retryAfterSeconds));
    }
    json(response, fault.status ?? 400, tokenErrorBody(fault, this.#now()));
  }
}

/** The claims that name the client, with how it authenticated: not, or by a secret. */
const clientOf = (clientId: string, strength: '0' | '1', { version }: AccessTokenOptions): JWTPayload =>
  version === '1.0' ? { appid: clientId, appidacr: strength } : { azp: clientId, azpacr: strength };

// The first is that of RFC 8628; msal-node 7.2.1 sends the second (B7).
const deviceGrantTypes: ReadonlySet<string> = new Set([
  'urn:ietf:params:oauth:grant-type:device_code',
  'device_code',
]);

/** Of the browser's session with this provider. */
const sessionCookie = 'identity-provider-session';

function personOf({ headers }: IncomingMessage): Person | undefined {
  const [, oid] = new RegExp(`${sessionCookie}=([^;]+)`).exec(headers.cookie ?? '') ?? [];
  return Object.values(people).find((person) => person.oid === oid);
}

function fail(response: ServerResponse, outage: Outage): void {
  switch (outage) {
    case 'unreachable':
      response.destroy();
      return;
    case 'silent':
      return;
    case 'page':
      response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>502 Bad Gateway</h1>');
      return;
    case 'portal':
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in to this network</h1>');
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

function html(response: ServerResponse, status: number, body: string): void {
  response
    .writeHead(status, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
    .end(body);
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(302, { location, 'cache-control': 'no-store' }).end();
}

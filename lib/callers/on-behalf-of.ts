import { createHash } from 'node:crypto';
import type { ConfidentialClientApplication, INetworkModule, NetworkResponse } from '@azure/msal-node';
import type { Secret } from '../contract/secret.ts';
import type { User } from './caller.ts';
import type { ExchangeFacts } from './on-behalf-of-error.ts';

export interface OnBehalfOfSettings {
  /** e.g. `https://login.microsoftonline.com`, without a trailing slash. */
  readonly authorityHost: string;
  readonly tenantId: string;
  readonly clientId: string;
  readonly clientSecret: Secret;
  readonly scopes: readonly string[];
}

type Msal = typeof import('@azure/msal-node');

interface Exchanged {
  readonly token: string;
  readonly expiresAtMs: number;
}

const timeoutMs = 10_000;
// A token is not handed out in its last minutes, so that it survives the call it is for.
const expiryMarginMs = 5 * 60_000;
// About 3 KiB each: 1,000 signed-in users at once are 3 MiB.
const defaultMaxCachedTokens = 1_000;

/**
 * Library tokens for signed-in users: the on-behalf-of exchange of service.md, "Authentication" 2.
 *
 * One msal client per exchange, and a cache of our own. msal's cache keeps every refresh token for ever, lets two
 * sessions of one user evict each other, and its throttle, which knows no user, would let one user's 5xx block all
 * (read in source and measured: 500 users were 680 kB). Keyed by the assertion, no user can get another's token.
 */
export class OnBehalfOf {
  readonly #settings: OnBehalfOfSettings;
  readonly #now: () => number;
  readonly #maxCachedTokens: number;
  // In order of use: the first entry is the one unused for longest.
  readonly #cached = new Map<string, Exchanged>();
  readonly #inFlight = new Map<string, Promise<Exchanged>>();

  constructor(
    settings: OnBehalfOfSettings,
    now: () => number = () => Date.now(),
    maxCachedTokens: number = defaultMaxCachedTokens,
  ) {
    this.#settings = settings;
    this.#now = now;
    this.#maxCachedTokens = maxCachedTokens;
  }

  /**
   * A library token of this user. Parallel calls with one assertion share one exchange.
   *
   * @throws ServiceError `interaction_required`, `sign_in_again`, `consent_missing`, `forbidden` or `identity_provider_*`
   */
  async tokenFor(user: User): Promise<string> {
    const key = keyOf(user);
    const cached = this.#cached.get(key);
    if (cached && cached.expiresAtMs - expiryMarginMs > this.#now()) {
      this.#cached.delete(key);
      this.#cached.set(key, cached);
      return cached.token;
    }
    let exchange = this.#inFlight.get(key);
    if (!exchange) {
      exchange = this.#exchangeAndKeep(key, user).finally(() => this.#inFlight.delete(key));
      this.#inFlight.set(key, exchange);
    }
    return (await exchange).token;
  }

  /** After the library has refused this token although it has not expired (revoked, continuous access evaluation). */
  forget(user: User, token: string): void {
    const key = keyOf(user);
    // A parallel call may have exchanged anew already.
    if (this.#cached.get(key)?.token === token) this.#cached.delete(key);
  }

  async #exchangeAndKeep(key: string, user: User): Promise<Exchanged> {
    const exchanged = await this.#exchange(user);
    this.#cached.set(key, exchanged);
    for (const [oldKey, { expiresAtMs }] of this.#cached) {
      if (this.#cached.size <= this.#maxCachedTokens && expiresAtMs > this.#now()) break;
      this.#cached.delete(oldKey);
    }
    return exchanged;
  }

  async #exchange(user: User): Promise<Exchanged> {
    // Loaded by the first exchange: msal is a quarter of what a cold start would otherwise run.
    const [msal, { onBehalfOfRefusal }] = await Promise.all([
      import('@azure/msal-node'),
      import('./on-behalf-of-error.ts'),
    ]);
    const network = new BoundedNetwork();
    try {
      const result = await this.#client(msal, network).acquireTokenOnBehalfOf({
        oboAssertion: user.assertion.reveal(),
        scopes: [...this.#settings.scopes],
        skipCache: true,
      });
      if (!result?.accessToken) throw new Error('the exchange gave no access token');
      return { token: result.accessToken, expiresAtMs: result.expiresOn?.getTime() ?? 0 };
    } catch (error) {
      throw onBehalfOfRefusal(error, network.facts);
    }
  }

  #client(msal: Msal, networkClient: INetworkModule): ConfidentialClientApplication {
    const { authorityHost, tenantId, clientId, clientSecret } = this.#settings;
    const authority = `${authorityHost}/${tenantId}`;
    return new msal.ConfidentialClientApplication({
      auth: {
        clientId,
        clientSecret: clientSecret.reveal(),
        authority,
        // Exactly host:port, and the endpoints given: without either msal asks the network first.
        knownAuthorities: [new URL(authorityHost).host],
        authorityMetadata: JSON.stringify({
          authorization_endpoint: `${authority}/oauth2/v2.0/authorize`,
          token_endpoint: `${authority}/oauth2/v2.0/token`,
          issuer: `${authority}/v2.0`,
          jwks_uri: `${authority}/discovery/v2.0/keys`,
        }),
        // Says that claims challenges are understood and handed on to the caller.
        clientCapabilities: ['cp1'],
      },
      system: { networkClient, disableInternalRetries: true },
    });
  }
}

// The assertion itself is a credential; its digest is enough to tell users apart.
const keyOf = (user: User): string =>
  createHash('sha256').update(user.assertion.reveal()).digest('base64url');

/** msal's POST has no time-out of its own, and its errors do not tell status and Retry-After reliably. */
class BoundedNetwork implements INetworkModule {
  facts: ExchangeFacts = { status: undefined, retryAfterSeconds: undefined };

  sendGetRequestAsync<T>(
    url: string,
    options?: { headers?: Record<string, string> },
  ): Promise<NetworkResponse<T>> {
    return this.#send(url, { method: 'GET', ...(options?.headers && { headers: options.headers }) });
  }

  sendPostRequestAsync<T>(
    url: string,
    options?: { headers?: Record<string, string>; body?: string },
  ): Promise<NetworkResponse<T>> {
    return this.#send(url, {
      method: 'POST',
      ...(options?.headers && { headers: options.headers }),
      ...(options?.body !== undefined && { body: options.body }),
    });
  }

  async #send<T>(url: string, init: RequestInit): Promise<NetworkResponse<T>> {
    this.facts = { status: undefined, retryAfterSeconds: undefined };
    const response = await fetch(url, {
      ...init,
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const body = await response.text();
    const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
    this.facts = {
      status: response.status,
      retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : undefined,
    };
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      // Anything that is not JSON is a proxy's page; the facts above decide what it means.
      body: JSON.parse(body) as T,
    };
  }
}

// All uses of msal, in a file that is loaded by the first exchange.
import { ConfidentialClientApplication, type INetworkModule, type NetworkResponse } from '@azure/msal-node';
import { retryAfterMs } from '../contract/retry.ts';
import type { Secret } from '../contract/secret.ts';
import type { User } from './caller.ts';
import { onBehalfOfError, type ExchangeFacts } from './on-behalf-of-error.ts';

export interface OnBehalfOfSettings {
  /** e.g. `https://login.microsoftonline.com`, without a trailing slash. */
  readonly authorityHost: string;
  readonly tenantId: string;
  readonly clientId: string;
  readonly clientSecret: Secret;
  readonly scopes: readonly string[];
}

export interface Exchanged {
  readonly token: string;
  readonly expiresAtMs: number;
}

const timeoutMs = 10_000;

/**
 * One exchange, with its own msal client.
 *
 * @throws ServiceError `interaction_required`, `sign_in_again`, `consent_missing`, `forbidden` or `identity_provider_*`
 */
export async function exchangeOnBehalfOf(settings: OnBehalfOfSettings, user: User): Promise<Exchanged> {
  const network = new BoundedNetwork();
  try {
    const result = await client(settings, network).acquireTokenOnBehalfOf({
      oboAssertion: user.assertion.reveal(),
      scopes: [...settings.scopes],
      skipCache: true,
    });
    if (!result?.accessToken) throw new Error('the exchange returned no access token');
    return { token: result.accessToken, expiresAtMs: result.expiresOn?.getTime() ?? 0 };
  } catch (error) {
    throw onBehalfOfError(error, { ...network.facts, scopes: settings.scopes });
  }
}

function client(
  { authorityHost, tenantId, clientId, clientSecret }: OnBehalfOfSettings,
  networkClient: INetworkModule,
): ConfidentialClientApplication {
  const authority = `${authorityHost}/${tenantId}`;
  return new ConfidentialClientApplication({
    auth: {
      clientId,
      clientSecret: clientSecret.reveal(),
      authority,
      // Exactly host:port, with the endpoints: without either, msal sends discovery requests first.
      knownAuthorities: [new URL(authorityHost).host],
      authorityMetadata: JSON.stringify({
        authorization_endpoint: `${authority}/oauth2/v2.0/authorize`,
        token_endpoint: `${authority}/oauth2/v2.0/token`,
        issuer: `${authority}/v2.0`,
        jwks_uri: `${authority}/discovery/v2.0/keys`,
      }),
      // Declares that this client supports claims challenges; they are passed on to the caller.
      clientCapabilities: ['cp1'],
    },
    system: { networkClient, disableInternalRetries: true },
  });
}

/** msal's POST has no timeout, and its errors do not reliably carry status and Retry-After. */
class BoundedNetwork implements INetworkModule {
  facts: Omit<ExchangeFacts, 'scopes'> = { status: undefined, retryAfterSeconds: undefined };

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
    const afterMs = retryAfterMs(response.headers.get('retry-after'), {
      date: response.headers.get('date'),
      receivedAtMs: Date.now(),
    });
    this.facts = {
      status: response.status,
      retryAfterSeconds: afterMs === undefined ? undefined : afterMs / 1000,
    };
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      // Anything that is not JSON is a proxy's page; status and headers decide.
      body: JSON.parse(body) as T,
    };
  }
}

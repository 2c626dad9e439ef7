// All uses of msal, in a file that is loaded by the first exchange.
import {
  ConfidentialClientApplication,
  type INetworkModule,
  type NetworkRequestOptions,
  type NetworkResponse,
} from '@azure/msal-node';
import * as z from 'zod';
import { valueOfJson } from '../contract/json.ts';
import { retryAfterSecondsIn } from '../contract/retry.ts';
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

type ResponseFacts = Omit<ExchangeFacts, 'scopes'>;

const timeoutMs = 10_000;

// Of the token endpoint: what msal reads of a token or of an error (RFC 6749, 5.1 and 5.2), and Entra ID's own fields.
const tokenResponse = z.looseObject({
  access_token: z.string().optional(),
  expires_in: z.union([z.number(), z.string()]).optional(),
  error: z.string().optional(),
  suberror: z.string().optional(),
  claims: z.string().optional(),
});

/**
 * One exchange, with its own msal client.
 *
 * @throws ServiceError `interaction_required`, `sign_in_again`, `consent_missing`, `forbidden` or `identity_provider_*`
 */
export async function exchangeOnBehalfOf(settings: OnBehalfOfSettings, user: User): Promise<Exchanged> {
  let facts: ResponseFacts = { status: undefined, retryAfterSeconds: undefined };
  const network = boundedNetwork((received) => (facts = received));
  try {
    const result = await client(settings, network).acquireTokenOnBehalfOf({
      oboAssertion: user.assertion.reveal(),
      scopes: [...settings.scopes],
      skipCache: true,
    });
    if (!result?.accessToken) throw new Error('the exchange returned no access token');
    return { token: result.accessToken, expiresAtMs: result.expiresOn?.getTime() ?? 0 };
  } catch (error) {
    throw onBehalfOfError(error, { ...facts, scopes: settings.scopes });
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

/**
 * msal's requests have no timeout, and its errors do not reliably carry status and Retry-After.
 *
 * @param onResponse receives the facts of each response
 */
function boundedNetwork(onResponse: (facts: ResponseFacts) => void): INetworkModule {
  return {
    async sendPostRequestAsync<T>(
      url: string,
      { headers, body }: NetworkRequestOptions = {},
    ): Promise<NetworkResponse<T>> {
      const response = await fetch(url, {
        method: 'POST',
        headers: headers ?? {},
        body: body ?? null,
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      });
      const { status } = response;
      const retryAfterSeconds = retryAfterSecondsIn(response.headers);
      const text = await response.text();
      onResponse({ status, retryAfterSeconds });
      // Anything else is a proxy's page; status and headers decide.
      const parsed = tokenResponse.parse(valueOfJson(text));
      onResponse({ status, retryAfterSeconds, claims: parsed.claims });
      return { status, headers: Object.fromEntries(response.headers), body: parsed as T };
    },
    // With the endpoints of the authority, there is nothing to discover.
    sendGetRequestAsync: () => Promise.reject(new Error('msal sent an unexpected GET')),
  };
}

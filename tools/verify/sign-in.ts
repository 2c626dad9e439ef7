import {
  type AccountInfo,
  type INetworkModule,
  type NetworkRequestOptions,
  type NetworkResponse,
  PublicClientApplication,
} from '@azure/msal-node';
import { Stopped } from './rule.ts';

export interface SignInOptions {
  readonly tenantId: string;
  /** A registration that allows public client flows. */
  readonly clientId: string;
  /** Without a path. */
  readonly authorityHost: string;
  /** Shows the person where to enter which code. */
  readonly show: (message: string) => void;
}

/**
 * A person who signs in once, on any device, by a code (docs/sign-in-rules.md, B7), for every resource that a command needs.
 * Tokens are in memory only.
 */
export class SignIn {
  readonly #client: PublicClientApplication;
  readonly #show: (message: string) => void;
  #lastError = '';
  #account: Promise<AccountInfo | null> | undefined;

  constructor({ tenantId, clientId, authorityHost, show }: SignInOptions) {
    const authority = `${authorityHost}/${tenantId}`;
    const networkClient = network((error) => (this.#lastError = error));
    this.#client = new PublicClientApplication({
      auth: { clientId, authority, knownAuthorities: [new URL(authority).host] },
      system: { networkClient },
    });
    this.#show = show;
  }

  /** A token for these scopes, which are of one resource. Asks the person the first time only. @throws Stopped */
  async token(scopes: readonly string[]): Promise<string> {
    try {
      this.#account ??= this.#signIn(scopes);
      const account = await this.#account;
      if (account === null) throw new Error('msal returned no account');
      const { accessToken } = await this.#client.acquireTokenSilent({ scopes: [...scopes], account });
      return accessToken;
    } catch (error) {
      throw new Stopped(reasonOf(`${(error as { errorCode?: string }).errorCode ?? ''} ${this.#lastError}`));
    }
  }

  async #signIn(scopes: readonly string[]): Promise<AccountInfo | null> {
    const result = await this.#client.acquireTokenByDeviceCode({
      scopes: [...scopes],
      deviceCodeCallback: ({ userCode, message }) => {
        // msal calls it without a code, too, when the provider gave none, and then asks for a token without one (read in 7.2.1).
        if (!userCode) throw new Error('no code');
        this.#show(message);
      },
    });
    return result?.account ?? null;
  }
}

const timeoutMs = 30_000;

/** msal's own network has no timeout, and of an error of the device code endpoint msal keeps nothing. */
function network(onError: (error: string) => void): INetworkModule {
  const send = async <T>(url: string, init: RequestInit): Promise<NetworkResponse<T>> => {
    let response: Response;
    try {
      response = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
    } catch (error) {
      onError('unreachable');
      throw error;
    }
    const body = (await response.json().catch(() => ({}))) as T & { error?: string; error_codes?: number[] };
    if (!response.ok) {
      onError(
        [body.error ?? response.status, ...(body.error_codes ?? []).map((code) => `AADSTS${code}`)].join(' '),
      );
    }
    return { status: response.status, headers: Object.fromEntries(response.headers), body };
  };
  return {
    sendGetRequestAsync: (url, { headers = {} }: NetworkRequestOptions = {}) => send(url, { headers }),
    sendPostRequestAsync: (url, { headers = {}, body = '' }: NetworkRequestOptions = {}) =>
      send(url, { method: 'POST', headers, body }),
  };
}

/** @param error what msal says, and the provider's last error with its AADSTS numbers */
function reasonOf(error: string): string {
  const [, reason] = reasons.find(([pattern]) => pattern.test(error)) ?? [];
  return reason ?? `The sign-in failed: ${error.trim() || 'no response'}.`;
}

const reasons: readonly (readonly [RegExp, string])[] = [
  [/\bunreachable$/, 'The identity provider cannot be reached.'],
  [/authorization_declined|access_denied/, 'The sign-in was declined.'],
  [
    /expired_token|device_code_expired/,
    'The code has expired: run the command again, and enter the new code.',
  ],
  [
    /AADSTS7000218\b/,
    'The registration of --client does not allow public client flows: it has to be the one that bicep/entra registers for verification.',
  ],
  [/AADSTS65001\b/, 'An administrator has to consent to the permissions of the registration of --client.'],
  [/AADSTS50105\b/, 'This person is not assigned to the registration of --client.'],
  [/AADSTS700016\b/, 'The tenant has no registration with the id of --client.'],
  [
    /slow_down/,
    'The identity provider asked for slower polling, which msal-node does not do: run the command again.',
  ],
];

/** Each has a variable of the deployment as its default. */
export const signInFlags = {
  tenant: { type: 'string' },
  client: { type: 'string' },
  api: { type: 'string' },
} as const;

export const signInUsage = `Signing in: the command shows a code, which you enter in a browser on any device.
  --client ID    VERIFICATION_CLIENT_ID: the registration for this, which bicep/entra creates
  --tenant ID    IDP_TENANT_ID
  --api ID       IDP_API_CLIENT_ID: the registration of the API`;

export type Environment = Readonly<Record<string, string | undefined>>;

export interface SignInFlags {
  readonly tenant?: string | undefined;
  readonly client?: string | undefined;
  readonly api?: string | undefined;
}

/** What the commands may do in Graph in the name of the person who runs them; the registration has the same list. */
export const graphScopes = ['Files.ReadWrite.All', 'User.Read'];

/** People who sign in for the tokens that no variable has. */
export class People {
  readonly #flags: SignInFlags;
  readonly #env: Environment;
  readonly #signedIn = new Map<string, SignIn>();

  constructor(flags: SignInFlags, env: Environment) {
    this.#flags = flags;
    this.#env = env;
  }

  get authorityHost(): string {
    return this.#env['IDP_AUTHORITY_HOST'] ?? 'https://login.microsoftonline.com';
  }

  get tenantId(): string {
    return this.#given('tenant', 'IDP_TENANT_ID');
  }

  get apiId(): string {
    return this.#given('api', 'IDP_API_CLIENT_ID');
  }

  /** Whether somebody can sign in without a variable that has a token. */
  get canSignIn(): boolean {
    return (this.#flags.client ?? this.#env['VERIFICATION_CLIENT_ID'] ?? '') !== '';
  }

  /** A token for Graph: that of the variable, or of a person who signs in. `who` is shown with the code, if given. */
  graphToken(variable: string, who = ''): () => Promise<string> {
    return this.#token(variable, who, () => graphScopes);
  }

  /** The same for the API. */
  apiToken(variable: string, who = ''): () => Promise<string> {
    return this.#token(variable, who, () => [`${this.apiId}/access_as_user`]);
  }

  #token(variable: string, who: string, scopes: () => readonly string[]): () => Promise<string> {
    const token = this.#env[variable];
    if (token !== undefined && token !== '') return () => Promise.resolve(token);
    return () => this.#personOf(who, variable).token(scopes());
  }

  #personOf(who: string, variable: string): SignIn {
    const known = this.#signedIn.get(who);
    if (known) return known;
    const person = new SignIn({
      tenantId: this.tenantId,
      clientId: this.#given('client', 'VERIFICATION_CLIENT_ID', `, or ${variable} with a token`),
      authorityHost: this.authorityHost,
      show: (message) => console.error(who === '' ? message : `${who}: ${message}`),
    });
    this.#signedIn.set(who, person);
    return person;
  }

  #given(flag: keyof SignInFlags, variable: string, otherwise = ''): string {
    const value = this.#flags[flag] ?? this.#env[variable] ?? '';
    if (value === '') throw new Error(`--${flag} or ${variable} is missing${otherwise}.`);
    return value;
  }
}

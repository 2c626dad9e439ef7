import {
  type AccountInfo,
  type DeviceCodeRequest,
  type INetworkModule,
  type NetworkRequestOptions,
  type NetworkResponse,
  PublicClientApplication,
} from '@azure/msal-node';
import type { OpenBrowser } from './browser.ts';
import { Stopped } from './rule.ts';

export interface SignInOptions {
  readonly tenantId: string;
  /** A registration that allows public client flows, with the redirect URI `http://localhost`. */
  readonly clientId: string;
  /** Without a path. */
  readonly authorityHost: string;
  /** Shows the person where to sign in. */
  readonly show: (message: string) => void;
  /** Without it, and where it throws, the person enters a code on any device. */
  readonly openBrowser?: OpenBrowser | undefined;
  /** For how long a browser may take; an hour would only hide that its page shows an error. */
  readonly browserTimeoutMs?: number;
}

/**
 * A person who signs in once for every resource that a command needs: in a browser of this machine (authorization code with PKCE,
 * whose response goes to loopback), else by a code on any device, which many tenants block (docs/sign-in-rules.md, B7). Tokens are in memory
 * only.
 */
export class SignIn {
  readonly #options: SignInOptions;
  readonly #client: PublicClientApplication;
  #lastError = '';
  #account: Promise<AccountInfo | null> | undefined;

  constructor(options: SignInOptions) {
    const { tenantId, clientId, authorityHost } = options;
    const authority = `${authorityHost}/${tenantId}`;
    const networkClient = network((error) => (this.#lastError = error));
    this.#client = new PublicClientApplication({
      auth: { clientId, authority, knownAuthorities: [new URL(authority).host] },
      system: { networkClient },
    });
    this.#options = options;
  }

  /**
   * A token for these scopes, which are of one resource. Asks the person the first time only; the signal ends that wait.
   * @throws Stopped
   */
  async token(scopes: readonly string[], signal?: AbortSignal): Promise<string> {
    try {
      this.#account ??= this.#signIn(scopes, signal);
      const account = await this.#account;
      if (account === null) throw new Error('msal returned no account');
      const { accessToken } = await this.#client.acquireTokenSilent({ scopes: [...scopes], account });
      return accessToken;
    } catch (error) {
      if (error instanceof Stopped) throw error;
      const { errorCode = '', errorMessage = '' } = error as { errorCode?: string; errorMessage?: string };
      const numbers = errorMessage.match(/AADSTS\d+/g) ?? [];
      throw new Stopped(reasonOf([errorCode, ...numbers, this.#lastError].join(' ')));
    }
  }

  async #signIn(scopes: readonly string[], signal: AbortSignal | undefined): Promise<AccountInfo | null> {
    const { openBrowser } = this.#options;
    const account = openBrowser && (await this.#signInWith(openBrowser, scopes, signal));
    return account === undefined ? this.#signInByCode(scopes, signal) : account;
  }

  /** Undefined if no browser can be opened. */
  async #signInWith(
    openBrowser: OpenBrowser,
    scopes: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<AccountInfo | null | undefined> {
    let isOpen = false;
    using wait = new Wait(this.#options.browserTimeoutMs ?? browserTimeoutMs, signal);
    try {
      const result = await this.#client.acquireTokenInteractive({
        scopes: [...scopes],
        // A browser can have the session of another account.
        prompt: 'select_account',
        successTemplate: 'You are signed in, and can close this page.',
        errorTemplate: 'You are not signed in. The command says why; this page can be closed.',
        openBrowser: async (url) => {
          await openBrowser(url);
          isOpen = true;
          this.#options.show(
            `Sign in in the browser of this machine. If none has opened, open this address there: ${url}\nIf its page shows a number AADSTS…, press Ctrl-C: then this says what to do.`,
          );
          wait.for(url);
        },
      });
      return result.account;
    } catch (error) {
      if (wait.hasEnded) throw new Stopped(`${wait.hasEnded} ${pageReasons}`);
      if (isOpen || this.#lastError !== '') throw error;
      return undefined;
    }
  }

  async #signInByCode(
    scopes: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<AccountInfo | null> {
    const { show } = this.#options;
    const request: DeviceCodeRequest = {
      scopes: [...scopes],
      deviceCodeCallback: ({ userCode, message }) => {
        // msal calls it without a code, too, when the provider gave none, and then asks for a token without one (read in 7.2.1).
        if (!userCode) throw new Error('no code');
        show(message);
      },
    };
    signal?.addEventListener('abort', () => (request.cancel = true));
    return (await this.#client.acquireTokenByDeviceCode(request))?.account ?? null;
  }
}

const browserTimeoutMs = 300_000;

/** Ends msal's wait for a browser, which has neither a timeout nor a signal: with the response of a sign-in that has failed. */
class Wait implements Disposable {
  readonly #signal: AbortSignal | undefined;
  readonly #timeoutMs: number;
  #timer: NodeJS.Timeout | undefined;
  #onAbort = (): void => undefined;
  /** Why, if it did. */
  hasEnded = '';

  constructor(timeoutMs: number, signal: AbortSignal | undefined) {
    this.#timeoutMs = timeoutMs;
    this.#signal = signal;
  }

  /** @param url of the authorization request, which has the address that msal listens on */
  for(url: string): void {
    const { searchParams } = new URL(url);
    const address = (searchParams.get('redirect_uri') ?? '').replace('//localhost', '//127.0.0.1');
    const body = new URLSearchParams({ error: 'ended', state: searchParams.get('state') ?? '' });
    const end = (why: string): void => {
      this.hasEnded = why;
      // Its own end is the failure of the sign-in.
      fetch(address, { method: 'POST', body }).catch(() => undefined);
    };
    this.#onAbort = () => end('The sign-in was ended.');
    if (this.#signal?.aborted) this.#onAbort();
    this.#signal?.addEventListener('abort', this.#onAbort);
    const minutes = Math.ceil(this.#timeoutMs / 60_000);
    this.#timer = setTimeout(
      () => end(`The browser has not signed in within ${minutes} minutes.`),
      this.#timeoutMs,
    );
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#onAbort);
  }
}

const timeoutMs = 30_000;
/** Of a proxy that reads connections and signs them with a certificate of its own. */
const certificateFault = /CERT|SIGNATURE/;

/** msal's own network has no timeout, and of an error of the device code endpoint msal keeps nothing. */
function network(onError: (error: string) => void): INetworkModule {
  const send = async <T>(url: string, init: RequestInit): Promise<NetworkResponse<T>> => {
    let response: Response;
    try {
      response = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
    } catch (error) {
      const { code = '' } = ((error as Error).cause ?? {}) as { code?: string };
      onError(certificateFault.test(code) ? `untrusted ${code}` : 'unreachable');
      throw error;
    }
    const body = (await response.json().catch(() => null)) as
      | (T & { error?: string; error_codes?: number[] })
      | null;
    if (body === null) {
      onError(`page (${response.status})`);
      throw new Error('no JSON');
    }
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

const assignment =
  'This person is not assigned to the registration of --client (AADSTS50105): bash bicep/entra/assign-role.sh "$VERIFICATION_CLIENT_ID" - <sign-in name>.';
const conditionalAccess =
  'Conditional access of the tenant blocks this sign-in (AADSTS53003). It often blocks codes for everybody: then run the command where a browser opens, not over SSH and without --device-code. Otherwise the sign-in log in Entra ID names the policy.';
const delegated =
  'This account administers the tenant for another one, which sees a risk in it (AADSTS530034): sign in with an account of the tenant itself, or let the administrators of its home tenant clear the risk.';
const consent =
  'An administrator has to consent to the permissions of the registration of --client (AADSTS65001, 90094): run bicep/entra/register-app.sh again.';
const noRegistration = 'The tenant has no registration with the id of --client (AADSTS700016).';

/** What Entra ID shows on its own page only, because it sends no response to the program. */
const pageReasons = `What the page may have shown:\n${[
  'The registration of --client has no redirect URI http://localhost (AADSTS50011): run bicep/entra/register-app.sh again, or use --device-code.',
  assignment,
  conditionalAccess,
  delegated,
  consent,
  noRegistration,
]
  .map((reason) => `- ${reason}`)
  .join('\n')}`;

const reasons: readonly (readonly [RegExp, string])[] = [
  [
    /\bpage \(\d+\)$/,
    'In place of the identity provider, a web page responds: that of a proxy, or of a network that wants a sign-in of its own. Open any page in a browser, and sign in to the network; behind a proxy, set HTTPS_PROXY and NODE_USE_ENV_PROXY=1, and let it pass the host of the identity provider.',
  ],
  [
    /\buntrusted \w+$/,
    'The certificate of the identity provider is signed by nobody whom this machine trusts, as behind a proxy that reads connections: set NODE_EXTRA_CA_CERTS to the file of its certificate authority.',
  ],
  [
    /\bunreachable$/,
    'The identity provider cannot be reached. Behind a proxy, set HTTPS_PROXY and NODE_USE_ENV_PROXY=1.',
  ],
  [
    /AADSTS530036\b/,
    'The tenant blocks sign-in by a code, and with it what such a sign-in was given (AADSTS530036): run the command where a browser opens, not over SSH and without --device-code.',
  ],
  [/AADSTS53003\b/, conditionalAccess],
  [/AADSTS530034\b/, delegated],
  [/AADSTS50105\b/, assignment],
  [/AADSTS(?:65001|90094)\b/, consent],
  [/AADSTS700016\b/, noRegistration],
  [/authorization_declined|access_denied/, 'The sign-in was declined.'],
  [
    /expired_token|device_code_expired/,
    'The code has expired: run the command again, and enter the new code.',
  ],
  [/device_code_polling_cancelled/, 'The sign-in was ended.'],
  [
    /AADSTS7000218\b/,
    'The registration of --client does not allow public client flows: it has to be the one that bicep/entra registers for verification.',
  ],
  [
    /slow_down/,
    'The identity provider asked for slower polling, which msal-node does not do: run the command again.',
  ],
];

import { browserHere, type Environment, type OpenBrowser } from './browser.ts';
import type { SignIn } from './sign-in.ts';

/** Each has a variable of the deployment as its default. */
export const signInFlags = {
  tenant: { type: 'string' },
  client: { type: 'string' },
  api: { type: 'string' },
  'device-code': { type: 'boolean' },
} as const;

export const signInUsage = `Signing in: in the browser of this machine, or by a code that you enter on any device.
  --client ID    VERIFICATION_CLIENT_ID: the registration for this, which bicep/entra creates
  --tenant ID    IDP_TENANT_ID
  --api ID       IDP_API_CLIENT_ID: the registration of the API
  --device-code  by a code, also where a browser could open`;

export interface SignInFlags {
  readonly tenant?: string | undefined;
  readonly client?: string | undefined;
  readonly api?: string | undefined;
  readonly 'device-code'?: boolean | undefined;
}

/** What the commands may do in Graph in the name of the person who runs them; the registration has the same list. */
export const graphScopes = ['Files.ReadWrite.All', 'User.Read'];

/** People who sign in for the tokens that no variable has. */
export class People {
  readonly #flags: SignInFlags;
  readonly #env: Environment;
  readonly #openBrowser: OpenBrowser | undefined;
  readonly #signedIn = new Map<string, Promise<SignIn>>();

  constructor(flags: SignInFlags, env: Environment) {
    this.#flags = flags;
    this.#env = env;
    this.#openBrowser = flags['device-code'] ? undefined : browserHere(env);
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

  /** A token for Graph: that of the variable, or of a person who signs in, whom `who` names to the one at the screen. */
  graphToken(variable: string, who = ''): () => Promise<string> {
    return this.#token(variable, who, () => graphScopes);
  }

  /** The same for the ids of sites, which the scopes above do not show. */
  siteReader(): () => Promise<string> {
    return this.#token('GRAPH_TOKEN', '', () => ['Sites.Read.All']);
  }

  /** The same for the API. */
  apiToken(variable: string, who = ''): () => Promise<string> {
    return this.#token(variable, who, () => [`${this.apiId}/access_as_user`]);
  }

  #token(variable: string, who: string, scopes: () => readonly string[]): () => Promise<string> {
    const token = this.#env[variable];
    if (token !== undefined && token !== '') return () => Promise.resolve(token);
    return () => tokenOf(this.#personOf(who, variable), scopes());
  }

  #personOf(who: string, variable: string): Promise<SignIn> {
    const person = this.#signedIn.get(who) ?? this.#newPerson(who, variable);
    this.#signedIn.set(who, person);
    return person;
  }

  #newPerson(who: string, variable: string): Promise<SignIn> {
    const options = {
      tenantId: this.tenantId,
      clientId: this.#given('client', 'VERIFICATION_CLIENT_ID', `, or ${variable} with a token`),
      authorityHost: this.authorityHost,
      show: (message: string) => console.error(who === '' ? message : `${who}: ${message}`),
      openBrowser: this.#openBrowser,
    };
    // Loaded here, because a pipeline has tokens, but no packages.
    return import('./sign-in.ts').then(({ SignIn: Person }) => new Person(options));
  }

  #given(flag: Exclude<keyof SignInFlags, 'device-code'>, variable: string, otherwise = ''): string {
    const value = this.#flags[flag] ?? this.#env[variable] ?? '';
    if (value === '') throw new Error(`--${flag} or ${variable} is missing${otherwise}.`);
    return value;
  }
}

/** Ctrl-C ends a wait for the person, so that the command says what an error in the browser means. */
async function tokenOf(person: Promise<SignIn>, scopes: readonly string[]): Promise<string> {
  const controller = new AbortController();
  const interrupt = (): void => controller.abort();
  process.once('SIGINT', interrupt);
  try {
    return await (await person).token(scopes, controller.signal);
  } finally {
    process.off('SIGINT', interrupt);
  }
}

import { ErrorResponse, ErrorTimeout, User } from 'oidc-client-ts';
import { attempt } from '../base/stored-choice.ts';
import { permissionsIn, type Permission } from './permissions.ts';
import { consolePath } from './page-settings.ts';
import { canSignIn, tabStorage, userManager } from './user-manager.ts';

export interface SignedInUser {
  readonly id: string;
  readonly name: string;
  readonly permissions: ReadonlySet<Permission>;
}

export type SessionState =
  | { readonly kind: 'opening' }
  /** `isByOtherTab`: the user has signed out in another tab of this browser. */
  | { readonly kind: 'signedOut'; readonly failure?: SignInFailure; readonly isByOtherTab?: boolean }
  | {
      readonly kind: 'signedIn';
      readonly user: SignedInUser;
      /** The tokens cannot be renewed; the view remains unchanged until the user signs in again. */
      readonly hasEnded: boolean;
      /** Who has signed in instead; the view belongs to `user`. */
      readonly otherName?: string;
    };

/** Why a sign-in failed, in words of the page; the messages of the library and of the provider are for developers. */
export interface SignInFailure {
  readonly kind: 'outdated' | 'denied' | 'unreachable' | 'storageOff' | 'other';
  /** What administrators can look up, such as `AADSTS50105`. */
  readonly code?: string;
}

/** Thrown by requests after the session has ended. */
export class SessionEnded extends Error {
  override readonly name = 'SessionEnded';
}

interface ReturnTo {
  readonly path: string;
  /** The sign-in is for another tab, in a window that closes afterwards. */
  readonly forOtherTab?: boolean;
}

/** What the tabs of this browser tell each other. */
type Message =
  | { readonly kind: 'signedIn'; readonly stored: string }
  | { readonly kind: 'signedOut'; readonly userId: string };

type Prompt = 'none' | 'select_account';

const renewBeforeSeconds = 60;
/** Set while the next start of the page must not sign in without a question. */
const askKey = 'ask-before-sign-in';
/** Responses to `prompt=none` that only say that the user has to be asked (sign-in rule B5). */
const needsQuestion: ReadonlySet<string | null> = new Set([
  'login_required',
  'interaction_required',
  'consent_required',
  'account_selection_required',
]);

/** The session of this tab. */
class Session {
  #state: SessionState = { kind: 'opening' };
  readonly #listeners = new Set<() => void>();
  #renewal: Promise<User> | undefined;
  /** Claims challenge of the last rejection (conditional access). */
  #claims: string | undefined;
  /** Announces sign-ins and sign-outs to the other tabs of this browser, so one is enough for all of them. Firefox rejects it without storage. */
  readonly #tabs = attempt(() => new BroadcastChannel('session'));

  constructor() {
    this.#tabs?.addEventListener('message', ({ data }: MessageEvent<Message>) => {
      if (data.kind === 'signedIn') void this.#adopt(data.stored);
      else this.#leave(data.userId);
    });
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): SessionState => this.#state;

  /**
   * Completes a sign-in that has just returned, or restores the session of this tab. A new tab signs in without a question
   * if the browser has a session at the identity provider: by a redirect, because browsers block the provider's cookies
   * in frames.
   */
  async open(): Promise<void> {
    if (!canSignIn) return this.#set({ kind: 'signedOut', failure: { kind: 'storageOff' } });
    try {
      if (location.pathname === `${consolePath}/signed-in`) return await this.#finishSignIn();
      const user = await userManager.getUser();
      const isAsked = tabStorage.getItem(askKey) !== null;
      tabStorage.removeItem(askKey);
      const isForOtherTab = location.pathname === `${consolePath}/sign-in-again`;
      if (user || isAsked || isForOtherTab) return this.#become(user);
      // Also if the user comes back by the browser's button, or the provider does not respond.
      tabStorage.setItem(askKey, 'yes');
      await this.signIn(undefined, 'none');
    } catch (error) {
      this.#fail(error);
    }
  }

  async signIn(
    returnTo: ReturnTo = { path: location.pathname + location.search },
    prompt?: Prompt,
  ): Promise<void> {
    // The page says why.
    if (!canSignIn) return;
    await userManager.signinRedirect({
      state: returnTo,
      nonce: crypto.randomUUID(),
      ...(prompt && { prompt }),
      ...(this.#claims !== undefined && { extraQueryParams: { claims: this.#claims } }),
    });
  }

  /**
   * Opens another window, so input in this one is kept. After another person has signed in there, it offers a choice.
   *
   * @returns whether the browser has opened it
   */
  signInAgain(): boolean {
    const isChoice = this.#state.kind === 'signedIn' && this.#state.otherName !== undefined;
    const params = new URLSearchParams({
      ...(this.#claims !== undefined && { claims: this.#claims }),
      ...(isChoice && { choose: 'yes' }),
    });
    const address = `${consolePath}/sign-in-again?${params}`;
    return window.open(address, 'sign-in-again', 'width=520,height=680') !== null;
  }

  /** Runs in the window that `signInAgain` opens. */
  async signInForOtherTab(): Promise<void> {
    const params = new URLSearchParams(location.search);
    this.#claims = params.get('claims') ?? undefined;
    const prompt = params.has('choose') ? 'select_account' : undefined;
    await this.signIn({ path: consolePath, forOtherTab: true }, prompt);
  }

  /** Here and in the other tabs of this user. */
  async signOut(): Promise<void> {
    if (this.#state.kind === 'signedIn') this.#tell({ kind: 'signedOut', userId: this.#state.user.id });
    tabStorage.clear();
    tabStorage.setItem(askKey, 'yes');
    await userManager.signoutRedirect();
  }

  /** Resolves as soon as the session can be used. @throws SessionEnded after a sign-out; the signal's reason */
  resumed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        const state = this.#state;
        if (!signal.aborted && state.kind === 'signedIn' && state.hasEnded) return;
        stop();
        signal.removeEventListener('abort', check);
        if (signal.aborted) reject(signal.reason as Error);
        else if (state.kind === 'signedIn') resolve();
        else reject(new SessionEnded());
      };
      const stop = this.subscribe(check);
      signal.addEventListener('abort', check);
      check();
    });
  }

  /**
   * A token that is valid for at least another minute.
   *
   * @throws SessionEnded when the user has to sign in again
   */
  async accessToken({ renew = false }: { renew?: boolean } = {}): Promise<string> {
    const user = await userManager.getUser();
    if (!user) this.end();
    if (!user || (this.#state.kind === 'signedIn' && this.#state.hasEnded)) throw new SessionEnded();
    if (!renew && (user.expires_in ?? 0) > renewBeforeSeconds) return user.access_token;
    return (await this.#renew()).access_token;
  }

  /** Ends the session until the user signs in again, with the claims challenge if there is one. */
  end(claims?: string): void {
    this.#claims = claims;
    if (this.#state.kind === 'signedIn') this.#set({ ...this.#state, hasEnded: true });
  }

  /** All waiting requests share one renewal. */
  #renew(): Promise<User> {
    this.#renewal ??= (async () => {
      try {
        const user = await userManager.signinSilent();
        if (!user) throw new SessionEnded();
        this.#become(user);
        return user;
      } catch (error) {
        // Any other error is one of the network and may be temporary.
        if (!(error instanceof ErrorResponse) && !(error instanceof SessionEnded)) throw error;
        this.end();
        throw new SessionEnded();
      } finally {
        this.#renewal = undefined;
      }
    })();
    return this.#renewal;
  }

  async #finishSignIn(): Promise<void> {
    const user = await userManager.signinRedirectCallback();
    const { path, forOtherTab } = user.state as ReturnTo;
    tabStorage.removeItem(askKey);
    if (forOtherTab) {
      this.#tell({ kind: 'signedIn', stored: user.toStorageString() });
      window.close();
    }
    history.replaceState(null, '', path);
    this.#become(user);
  }

  #fail(error: unknown): void {
    tabStorage.removeItem(askKey);
    if (error instanceof ErrorResponse && needsQuestion.has(error.error)) {
      const { path = consolePath } = (error.state ?? {}) as Partial<ReturnTo>;
      history.replaceState(null, '', path);
      return this.#set({ kind: 'signedOut' });
    }
    history.replaceState(null, '', consolePath);
    this.#set({ kind: 'signedOut', failure: failureOf(error) });
  }

  #tell(message: Message): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- the rule is about windows; a channel has only one origin
    this.#tabs?.postMessage(message);
  }

  /** Adopts the sign-in of another tab if it is the same user's and this tab's session has ended. */
  async #adopt(stored: string): Promise<void> {
    const user = User.fromStorageString(stored);
    const state = this.#state;
    if (state.kind !== 'signedIn' || !state.hasEnded) return;
    if (state.user.id !== idOf(user)) return this.#set({ ...state, otherName: nameOf(user) });
    await userManager.storeUser(user);
    this.#become(user);
  }

  /** The user has signed out in another tab. */
  #leave(userId: string): void {
    if (this.#state.kind !== 'signedIn' || this.#state.user.id !== userId) return;
    tabStorage.clear();
    this.#set({ kind: 'signedOut', isByOtherTab: true });
  }

  #become(user: User | null): void {
    if (!user) return this.#set({ kind: 'signedOut' });
    this.#claims = undefined;
    this.#set({
      kind: 'signedIn',
      hasEnded: false,
      user: {
        id: idOf(user),
        name: nameOf(user),
        permissions: permissionsIn(user.access_token),
      },
    });
  }

  #set(state: SessionState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

function failureOf(error: unknown): SignInFailure {
  if (error instanceof ErrorResponse) {
    const [code = error.error] = /AADSTS\d+/.exec(error.error_description ?? '') ?? [];
    return { kind: 'denied', ...(code && { code }) };
  }
  // fetch throws it when there is no response.
  if (error instanceof TypeError || error instanceof ErrorTimeout) return { kind: 'unreachable' };
  const isOutdated = error instanceof Error && outdated.test(error.message);
  return { kind: isOutdated ? 'outdated' : 'other' };
}

/** Of oidc-client-ts, which has no class for it: the response is not to a question of this tab. */
const outdated = /No matching state found|No state in response/;

/** `oid` identifies the user for the API; `sub` differs from app to app. */
const idOf = ({ profile }: User): string => (profile['oid'] as string | undefined) ?? profile.sub;

const nameOf = ({ profile }: User): string => profile.name ?? profile.preferred_username ?? '';

export const session = new Session();

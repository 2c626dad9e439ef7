import { ErrorResponse, User } from 'oidc-client-ts';
import { permissionsIn, type Permission } from './permissions.ts';
import { consolePath } from './page-settings.ts';
import { userManager } from './user-manager.ts';

export interface SignedInUser {
  readonly id: string;
  readonly name: string;
  readonly permissions: ReadonlySet<Permission>;
}

export type SessionState =
  | { readonly kind: 'opening' }
  | { readonly kind: 'signedOut'; readonly failure?: string }
  /** `hasEnded`: the tokens cannot be renewed; the view remains unchanged until the user signs in again. */
  | { readonly kind: 'signedIn'; readonly user: SignedInUser; readonly hasEnded: boolean };

/** Thrown by requests after the session has ended. */
export class SessionEnded extends Error {
  override readonly name = 'SessionEnded';
}

interface ReturnTo {
  readonly path: string;
  /** The sign-in is for another tab, in a window that closes afterwards. */
  readonly forOtherTab?: boolean;
}

const renewBeforeSeconds = 60;

/** The session of this tab. */
class Session {
  #state: SessionState = { kind: 'opening' };
  readonly #listeners = new Set<() => void>();
  #renewal: Promise<User> | undefined;
  /** Claims challenge of the last rejection (conditional access). */
  #claims: string | undefined;
  /** Announces a new sign-in to the other tabs of this browser, so one is enough for all of them. */
  readonly #tabs = new BroadcastChannel('session');

  constructor() {
    this.#tabs.addEventListener('message', ({ data }: MessageEvent<string>) => void this.#adopt(data));
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): SessionState => this.#state;

  /** Completes a sign-in that has just returned, or restores the session of this tab. */
  async open(): Promise<void> {
    try {
      if (location.pathname === `${consolePath}/signed-in`) await this.#finishSignIn();
      else this.#become(await userManager.getUser());
    } catch (error) {
      const failure = error instanceof Error ? error.message : String(error);
      history.replaceState(null, '', consolePath);
      this.#set({ kind: 'signedOut', failure });
    }
  }

  async signIn(returnTo: ReturnTo = { path: location.pathname + location.search }): Promise<void> {
    await userManager.signinRedirect({
      state: returnTo,
      nonce: crypto.randomUUID(),
      ...(this.#claims !== undefined && { extraQueryParams: { claims: this.#claims } }),
    });
  }

  /** Opens another window, so input in this one is kept. */
  signInAgain(): void {
    const claims = this.#claims === undefined ? '' : `?${new URLSearchParams({ claims: this.#claims })}`;
    window.open(`${consolePath}/sign-in-again${claims}`, 'sign-in-again', 'width=520,height=680');
  }

  /** Runs in the window that `signInAgain` opens. */
  async signInForOtherTab(): Promise<void> {
    this.#claims = new URLSearchParams(location.search).get('claims') ?? undefined;
    await this.signIn({ path: consolePath, forOtherTab: true });
  }

  async signOut(): Promise<void> {
    sessionStorage.clear();
    await userManager.signoutRedirect();
  }

  /**
   * A token that is valid for at least another minute.
   *
   * @throws SessionEnded when the user has to sign in again
   */
  async accessToken({ renew = false }: { renew?: boolean } = {}): Promise<string> {
    const user = await userManager.getUser();
    if (!user || (this.#state.kind === 'signedIn' && this.#state.hasEnded)) throw new SessionEnded();
    if (!renew && (user.expires_in ?? 0) > renewBeforeSeconds) return user.access_token;
    return (await this.#renewed()).access_token;
  }

  /** Ends the session until the user signs in again, with the claims challenge if there is one. */
  end(claims?: string): void {
    this.#claims = claims;
    if (this.#state.kind === 'signedIn') this.#set({ ...this.#state, hasEnded: true });
  }

  /** All waiting requests share one renewal. */
  #renewed(): Promise<User> {
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
    if (forOtherTab) {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- the rule is about windows; a channel has only one origin
      this.#tabs.postMessage(user.toStorageString());
      window.close();
    }
    history.replaceState(null, '', path);
    this.#become(user);
  }

  /** Adopts the sign-in of another tab if it is the same user's and this tab's session has ended. */
  async #adopt(stored: string): Promise<void> {
    const user = User.fromStorageString(stored);
    const state = this.#state;
    if (state.kind !== 'signedIn' || !state.hasEnded || state.user.id !== idOf(user)) return;
    await userManager.storeUser(user);
    this.#become(user);
  }

  #become(user: User | null): void {
    if (!user) return this.#set({ kind: 'signedOut' });
    this.#claims = undefined;
    this.#set({
      kind: 'signedIn',
      hasEnded: false,
      user: {
        id: idOf(user),
        name: user.profile.name ?? user.profile.preferred_username ?? '',
        permissions: permissionsIn(user.access_token),
      },
    });
  }

  #set(state: SessionState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

/** `oid` identifies the user for the API; `sub` differs from app to app. */
const idOf = ({ profile }: User): string => (profile['oid'] as string | undefined) ?? profile.sub;

export const session = new Session();

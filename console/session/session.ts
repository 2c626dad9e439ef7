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
  /** `hasEnded`: the tokens can't be renewed; the view stays as it is until the user signs in again. */
  | { readonly kind: 'signedIn'; readonly user: SignedInUser; readonly hasEnded: boolean };

/** Thrown by requests of a session that has ended. */
export class SessionEnded extends Error {
  override readonly name = 'SessionEnded';
}

interface ReturnTo {
  readonly path: string;
  /** Signed in for another tab, in a window that then closes. */
  readonly forOtherTab?: boolean;
}

const renewBeforeSeconds = 60;

/** Signed-in users of this tab, one after the other. */
class Session {
  #state: SessionState = { kind: 'opening' };
  readonly #listeners = new Set<() => void>();
  #renewal: Promise<User> | undefined;
  /** What the provider asked for with the last refusal (conditional access). */
  #claims: string | undefined;
  /** Tells other tabs of this browser about a new sign-in, so that one is enough for all of them. */
  readonly #tabs = new BroadcastChannel('session');

  constructor() {
    this.#tabs.addEventListener('message', ({ data }: MessageEvent<string>) => void this.#adopt(data));
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): SessionState => this.#state;

  /** Finishes a sign-in that has just returned, or takes up the one of this tab. */
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

  /** In a window of its own: what was typed in this one stays. */
  signInAgain(): void {
    const claims = this.#claims === undefined ? '' : `?${new URLSearchParams({ claims: this.#claims })}`;
    window.open(`${consolePath}/sign-in-again${claims}`, 'sign-in-again', 'width=520,height=680');
  }

  /** What the window of `signInAgain` does. */
  async signInForOtherTab(): Promise<void> {
    this.#claims = new URLSearchParams(location.search).get('claims') ?? undefined;
    await this.signIn({ path: consolePath, forOtherTab: true });
  }

  async signOut(): Promise<void> {
    sessionStorage.clear();
    await userManager.signoutRedirect();
  }

  /**
   * A token that is good for a minute at least.
   *
   * @throws SessionEnded when the user has to sign in again
   */
  async accessToken({ renew = false }: { renew?: boolean } = {}): Promise<string> {
    const user = await userManager.getUser();
    if (!user || (this.#state.kind === 'signedIn' && this.#state.hasEnded)) throw new SessionEnded();
    if (!renew && (user.expires_in ?? 0) > renewBeforeSeconds) return user.access_token;
    return (await this.#renewed()).access_token;
  }

  /** The session is over until the user signs in again; the provider may have said what it asks for. */
  end(claims?: string): void {
    this.#claims = claims;
    if (this.#state.kind === 'signedIn') this.#set({ ...this.#state, hasEnded: true });
  }

  /** One renewal for all requests that wait for it. */
  #renewed(): Promise<User> {
    this.#renewal ??= (async () => {
      try {
        const user = await userManager.signinSilent();
        if (!user) throw new SessionEnded();
        this.#become(user);
        return user;
      } catch (error) {
        // Anything else is the network's fault and may pass.
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
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- of windows; a channel has no other origin
      this.#tabs.postMessage(user.toStorageString());
      window.close();
    }
    history.replaceState(null, '', path);
    this.#become(user);
  }

  /** Takes over the sign-in of another tab where it is the same user's and this one needs it. */
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

/** `oid` is the user's id for the API; `sub` differs from app to app. */
const idOf = ({ profile }: User): string => (profile['oid'] as string | undefined) ?? profile.sub;

export const session = new Session();

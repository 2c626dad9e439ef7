import { createHash } from 'node:crypto';
import { systemClock, type Clock } from '../contract/clock.ts';
import type { User } from './caller.ts';
import type { Exchanged, OnBehalfOfSettings } from './on-behalf-of-exchange.ts';

// A token is not handed out in its last minutes, so that it survives the call it is for.
const expiryMarginMs = 5 * 60_000;
// About 3 KiB each: 1,000 signed-in users at once are 3 MiB.
const defaultMaxCachedTokens = 1_000;

/**
 * Library tokens for signed-in users: the on-behalf-of exchange of docs/http-contract.md, "On behalf of the user".
 *
 * One msal client per exchange, and a cache of our own. msal's cache keeps every refresh token for ever, lets two
 * sessions of one user evict each other, and its throttle, which knows no user, would let one user's 5xx block all
 * (read in source and measured: 500 users were 680 kB). Keyed by the assertion, no user can get another's token.
 */
export class OnBehalfOf {
  readonly #settings: OnBehalfOfSettings;
  readonly #clock: Clock;
  readonly #maxCachedTokens: number;
  // In order of use: the first entry is the one unused for longest.
  readonly #cached = new Map<string, Exchanged>();
  readonly #inFlight = new Map<string, Promise<Exchanged>>();

  constructor(
    settings: OnBehalfOfSettings,
    clock: Clock = systemClock,
    maxCachedTokens: number = defaultMaxCachedTokens,
  ) {
    this.#settings = settings;
    this.#clock = clock;
    this.#maxCachedTokens = maxCachedTokens;
  }

  /**
   * A library token of this user. Parallel calls with one assertion share one exchange.
   *
   * @throws ServiceError `interaction_required`, `sign_in_again`, `consent_missing`, `forbidden` or
   * `identity_provider_*`
   */
  async tokenFor(user: User): Promise<string> {
    const key = keyOf(user);
    const cached = this.#cached.get(key);
    if (cached && cached.expiresAtMs - expiryMarginMs > this.#clock.now()) {
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
      if (this.#cached.size <= this.#maxCachedTokens && expiresAtMs > this.#clock.now()) break;
      this.#cached.delete(oldKey);
    }
    return exchanged;
  }

  async #exchange(user: User): Promise<Exchanged> {
    // Loaded by the first exchange: msal is a quarter of what a cold start would otherwise run.
    const { exchangeOnBehalfOf } = await import('./on-behalf-of-exchange.ts');
    return exchangeOnBehalfOf(this.#settings, user);
  }
}

// The assertion itself is a credential; its digest is enough to tell users apart.
const keyOf = (user: User): string =>
  createHash('sha256').update(user.assertion.reveal()).digest('base64url');

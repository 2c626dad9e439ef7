import { createHash } from 'node:crypto';
import { BoundedMap } from '../base/bounded-map.ts';
import { systemClock, type Clock } from '../contract/clock.ts';
import type { User } from './caller.ts';
import type { Exchanged, OnBehalfOfSettings } from './on-behalf-of-exchange.ts';

// A token is not returned in its last minutes, because it must remain valid for the call that uses it.
const expiryMarginMs = 5 * 60_000;
// About 3 KiB each: 1,000 concurrent users take 3 MiB.
const defaultMaxCachedTokens = 1_000;

/**
 * Library tokens for signed-in users: the on-behalf-of exchange of docs/http-contract.md, "On behalf of the user".
 *
 * One msal client per exchange, and our own cache (docs/decisions/0011). It is keyed by the assertion, so no user can get
 * another's token.
 */
export class OnBehalfOf {
  readonly #settings: OnBehalfOfSettings;
  readonly #clock: Clock;
  // In order of use: the first entry is the one unused for longest.
  readonly #cached: BoundedMap<string, Exchanged>;
  readonly #inFlight = new Map<string, Promise<Exchanged>>();

  constructor(
    settings: OnBehalfOfSettings,
    clock: Clock = systemClock,
    maxCachedTokens: number = defaultMaxCachedTokens,
  ) {
    this.#settings = settings;
    this.#clock = clock;
    this.#cached = new BoundedMap(maxCachedTokens);
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

  /** Call when the library has rejected this token before its expiry (revoked, continuous access evaluation). */
  forget(user: User, token: string): void {
    const key = keyOf(user);
    // A parallel call may already have replaced it.
    if (this.#cached.get(key)?.token === token) this.#cached.delete(key);
  }

  async #exchangeAndKeep(key: string, user: User): Promise<Exchanged> {
    const exchanged = await this.#exchange(user);
    this.#cached.set(key, exchanged);
    return exchanged;
  }

  async #exchange(user: User): Promise<Exchanged> {
    // Loaded by the first exchange: msal would otherwise be a quarter of the code that a cold start runs.
    const { exchangeOnBehalfOf } = await import('./on-behalf-of-exchange.ts');
    return exchangeOnBehalfOf(this.#settings, user);
  }
}

// The assertion itself is a credential; its digest is enough to distinguish users.
const keyOf = (user: User): string =>
  createHash('sha256').update(user.assertion.reveal()).digest('base64url');

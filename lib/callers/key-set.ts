import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import type { EventLog } from '../base/event-log.ts';
import type { Clock } from '../contract/clock.ts';

const timeoutMs = 5_000;
// As Microsoft recommends.
const maxAgeMs = 24 * 60 * 60_000;
const cooldownMs = 30_000;
// Shorter, because without any keys nobody is signed in.
const firstCooldownMs = 5_000;

/** The provider's response is not a set with a key that can verify a token. */
export class UnusableKeySet extends Error {}

/**
 * The key set of the identity provider, refreshed every day, and when a token names an unknown key. The last usable set
 * remains in use, whatever the provider returns: one failed fetch must not lock everybody out. Fetches, also failed ones, are
 * at least 30 s apart, so invented keys cost the provider two requests a minute.
 */
export class KeySet {
  readonly #url: URL;
  readonly #clock: Clock;
  readonly #log: EventLog | undefined;
  #held: { readonly keyOf: JWTVerifyGetKey; readonly fetchedAtMs: number } | undefined;
  #attempt: { readonly atMs: number; readonly failure?: unknown } | undefined;
  #running: Promise<void> | undefined;

  constructor(url: URL, clock: Clock, log?: EventLog) {
    this.#url = url;
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * @throws JWKSNoMatchingKey
   * @throws UnusableKeySet or the error of the fetch, if no set was ever fetched
   */
  readonly keyOf: JWTVerifyGetKey = async (header, token) => {
    if (this.#held) {
      // In the background: the set in hand verifies as it did a moment ago.
      if (this.#clock.now() - this.#held.fetchedAtMs > maxAgeMs) void this.#refresh();
      try {
        return await this.#held.keyOf(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      }
    }
    await this.#refresh();
    if (!this.#held) throw this.#attempt?.failure;
    return this.#held.keyOf(header, token);
  };

  async #refresh(): Promise<void> {
    const sinceMs = this.#clock.now() - (this.#attempt?.atMs ?? -Infinity);
    // A clock that was set back must not postpone the next fetch.
    const isTooSoon = sinceMs >= 0 && sinceMs < (this.#held ? cooldownMs : firstCooldownMs);
    if (!this.#running && isTooSoon) return;
    await (this.#running ??= this.#fetch().finally(() => (this.#running = undefined)));
  }

  async #fetch(): Promise<void> {
    const atMs = this.#clock.now();
    try {
      this.#held = { keyOf: createLocalJWKSet(await fetchedSet(this.#url)), fetchedAtMs: atMs };
      this.#attempt = { atMs };
    } catch (failure) {
      this.#attempt = { atMs, failure };
      const ageMs = this.#held && atMs - this.#held.fetchedAtMs;
      const ageHours = ageMs === undefined ? null : Math.round(ageMs / 3_600_000);
      this.#log?.warn('key_set_not_refreshed', { ageHours, reason: String(failure) });
    }
  }
}

async function fetchedSet(url: URL): Promise<JSONWebKeySet> {
  const response = await fetch(url, {
    headers: { accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (response.status !== 200) throw new UnusableKeySet(`the key set has status ${response.status}`);
  const body = await response.text();
  const keys = keysIn(body);
  if (!keys.some(({ kty, kid }) => kty === 'RSA' && typeof kid === 'string')) {
    throw new UnusableKeySet('the key set has no RSA key with a kid');
  }
  return { keys };
}

function keysIn(body: string): JSONWebKeySet['keys'] {
  try {
    const { keys } = JSON.parse(body) as Partial<JSONWebKeySet>;
    if (Array.isArray(keys) && keys.every((key) => typeof key === 'object' && key !== null)) return keys;
  } catch {
    // Not JSON: a proxy's page.
  }
  throw new UnusableKeySet('the key set is not JSON with keys');
}

import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose';
import * as z from 'zod';
import type { EventLog } from '../base/event-log.ts';
import { valueOfJson } from '../contract/json.ts';
import type { Clock } from '../contract/clock.ts';

const timeoutMs = 5_000;
// As Microsoft recommends.
const maxAgeMs = 24 * 60 * 60_000;
const cooldownMs = 30_000;
// Shorter, because without any keys nobody is signed in.
const firstCooldownMs = 5_000;

const publishedKeys = z.object({
  keys: z.array(z.looseObject({ kty: z.string(), kid: z.string().exactOptional() })),
});

/** The provider's response is not a set with a key that can verify a token. */
export class UnusableKeySet extends Error {}

/**
 * The key set of the identity provider, refreshed every day, and when a token names an unknown key. The last usable set
 * remains in use, whatever the provider returns: one failed fetch must not lock everybody out. Fetches, also failed ones, are
 * at least 30 s apart, so invented keys cost the provider two requests a minute.
 *
 * @returns throws JWKSNoMatchingKey; or UnusableKeySet or the error of the fetch, if no set was ever fetched
 */
export function keySet(url: URL, clock: Clock, log?: EventLog): JWTVerifyGetKey {
  let held: { readonly keyOf: JWTVerifyGetKey; readonly fetchedAtMs: number } | undefined;
  let attempt: { readonly atMs: number; readonly failure?: unknown } = { atMs: -Infinity };
  let running: Promise<void> | undefined;

  async function fetchAgain(): Promise<void> {
    const atMs = clock.now();
    try {
      held = { keyOf: await fetchSet(url), fetchedAtMs: atMs };
      attempt = { atMs };
    } catch (failure) {
      attempt = { atMs, failure };
      const ageHours = held ? Math.round((atMs - held.fetchedAtMs) / 3_600_000) : null;
      log?.warn('key_set_not_refreshed', { ageHours, reason: String(failure) });
    }
  }

  async function refresh(): Promise<void> {
    const sinceMs = clock.now() - attempt.atMs;
    // A clock that was set back must not postpone the next fetch.
    const isTooSoon = sinceMs >= 0 && sinceMs < (held ? cooldownMs : firstCooldownMs);
    if (!running && isTooSoon) return;
    await (running ??= fetchAgain().finally(() => (running = undefined)));
  }

  return async (header, token) => {
    if (held) {
      // In the background: the set in hand verifies as it did a moment ago.
      if (clock.now() - held.fetchedAtMs > maxAgeMs) void refresh();
      try {
        return await held.keyOf(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      }
    }
    await refresh();
    if (!held) throw attempt.failure;
    return held.keyOf(header, token);
  };
}

async function fetchSet(url: URL): Promise<JWTVerifyGetKey> {
  const response = await fetch(url, {
    headers: { accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (response.status !== 200) throw new UnusableKeySet(`the key set has status ${response.status}`);
  const body = await response.text();
  try {
    const set = publishedKeys.parse(valueOfJson(body));
    const keyOf = createLocalJWKSet(set);
    if (set.keys.some(({ kty, kid }) => kty === 'RSA' && kid !== undefined)) return keyOf;
  } catch {
    // Not JSON, such as a proxy's page, or not a set of keys.
  }
  throw new UnusableKeySet('the key set has no RSA key with a kid');
}

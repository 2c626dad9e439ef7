import { createHash } from 'node:crypto';
import { idempotencyKeyContended } from '../base/idempotency.ts';
import type { Clock } from '../contract/clock.ts';
import { withHeartbeat } from './heartbeat.ts';
import type { IdempotencyKeys, ScopedKey } from './idempotency-keys.ts';
import type { SealedText } from './sealed-text.ts';

/** The results of calls with an `Idempotency-Key` are encrypted, because they contain letters. */
export interface KeyedResults {
  readonly keys: IdempotencyKeys;
  readonly sealed: SealedText;
  readonly clock: Clock;
}

/**
 * @param key `formerScope` is the scope of 1.0.0, whose results count for their 24 hours
 * @param body the same for every call with the key
 * @throws ServiceError `idempotency_key_reused`; `request_in_progress` while the first call runs; errors of `make`
 */
export async function oncePerKey<T extends object>(
  { keys, sealed, clock }: KeyedResults,
  key: ScopedKey & { readonly formerScope?: string },
  body: unknown,
  make: () => Promise<T>,
): Promise<T> {
  const digest = createHash('sha256').update(JSON.stringify(body)).digest('hex');
  const claimed = await keys.claim(key, digest, 'body');
  if (claimed.state === 'running') throw idempotencyKeyContended();
  if (claimed.state === 'done') {
    const result = sealed.open(claimed.outcome, claimed.id);
    if (result !== null) return JSON.parse(result) as T;
    // The secret was replaced.
  }
  const own = claimed.state === 'own' ? claimed.key : await claimed.takeOver();
  if (!own) throw idempotencyKeyContended();
  const formerly = async (): Promise<T | null> => {
    if (key.formerScope === undefined) return null;
    const former = await keys.outcomeOfUse({ ...key, scope: key.formerScope }, digest);
    const result = former && sealed.open(former.outcome, former.id);
    return result === null ? null : (JSON.parse(result) as T);
  };
  const first = async (): Promise<T> => (await formerly()) ?? make();
  const made = await withHeartbeat(clock, own, first).catch(async (error: unknown) => {
    await own.release().catch(() => undefined);
    throw error;
  });
  await own.complete(sealed.seal(JSON.stringify(made), own.id));
  return made;
}

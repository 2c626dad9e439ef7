import { createHash } from 'node:crypto';
import type * as z from 'zod';
import { idempotencyKeyContended } from '../base/idempotency.ts';
import type { Clock } from '../contract/clock.ts';
import { valueOfJson } from '../contract/json.ts';
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
 * @param schema of a result that is kept; one of another release that it rejects is made anew
 * @throws ServiceError `idempotency_key_reused`; `request_in_progress` while the first call runs; errors of `make`
 */
export async function oncePerKey<S extends object, T extends S>(
  { keys, sealed, clock }: KeyedResults,
  key: ScopedKey & { readonly formerScope: string },
  body: unknown,
  schema: z.ZodType<S>,
  make: () => Promise<T>,
): Promise<S> {
  const kept = ({ outcome, id }: SealedOutcome): S | null => {
    const { data = null } = schema.safeParse(valueOfJson(sealed.open(outcome, id)));
    return data;
  };
  const digest = createHash('sha256').update(JSON.stringify(body)).digest('hex');
  const claimed = await keys.claim(key, digest, 'body');
  if (claimed.state === 'running') throw idempotencyKeyContended();
  if (claimed.state === 'done') {
    const result = kept(claimed);
    if (result !== null) return result;
    // The secret was replaced.
  }
  const own = claimed.state === 'own' ? claimed.key : await claimed.takeOver();
  if (!own) throw idempotencyKeyContended();
  const formerly = async (): Promise<S | null> => {
    const former = await keys.outcomeOfUse({ ...key, scope: key.formerScope }, digest);
    return former && kept(former);
  };
  const first = async (): Promise<S> => (await formerly()) ?? make();
  const made = await withHeartbeat(clock, own, first).catch(async (error: unknown) => {
    await own.release().catch(() => undefined);
    throw error;
  });
  await own.complete(sealed.seal(JSON.stringify(made), own.id));
  return made;
}

interface SealedOutcome {
  readonly outcome: string;
  /** Of the key, which is where it is stored. */
  readonly id: string;
}

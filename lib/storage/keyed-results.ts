import { createHash } from 'node:crypto';
import { idempotencyKeyContended } from '../base/idempotency.ts';
import type { Clock } from '../contract/clock.ts';
import { withHeartbeat } from './heartbeat.ts';
import type { IdempotencyKeys, ScopedKey } from './idempotency-keys.ts';
import type { SealedText } from './sealed-text.ts';

/** The results of calls with an `Idempotency-Key`, encrypted, because they contain letters. */
export class KeyedResults {
  readonly #keys: IdempotencyKeys;
  readonly #sealed: SealedText;
  readonly #clock: Clock;

  constructor(keys: IdempotencyKeys, sealed: SealedText, clock: Clock) {
    this.#keys = keys;
    this.#sealed = sealed;
    this.#clock = clock;
  }

  /**
   * @param body the same for every call with the key
   * @throws ServiceError `idempotency_key_reused`; `request_in_progress` while the first call runs; errors of `make`
   */
  async once<T extends object>(key: ScopedKey, body: unknown, make: () => Promise<T>): Promise<T> {
    const digest = createHash('sha256').update(JSON.stringify(body)).digest('hex');
    const claimed = await this.#keys.claim(key, digest, 'body');
    if (claimed.state === 'running') throw idempotencyKeyContended();
    if (claimed.state === 'done') {
      const result = this.#sealed.open(claimed.outcome, claimed.id);
      if (result !== null) return JSON.parse(result) as T;
      // The secret was replaced.
    }
    const own = claimed.state === 'own' ? claimed.key : await claimed.takeOver();
    if (!own) throw idempotencyKeyContended();
    const made = await withHeartbeat(this.#clock, own, make).catch(async (error: unknown) => {
      await own.release().catch(() => undefined);
      throw error;
    });
    await own.complete(this.#sealed.seal(JSON.stringify(made), own.id));
    return made;
  }
}

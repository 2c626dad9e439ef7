import type { Clock } from '../contract/clock.ts';

const beatMs = 5_000;
// Four heartbeats: one may be lost, and the event loop or the storage may be slow.
const deadAfterMs = 20_000;

/** Runs `work` and sends a heartbeat every few seconds until it ends. A failed heartbeat is ignored. */
export async function withHeartbeat<T>(
  clock: Clock,
  sender: { beat(): Promise<unknown> },
  work: () => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const beating = (async () => {
    for (;;) {
      await clock.wait(beatMs, over.signal);
      if (over.signal.aborted) return;
      await sender.beat().catch(() => undefined);
    }
  })();
  try {
    return await work();
  } finally {
    over.abort();
    // A heartbeat in flight must not arrive after later writes.
    await beating;
  }
}

/** How long until the sender of a heartbeat counts as dead; zero if it already does. */
export const msUntilDead = (aliveAtMs: number, nowMs: number): number =>
  Math.max(0, aliveAtMs + deadAfterMs - nowMs);

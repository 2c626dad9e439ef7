import type { Clock } from '../contract/clock.ts';

const beatMs = 5_000;
// Four beats: one may be lost, and the event loop or the storage be slow.
const deadAfterMs = 20_000;

/** Runs `work`, and says every few seconds that it is still running. A beat that fails is followed by the next. */
export async function withPulse<T>(
  clock: Clock,
  beat: () => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const beating = (async () => {
    for (;;) {
      await clock.wait(beatMs, over.signal);
      if (over.signal.aborted) return;
      await beat().catch(() => undefined);
    }
  })();
  try {
    return await work();
  } finally {
    over.abort();
    // A beat that is on its way must not arrive after what follows.
    await beating;
  }
}

/** How long until whoever has last said so counts as dead; zero when that is so already. */
export const msUntilDead = (aliveAtMs: number, nowMs: number): number =>
  Math.max(0, aliveAtMs + deadAfterMs - nowMs);

import type { Clock } from '../../lib/contract/clock.ts';
import { SmbError } from '../smb/index.ts';

/** A file that is open elsewhere (virus scanner, editor) is usually closed within this time. */
const busyWaitsMs = [100, 300, 1000, 2000];

/** Makes a call, and repeats it while what it needs is in use elsewhere. */
export async function whenFree<T>(call: () => Promise<T>, clock: Clock, signal: AbortSignal): Promise<T> {
  for (let busy = 0; ; busy += 1) {
    try {
      return await call();
    } catch (error) {
      const waitMs = busyWaitsMs[busy];
      const isBusy = error instanceof SmbError && error.code === 'EBUSY';
      if (!isBusy || waitMs === undefined || signal.aborted) throw error;
      await clock.wait(waitMs, signal);
    }
  }
}

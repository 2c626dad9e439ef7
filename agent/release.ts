import { failureDelayMs } from './backoff.ts';
import { serviceVerdict } from './failure.ts';
import type { LeaseParts } from './lease.ts';
import type { Claim } from './service-client.ts';
import { ServiceFailure } from './service-failure.ts';

/** The lease expires anyway; a release only saves that wait, so it is not worth more tries. */
const mostTries = 3;
/** A supervisor that sent a second signal soon kills the process: systemd after 90 s, `docker stop` after 10 s. */
const lastCallMs = 5_000;

/**
 * Releases a claimed request. If that fails, it is claimable when its lease expires. The heartbeats must have ended.
 *
 * @param isEnding the agent stops immediately: one short try
 * @returns whether the service accepted the release
 */
export async function releaseRequest(
  claim: Claim,
  reason: string,
  { service, clock, random, log }: LeaseParts,
  isEnding: boolean,
): Promise<boolean> {
  for (let failures = 1; ; failures += 1) {
    try {
      await service.release(claim, reason, isEnding ? { timeoutMs: lastCallMs } : {});
      log.warn({ reason }, 'released: the request is claimable again');
      return true;
    } catch (error) {
      if (!(error instanceof ServiceFailure)) throw error;
      const verdict = serviceVerdict(error);
      if (isEnding || verdict !== 'again' || failures === mostTries) {
        const then =
          verdict === 'claim-lost'
            ? 'the claim had ended before the release'
            : 'the release failed: the request is claimable again when its lease expires';
        log.warn({ reason, why: error.message }, then);
        return false;
      }
      await clock.wait(failureDelayMs({ failures, baseMs: 1000, maxMs: 10_000 }, random()));
    }
  }
}

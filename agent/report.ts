import type { FolderRequestReport } from '../lib/contract/folder-requests.ts';
import { failureDelayMs } from './backoff.ts';
import { serviceVerdict } from './failure.ts';
import type { LeaseParts } from './lease.ts';
import type { Claim } from './service-client.ts';
import { ServiceFailure } from './service-failure.ts';

/** After a lost report the whole work is repeated, so a report is worth more tries than a claim. */
export const reportLimitMs = 10 * 60_000;

export interface ReportParts extends LeaseParts {
  readonly maxBackoffMs: number;
}

/**
 * Delivers a report. The service accepts the same one twice, so a try whose response was lost does no harm.
 *
 * @returns whether the service accepted the report; false when it never will, or when the time is over
 * @throws the reason of `signal` when that ended it
 */
export async function deliverReport(
  claim: Claim,
  report: FolderRequestReport,
  { service, clock, random, maxBackoffMs, log }: ReportParts,
  signal: AbortSignal,
): Promise<boolean> {
  const startedMs = clock.now();
  for (let failures = 1; ; failures += 1) {
    try {
      await service.report(claim, report, { signal });
      return true;
    } catch (error) {
      if (!(error instanceof ServiceFailure)) throw error;
      const verdict = serviceVerdict(error);
      if (verdict === 'claim-lost' || verdict === 'dropped') {
        log.error({ reason: error.message, status: report.status }, 'the service rejects the report');
        return false;
      }
      const { retryAfterMs } = error;
      const waitMs = failureDelayMs({ failures, baseMs: 1000, maxMs: maxBackoffMs, retryAfterMs }, random());
      if (clock.now() + waitMs - startedMs > reportLimitMs) {
        log.error(
          { reason: error.message, status: report.status, failures },
          'the report could not be delivered',
        );
        return false;
      }
      log.warn(
        { reason: error.message, failures, waitMs: Math.round(waitMs) },
        'the report failed; retrying',
      );
      await clock.wait(waitMs, signal);
      signal.throwIfAborted();
    }
  }
}

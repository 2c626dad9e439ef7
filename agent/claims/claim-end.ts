import type { FolderRequestReport } from '../../lib/contract/folder-requests.ts';
import { failureDelayMs } from '../base/backoff.ts';
import { serviceVerdict } from '../base/failure.ts';
import type { LeaseParts } from './lease.ts';
import type { Claim } from './service-client.ts';
import { ServiceFailure } from '../base/service-failure.ts';

/** After a lost report the whole work is repeated, so a report is worth more tries than a claim. */
export const reportLimitMs = 10 * 60_000;
/** The lease expires anyway; a release only saves that wait, so it is not worth more. */
const releaseLimitMs = 30_000;
/** A supervisor that sent a second signal soon kills the process: systemd after 90 s, `docker stop` after 10 s. */
const lastCallMs = 5_000;

export interface ClaimEndParts extends LeaseParts {
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
  parts: ClaimEndParts,
  signal: AbortSignal,
): Promise<boolean> {
  const failure = await repeatCall(
    () => parts.service.report(claim, report, { signal }),
    reportLimitMs,
    parts,
    signal,
  );
  if (failure) {
    const facts = { reason: failure.message, status: report.status, requestId: failure.requestId };
    parts.log.error(facts, 'the report could not be delivered');
  }
  return failure === undefined;
}

/**
 * Releases a claimed request. If that fails, it is claimable when its lease expires. The heartbeats must have ended.
 *
 * @param isEnding the agent stops immediately: one short try
 */
export async function releaseRequest(
  claim: Claim,
  reason: string,
  parts: ClaimEndParts,
  isEnding: boolean,
): Promise<void> {
  const failure = await repeatCall(
    () => parts.service.release(claim, reason, isEnding ? { timeoutMs: lastCallMs } : {}),
    isEnding ? 0 : releaseLimitMs,
    parts,
  );
  const outcome =
    failure === undefined
      ? 'released: the request is claimable again'
      : serviceVerdict(failure) === 'claim-lost'
        ? 'the claim had ended before the release'
        : 'the release failed: the request is claimable again when its lease expires';
  parts.log.warn({ reason, why: failure?.message, requestId: failure?.requestId }, outcome);
}

/** Repeats a call until the service accepts it or never will, or until the time is over; returns the last failure. */
async function repeatCall(
  call: () => Promise<void>,
  limitMs: number,
  { clock, random, maxBackoffMs, log }: ClaimEndParts,
  signal?: AbortSignal,
): Promise<ServiceFailure | undefined> {
  const endsMs = clock.now() + limitMs;
  for (let failures = 1; ; failures += 1) {
    try {
      await call();
      return undefined;
    } catch (error) {
      if (!(error instanceof ServiceFailure)) throw error;
      const { retryAfterMs, message, requestId } = error;
      const waitMs = failureDelayMs({ failures, baseMs: 1000, maxMs: maxBackoffMs, retryAfterMs }, random());
      const isFinal = ['claim-lost', 'dropped'].includes(serviceVerdict(error));
      if (isFinal || clock.now() + waitMs >= endsMs) return error;
      log.warn(
        { reason: message, requestId, failures, waitMs: Math.round(waitMs) },
        'a call failed; retrying',
      );
      await clock.wait(waitMs, signal);
      signal?.throwIfAborted();
    }
  }
}

import type { AgentStatus } from '../base/agent-status.ts';
import type { FolderRequestReport } from '../../lib/contract/folder-requests.ts';
import { type ClaimEndParts, deliverReport, releaseRequest } from './claim-end.ts';
import { fulfil, type FulfilParts } from '../copy/fulfil.ts';
import { ClaimLost, leaseOf } from './lease.ts';
import type { AgentSignals, WorkEnding } from './poll-loop.ts';
import type { Claim } from './service-client.ts';

/** One claim from its heartbeats to its report. Never throws for what happens to the request. */
export async function workOn(
  claim: Claim,
  agent: FulfilParts & ClaimEndParts & { readonly status?: AgentStatus | undefined },
  { stop, release }: AgentSignals,
): Promise<WorkEnding> {
  const { id, targetPath, attempts, requestedByUserId } = claim.request;
  const log = agent.log.with({ folderRequestId: id });
  const parts = { ...agent, log };
  log.info({ targetPath, attempts, requestedByUserId, requestId: claim.requestId }, 'claimed');
  const startedMs = parts.clock.now();
  const lease = leaseOf(claim, parts);
  const end = AbortSignal.any([lease.lost, release]);
  try {
    await lease.start(end);
    const outcome = await fulfil(claim.target, parts, { end, stop }, log);
    if (outcome.kind === 'leave') {
      log.error(
        { reason: outcome.reason, attempts },
        'nothing is reported: the request is claimable again when its lease expires',
      );
      agent.status?.ended(id, 'left to its lease');
      return 'left';
    }
    if (outcome.kind === 'release' || outcome.kind === 'not-served') {
      lease.end();
      await releaseRequest(claim, outcome.reason, parts, release.aborted);
      agent.status?.ended(id, 'released');
      return outcome.kind === 'release' ? 'left' : 'not-served';
    }
    const report: FolderRequestReport =
      outcome.kind === 'fulfilled'
        ? { status: 'FULFILLED' }
        : {
            status: 'FAILED',
            errorMessage: outcome.errorMessage,
            errorCode: outcome.errorCode,
            errorParams: outcome.errorParams,
            ...(outcome.mayPass === true && { mayPass: true }),
          };
    // A lost claim does not end the delivery: the claim also ends when a report arrived and its response was lost.
    const isDelivered = await deliverReport(claim, report, parts, release);
    const facts = { ...report, workedMs: parts.clock.now() - startedMs };
    agent.status?.ended(
      id,
      isDelivered ? report.status : 'report not delivered',
      outcome.kind === 'failed' ? outcome.errorCode : undefined,
    );
    if (!isDelivered) return 'lost';
    log.info(facts, 'reported');
    return 'reported';
  } catch (error) {
    if (release.aborted) {
      lease.end();
      await releaseRequest(claim, 'the agent received a second signal and stops immediately', parts, true);
      return 'left';
    }
    if (!(error instanceof ClaimLost)) throw error;
    agent.status?.ended(id, 'claim lost');
    log.warn({ reason: error.message }, 'the claim is lost; the agent stops its work on the request');
    return 'lost';
  } finally {
    lease.end();
  }
}

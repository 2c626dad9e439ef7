/**
 * A folder request and its transitions. Pure: every transition takes a request and returns the next one, or the reason
 * why the state does not allow it.
 *
 *   PENDING ──claim──▶ PROCESSING ──report──▶ FULFILLED
 *      ▲                │  ▲  │ ╲
 *      │                └──┘  │  ╲──report──▶ FAILED ──requeue, or by hand──▶ PENDING
 *      │         claim of an  ╰──lease expired too often──▶ FAILED
 *      │         expired lease
 *
 * PROCESSING is a lease: once `leaseExpiresAtMs` has passed, the next claim takes the request over. Whoever changes
 * a request under a claim proves it by the agent id and, where given, the claim token.
 */
import {
  maxErrorMessageLength,
  type FolderRequest,
  type FolderRequestReport,
  type FolderRequestStatus,
} from '../contract/folder-requests.ts';

export interface StoredFolderRequest {
  readonly id: string;
  readonly targetPath: string;
  readonly requestedByUserId: string | null;
  /** Who holds or held the claim; null while PENDING. */
  readonly agentId: string | null;
  readonly status: FolderRequestStatus;
  readonly errorMessage: string | null;
  /** Claims ever made, over all requeues. */
  readonly attempts: number;
  /** Leases that ran out since the request was last queued; a requeue starts a new count. */
  readonly expiredLeases: number;
  /** The token of the last claim; kept after the end so that a repeated report is recognised. */
  readonly claimToken: string | null;
  /** Set while PROCESSING only. */
  readonly leaseExpiresAtMs: number | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly processedAtMs: number | null;
}

/** Who holds a request, and the proof. */
export interface ClaimHolder {
  readonly agentId: string;
  readonly claimToken: string;
}

/** What does not match the claim: the agent, the token, or, where both do, the state of the request. */
export type ClaimLoss = 'agent' | 'token' | 'status';
type ClaimLost = { readonly refused: 'claim_lost'; readonly loss: ClaimLoss };
const claimLost = (loss: ClaimLoss): ClaimLost => ({ refused: 'claim_lost', loss });

export function pendingFolderRequest(
  facts: Pick<StoredFolderRequest, 'id' | 'targetPath' | 'requestedByUserId' | 'createdAtMs'>,
): StoredFolderRequest {
  return {
    ...facts,
    agentId: null,
    status: 'PENDING',
    errorMessage: null,
    attempts: 0,
    expiredLeases: 0,
    claimToken: null,
    leaseExpiresAtMs: null,
    updatedAtMs: facts.createdAtMs,
    processedAtMs: null,
  };
}

export function isClaimable(request: StoredFolderRequest, nowMs: number): boolean {
  return request.status === 'PENDING' || leaseHasExpired(request, nowMs);
}

export function leaseHasExpired(request: StoredFolderRequest, nowMs: number): boolean {
  return request.status === 'PROCESSING' && (request.leaseExpiresAtMs ?? 0) <= nowMs;
}

/**
 * The request after a claim at `nowMs`: PROCESSING. A request that is not PENDING counts one more expired lease, so
 * {@link isExhausted} comes first.
 */
export function claimed(
  request: StoredFolderRequest,
  holder: ClaimHolder,
  limits: { readonly nowMs: number; readonly leaseMs: number },
): StoredFolderRequest {
  return {
    ...request,
    ...holder,
    status: 'PROCESSING',
    attempts: request.attempts + 1,
    expiredLeases: request.expiredLeases + (request.status === 'PROCESSING' ? 1 : 0),
    leaseExpiresAtMs: limits.nowMs + limits.leaseMs,
    updatedAtMs: limits.nowMs,
  };
}

/** Whether the lease that has just run out was the last one allowed (the poison guard). */
export function isExhausted(request: StoredFolderRequest, maxExpiredLeases: number): boolean {
  return request.status === 'PROCESSING' && request.expiredLeases + 1 >= maxExpiredLeases;
}

export function exhausted(request: StoredFolderRequest, nowMs: number): StoredFolderRequest {
  const expiredLeases = request.expiredLeases + 1;
  const times = expiredLeases === 1 ? 'once' : `${expiredLeases} times`;
  return {
    ...request,
    status: 'FAILED',
    expiredLeases,
    errorMessage: `The lease expired ${times}: an agent claimed the request and neither reported nor kept the claim alive.`,
    leaseExpiresAtMs: null,
    updatedAtMs: nowMs,
    processedAtMs: nowMs,
  };
}

/** A report by an agent. `repeated` is the same final report again, which changes nothing. */
export function reported(
  request: StoredFolderRequest,
  agentId: string,
  report: FolderRequestReport,
  nowMs: number,
):
  | { readonly next: StoredFolderRequest }
  | { readonly repeated: true }
  | { readonly refused: 'not_processing' }
  | ClaimLost {
  const isHolder = request.agentId === agentId;
  const isSameClaim = report.claimToken === undefined || report.claimToken === request.claimToken;
  if (!isSameClaim) return claimLost(isHolder ? 'token' : 'agent');
  if (request.status === 'PROCESSING') {
    if (!isHolder) return claimLost('agent');
    return {
      next: {
        ...request,
        status: report.status,
        errorMessage: report.status === 'FAILED' ? bounded(report.errorMessage) : null,
        leaseExpiresAtMs: null,
        updatedAtMs: nowMs,
        processedAtMs: nowMs,
      },
    };
  }
  if (isHolder && request.status === report.status) return { repeated: true };
  return { refused: 'not_processing' };
}

/** A sign of life. A lease that has run out but that nobody took over is extended too: the work is still exclusive. */
export function extended(
  request: StoredFolderRequest,
  holder: ClaimHolder,
  limits: { readonly nowMs: number; readonly leaseMs: number },
): { readonly next: StoredFolderRequest } | ClaimLost {
  if (request.agentId !== holder.agentId) return claimLost('agent');
  if (request.claimToken !== holder.claimToken) return claimLost('token');
  if (request.status !== 'PROCESSING') return claimLost('status');
  return {
    next: {
      ...request,
      // Later than before in any case: the end of a lease names its index row, and no name is used twice.
      leaseExpiresAtMs: Math.max(limits.nowMs + limits.leaseMs, (request.leaseExpiresAtMs ?? 0) + 1),
      updatedAtMs: limits.nowMs,
    },
  };
}

/** FAILED to PENDING, in its old place of the queue. */
export function requeued(
  request: StoredFolderRequest,
  nowMs: number,
): { readonly next: StoredFolderRequest } | { readonly refused: 'not_failed' } {
  if (request.status !== 'FAILED') return { refused: 'not_failed' };
  return {
    next: {
      ...request,
      status: 'PENDING',
      agentId: null,
      claimToken: null,
      errorMessage: null,
      expiredLeases: 0,
      leaseExpiresAtMs: null,
      updatedAtMs: nowMs,
      processedAtMs: null,
    },
  };
}

/** The wire form (contract.md, "Folder requests"). */
export function entryOf(request: StoredFolderRequest): FolderRequest {
  return {
    id: request.id,
    targetPath: request.targetPath,
    requestedByUserId: request.requestedByUserId,
    agentId: request.agentId,
    status: request.status,
    errorMessage: request.errorMessage,
    attempts: request.attempts,
    createdAt: isoTime(request.createdAtMs),
    updatedAt: isoTime(request.updatedAtMs),
    processedAt: request.processedAtMs === null ? null : isoTime(request.processedAtMs),
  };
}

export const isoTime = (ms: number): string => new Date(ms).toISOString();

/** Cut at a whole character, with an ellipsis inside the limit. */
function bounded(text: string): string {
  // Azurite refuses a transaction with a raw line separator in it.
  const message = text.replaceAll(/[\u2028\u2029]/g, '\n').toWellFormed();
  if (message.length <= maxErrorMessageLength) return message;
  return `${message.slice(0, maxErrorMessageLength - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/**
 * A folder request and its transitions. Pure functions: every transition takes a request and returns the next state, or the
 * reason why the current state does not allow it.
 *
 *   PENDING ──claim──▶ PROCESSING ──report──▶ FULFILLED
 *      ▲ ◀────release────│  ▲  │ ╲
 *      │                └──┘  │  ╲──report──▶ FAILED ──requeue, or by hand──▶ PENDING
 *      │         claim of an  ╰──lease expired too often──▶ FAILED
 *      │         expired lease
 *
 * A PENDING request can be withdrawn, which deletes it with its rows.
 *
 * PROCESSING is a lease: after `leaseExpiresAtMs` the next claim takes over the request. A change under a claim must prove it
 * by the agent id and, if given, the claim token.
 */
import { withEntry, wireHistory, type History } from './history.ts';
import {
  maxErrorMessageLength,
  type FolderRequest,
  type FolderRequestReport,
  type FolderRequestStatus,
  type FolderRequestWithHistory,
} from '../contract/folder-requests.ts';

export interface StoredFolderRequest {
  readonly id: string;
  readonly targetPath: string;
  readonly requestedByUserId: string | null;
  /** The agent that holds or held the claim; null while PENDING. */
  readonly agentId: string | null;
  readonly status: FolderRequestStatus;
  readonly errorMessage: string | null;
  /** Total number of claims, across all requeues. */
  readonly attempts: number;
  /** Leases that have expired since the request was last queued; a requeue resets the count. */
  readonly expiredLeases: number;
  /** The token of the last claim; kept after the end to recognize a repeated report. */
  readonly claimToken: string | null;
  /** Set while PROCESSING only. */
  readonly leaseExpiresAtMs: number | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly processedAtMs: number | null;
  /** The transitions so far; each transition writes it. */
  readonly history: History;
}

/** The agent that holds a request, and the proof. */
export interface ClaimHolder {
  readonly agentId: string;
  readonly claimToken: string;
}

/** What does not match the claim: the agent, the token, or, if both match, the state of the request. */
export type ClaimLoss = 'agent' | 'token' | 'status';
type ClaimLost = { readonly rejected: 'claim_lost'; readonly loss: ClaimLoss };
const claimLost = (loss: ClaimLoss): ClaimLost => ({ rejected: 'claim_lost', loss });

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
    history: withEntry([], {
      atMs: facts.createdAtMs,
      event: 'created',
      ...(facts.requestedByUserId !== null && { userId: facts.requestedByUserId }),
    }),
  };
}

export function isClaimable(request: StoredFolderRequest, nowMs: number): boolean {
  return request.status === 'PENDING' || leaseHasExpired(request, nowMs);
}

export function leaseHasExpired(request: StoredFolderRequest, nowMs: number): boolean {
  return request.status === 'PROCESSING' && (request.leaseExpiresAtMs ?? 0) <= nowMs;
}

/**
 * The request after a claim at `nowMs`: PROCESSING. For a request that is not PENDING this counts one more expired lease, so
 * check {@link isExhausted} first.
 */
export function claimed(
  request: StoredFolderRequest,
  holder: ClaimHolder,
  limits: { readonly nowMs: number; readonly leaseMs: number },
): StoredFolderRequest {
  const before = request.status === 'PROCESSING' ? withLeaseExpired(request, limits.nowMs) : request.history;
  return {
    ...request,
    ...holder,
    history: withEntry(before, { atMs: limits.nowMs, event: 'claimed', agentId: holder.agentId }),
    status: 'PROCESSING',
    attempts: request.attempts + 1,
    expiredLeases: request.expiredLeases + (request.status === 'PROCESSING' ? 1 : 0),
    leaseExpiresAtMs: limits.nowMs + limits.leaseMs,
    updatedAtMs: limits.nowMs,
  };
}

/** Whether the lease that has just expired was the last one allowed (the poison guard). */
export function isExhausted(request: StoredFolderRequest, maxExpiredLeases: number): boolean {
  return request.status === 'PROCESSING' && request.expiredLeases + 1 >= maxExpiredLeases;
}

export function exhausted(request: StoredFolderRequest, nowMs: number): StoredFolderRequest {
  const expiredLeases = request.expiredLeases + 1;
  const times = expiredLeases === 1 ? 'once' : `${expiredLeases} times`;
  const errorMessage = `The lease expired ${times}: an agent claimed the request and neither reported nor kept the claim alive.`;
  return {
    ...request,
    status: 'FAILED',
    expiredLeases,
    errorMessage,
    history: withEntry(withLeaseExpired(request, nowMs), {
      atMs: nowMs,
      event: 'failed',
      message: errorMessage,
    }),
    leaseExpiresAtMs: null,
    updatedAtMs: nowMs,
    processedAtMs: nowMs,
  };
}

/** The history entry for the end of a lease, which is recorded only when a later claim finds it. */
const withLeaseExpired = (
  { history, leaseExpiresAtMs, agentId }: StoredFolderRequest,
  nowMs: number,
): History =>
  withEntry(history, {
    atMs: Math.min(leaseExpiresAtMs ?? nowMs, nowMs),
    event: 'lease_expired',
    ...(agentId !== null && { agentId }),
  });

/** A report by an agent. `repeated` means that the same final report has been sent again, which changes nothing. */
export function reported(
  request: StoredFolderRequest,
  agentId: string,
  report: FolderRequestReport,
  nowMs: number,
):
  | { readonly next: StoredFolderRequest }
  | { readonly repeated: true }
  | { readonly rejected: 'not_processing' }
  | ClaimLost {
  const isHolder = request.agentId === agentId;
  const isSameClaim = report.claimToken === undefined || report.claimToken === request.claimToken;
  if (!isSameClaim) return claimLost(isHolder ? 'token' : 'agent');
  if (request.status === 'PROCESSING') {
    if (!isHolder) return claimLost('agent');
    const errorMessage = report.status === 'FAILED' ? bounded(report.errorMessage) : null;
    return {
      next: {
        ...request,
        status: report.status,
        errorMessage,
        history: withEntry(request.history, {
          atMs: nowMs,
          event: report.status === 'FAILED' ? 'failed' : 'fulfilled',
          agentId,
          ...(errorMessage !== null && { message: errorMessage }),
        }),
        leaseExpiresAtMs: null,
        updatedAtMs: nowMs,
        processedAtMs: nowMs,
      },
    };
  }
  if (isHolder && request.status === report.status) return { repeated: true };
  return { rejected: 'not_processing' };
}

/** A heartbeat. Also extends a lease that has expired but was not taken over: the work is still exclusive. */
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
      // Always later than before: the end of a lease is part of the key of its index row, and no key is used twice.
      leaseExpiresAtMs: Math.max(limits.nowMs + limits.leaseMs, (request.leaseExpiresAtMs ?? 0) + 1),
      updatedAtMs: limits.nowMs,
    },
  };
}

/** PROCESSING back to PENDING, in its old place in the queue. Does not count as an expired lease. */
export function released(
  request: StoredFolderRequest,
  { agentId, claimToken }: ClaimHolder,
  reason: string,
  nowMs: number,
): { readonly next: StoredFolderRequest } | ClaimLost {
  if (request.agentId !== agentId) return claimLost('agent');
  if (request.claimToken !== claimToken) return claimLost('token');
  if (request.status !== 'PROCESSING') return claimLost('status');
  return {
    next: {
      ...request,
      status: 'PENDING',
      agentId: null,
      claimToken: null,
      leaseExpiresAtMs: null,
      updatedAtMs: nowMs,
      history: withEntry(request.history, { atMs: nowMs, event: 'released', agentId, message: reason }),
    },
  };
}

/** Whether its requester can withdraw the request. */
export const isWithdrawable = ({ status }: StoredFolderRequest): boolean => status === 'PENDING';

/**
 * FAILED to PENDING, in its old place in the queue.
 *
 * @param by the administrator's user id; null for a change by hand in the table
 */
export function requeued(
  request: StoredFolderRequest,
  nowMs: number,
  by: string | null,
): { readonly next: StoredFolderRequest } | { readonly rejected: 'not_failed' } {
  if (request.status !== 'FAILED') return { rejected: 'not_failed' };
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
      history: withEntry(
        request.history,
        by === null
          ? { atMs: nowMs, event: 'repaired_by_hand' }
          : { atMs: nowMs, event: 'requeued', userId: by },
      ),
    },
  };
}

/** The wire form (docs/http-contract.md, "Folder requests"). */
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

/** The response for a single request. */
export const entryWithHistory = (request: StoredFolderRequest): FolderRequestWithHistory => ({
  ...entryOf(request),
  history: wireHistory(request.history),
});

export const isoTime = (ms: number): string => new Date(ms).toISOString();

/** Cut at a whole character, with an ellipsis inside the limit. */
function bounded(text: string): string {
  // Azurite rejects a transaction that contains a raw line separator.
  const message = text.replaceAll(/[\u2028\u2029]/g, '\n').toWellFormed();
  if (message.length <= maxErrorMessageLength) return message;
  return `${message.slice(0, maxErrorMessageLength - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

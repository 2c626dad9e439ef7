import type {
  ClaimedFolderRequest,
  FolderRequest,
  FolderRequestHistoryEntry,
  FolderRequestReport,
  FolderRequestStatus,
} from '../../../lib/contract/folder-requests.ts';
import type { LoggedEvent } from '../../support/folder-queue.ts';

/** What a call returns, or the code with which it is rejected. */
export type Verdict = { readonly returns: unknown } | { readonly code: string };

export interface ModelFacts {
  readonly targetPath: string;
  readonly requestedByUserId: string;
  readonly requestedByName?: string;
  readonly projectId?: string;
  readonly idempotencyKey?: string;
}

export interface ModelRequest {
  readonly facts: ModelFacts;
  /** As every response shows it. */
  entry: FolderRequest;
  readonly history: FolderRequestHistoryEntry[];
  /** Of the last claim, until a release or requeue. */
  token: string | null;
  readonly oldTokens: string[];
  /** Leases that have ended since it was last queued. */
  expired: number;
  leaseEndsAtMs: number;
}

interface Caller {
  readonly agentId: string;
  /** Absent in the reports of agents that send none. */
  readonly claimToken?: string | undefined;
}

const isoTime = (ms: number): string => new Date(ms).toISOString();

/**
 * The queue in memory, as one instance without shards. Written from docs/http-contract.md and the README's table of events,
 * not from the rules of the implementation.
 */
export class QueueModel {
  readonly requests: ModelRequest[] = [];
  /** Ids of requests that were withdrawn. */
  readonly withdrawn: string[] = [];
  readonly outcomes: { readonly atMs: number; readonly status: string; readonly agentId: string | null }[] =
    [];
  readonly events: LoggedEvent[] = [];
  readonly #leaseMs: number;
  readonly #maxExpired: number;

  constructor(leaseMs: number, maxExpired: number) {
    this.#leaseMs = leaseMs;
    this.#maxExpired = maxExpired;
  }

  /** The request that a key leads to, if the same body created it. */
  ofKey(facts: ModelFacts): ModelRequest | 'idempotency_key_reused' | undefined {
    const { requestedByUserId, idempotencyKey } = facts;
    const first = this.requests.find(
      (request) =>
        idempotencyKey !== undefined &&
        request.facts.idempotencyKey === idempotencyKey &&
        request.facts.requestedByUserId === requestedByUserId,
    );
    if (first === undefined) return undefined;
    const isSame = first.facts.targetPath === facts.targetPath && first.facts.projectId === facts.projectId;
    return isSame ? first : 'idempotency_key_reused';
  }

  create(id: string, facts: ModelFacts, nowMs: number): FolderRequest {
    const { targetPath, requestedByUserId, requestedByName = null, projectId } = facts;
    const at = isoTime(nowMs);
    const entry: FolderRequest = {
      id,
      targetPath,
      requestedByUserId,
      requestedByName,
      agentId: null,
      status: 'PENDING',
      errorMessage: null,
      attempts: 0,
      createdAt: at,
      updatedAt: at,
      processedAt: null,
      ...(projectId !== undefined && { projectId }),
    };
    const history = [{ at, event: 'created' as const, userId: requestedByUserId }];
    const rest = { token: null, oldTokens: [], expired: 0, leaseEndsAtMs: 0 };
    this.requests.push({ facts, entry, history, ...rest });
    this.#log('info', 'folder_request_created', { id });
    return entry;
  }

  /** Returns requests whose leases have ended to the queue; those that ended too often become FAILED. */
  lapse(nowMs: number): void {
    for (const request of this.requests) {
      if (request.entry.status !== 'PROCESSING' || request.leaseEndsAtMs > nowMs) continue;
      const { id, agentId, attempts } = request.entry;
      request.expired += 1;
      request.history.push({
        at: isoTime(request.leaseEndsAtMs),
        event: 'lease_expired',
        ...(agentId !== null && { agentId }),
      });
      this.#log('warn', 'folder_request_lease_expired', { id, attempts });
      if (request.expired < this.#maxExpired) {
        this.#change(request, nowMs, { status: 'PENDING' });
        continue;
      }
      const times = `${this.#maxExpired} times`;
      const errorMessage = `The lease expired ${times}: an agent claimed the request and neither reported nor kept the claim alive.`;
      this.#end(request, nowMs, {
        status: 'FAILED',
        errorMessage,
        errorCode: 'lease_expired',
        errorParams: { times: String(this.#maxExpired) },
      });
      request.history.push({ at: isoTime(nowMs), event: 'failed', message: errorMessage });
      this.#log('warn', 'folder_request_failed', { id, attempts, reason: 'lease_expired' });
    }
  }

  /** Waiting requests, oldest first. */
  waiting(): ModelRequest[] {
    return this.requests
      .filter(({ entry }) => entry.status === 'PENDING')
      .toSorted((one, other) => (one.entry.id < other.entry.id ? -1 : 1));
  }

  claim(request: ModelRequest, { agentId, claimToken = '' }: Caller, nowMs: number): ClaimedFolderRequest {
    if (request.token !== null) request.oldTokens.push(request.token);
    request.token = claimToken;
    request.leaseEndsAtMs = nowMs + this.#leaseMs;
    const { id, attempts, createdAt } = request.entry;
    request.history.push({ at: isoTime(nowMs), event: 'claimed', agentId });
    const waitedMs = nowMs - Date.parse(createdAt);
    const claim = { id, agent: agentId, attempts: attempts + 1, waitedMs };
    this.#log('info', 'folder_request_claimed', claim);
    const entry = this.#change(request, nowMs, { agentId, attempts: attempts + 1, status: 'PROCESSING' });
    return { ...entry, claimToken, leaseExpiresAt: isoTime(request.leaseEndsAtMs) };
  }

  heartbeat(request: ModelRequest, caller: Caller, nowMs: number): Verdict {
    if (!isHolder(request, caller) || !isHeld(request)) return { code: 'claim_lost' };
    const before = request.entry.status === 'PROCESSING' ? request.leaseEndsAtMs : 0;
    request.leaseEndsAtMs = Math.max(nowMs + this.#leaseMs, before + 1);
    this.#change(request, nowMs, { status: 'PROCESSING' });
    return { returns: { leaseExpiresAt: isoTime(request.leaseEndsAtMs) } };
  }

  report(request: ModelRequest, caller: Caller, report: FolderRequestReport, nowMs: number): Verdict {
    const { claimToken = request.token } = caller;
    if (claimToken !== request.token) return { code: 'claim_lost' };
    const isByHolder = request.entry.agentId === caller.agentId;
    if (!isHeld(request)) {
      const isRepeated = isByHolder && request.entry.status === report.status;
      return isRepeated ? { returns: request.entry } : { code: 'not_processing' };
    }
    if (!isByHolder) return { code: 'claim_lost' };
    const { claimToken: _token, ...outcome } = report;
    const { agentId } = caller;
    const { id, attempts } = request.entry;
    const at = isoTime(nowMs);
    if (report.status === 'FULFILLED') {
      request.history.push({ at, event: 'fulfilled', agentId });
      this.#log('info', 'folder_request_fulfilled', { id, agent: agentId, attempts });
    } else {
      request.history.push({ at, event: 'failed', agentId, message: report.errorMessage });
      this.#log('warn', 'folder_request_failed', { id, agent: agentId, attempts, reason: 'reported' });
    }
    return { returns: this.#end(request, nowMs, outcome) };
  }

  release(request: ModelRequest, caller: Caller, reason: string, nowMs: number): Verdict {
    const isReleasable = isHolder(request, caller) && request.entry.status === 'PROCESSING';
    if (!isReleasable) return { code: 'claim_lost' };
    const { agentId } = caller;
    const { id, attempts } = request.entry;
    request.history.push({ at: isoTime(nowMs), event: 'released', agentId, message: reason });
    this.#log('info', 'folder_request_released', { id, agent: agentId, attempts });
    return { returns: this.#free(request, nowMs, {}) };
  }

  requeue(
    request: ModelRequest,
    by: { readonly userId: string; readonly name: string },
    targetPath: string | undefined,
    nowMs: number,
  ): Verdict {
    const { status, targetPath: before } = request.entry;
    if (status !== 'FAILED') return { code: 'not_failed' };
    request.history.push({
      at: isoTime(nowMs),
      event: 'requeued',
      userId: by.userId,
      userName: by.name,
      ...(targetPath !== undefined && targetPath !== before && { message: `The target path was ${before}` }),
    });
    const { id, attempts } = request.entry;
    this.#log('info', 'folder_request_requeued', { id, attempts });
    return { returns: this.#requeued(request, nowMs, targetPath) };
  }

  /** What maintenance makes of a FAILED request whose record was set to PENDING by hand. */
  repair(id: string, nowMs: number): void {
    const request = this.requests.find(({ entry }) => entry.id === id)!;
    request.history.push({ at: isoTime(nowMs), event: 'repaired_by_hand' });
    this.#log('info', 'folder_request_settled', { id, change: 'edited', status: 'PENDING' });
    this.#requeued(request, nowMs, undefined);
  }

  withdraw(request: ModelRequest, by: { readonly userId: string; readonly mayAny: boolean }): Verdict {
    const { id, requestedByUserId, status, attempts } = request.entry;
    if (!by.mayAny && requestedByUserId !== by.userId) return { code: 'forbidden' };
    if (status !== 'PENDING' && !(by.mayAny && status === 'FAILED')) return { code: 'not_pending' };
    this.requests.splice(this.requests.indexOf(request), 1);
    this.withdrawn.push(id);
    this.#log('info', 'folder_request_withdrawn', { id, attempts });
    return { returns: undefined };
  }

  #requeued(request: ModelRequest, nowMs: number, targetPath: string | undefined) {
    request.expired = 0;
    return this.#free(request, nowMs, { processedAt: null, ...(targetPath !== undefined && { targetPath }) });
  }

  #free(request: ModelRequest, nowMs: number, change: Partial<FolderRequest>): FolderRequest {
    if (request.token !== null) request.oldTokens.push(request.token);
    request.token = null;
    const { errorCode: _code, errorParams: _params, ...entry } = request.entry;
    request.entry = entry;
    return this.#change(request, nowMs, { status: 'PENDING', agentId: null, errorMessage: null, ...change });
  }

  #end(
    request: ModelRequest,
    nowMs: number,
    outcome: Partial<FolderRequest> & { readonly status: FolderRequestStatus },
  ): FolderRequest {
    const { agentId } = request.entry;
    this.outcomes.push({ atMs: nowMs, status: outcome.status, agentId });
    return this.#change(request, nowMs, { ...outcome, processedAt: isoTime(nowMs) });
  }

  #change(request: ModelRequest, nowMs: number, change: Partial<FolderRequest>): FolderRequest {
    request.entry = { ...request.entry, ...change, updatedAt: isoTime(nowMs) };
    return request.entry;
  }

  #log(level: LoggedEvent['level'], event: string, fields: LoggedEvent['fields']): void {
    this.events.push({ level, event, fields });
  }
}

const isHolder = ({ entry, token }: ModelRequest, { agentId, claimToken }: Caller): boolean =>
  entry.agentId === agentId && token === claimToken;

/** A lease that has ended is still its holder's until the next claim. */
const isHeld = ({ entry: { status }, token }: ModelRequest): boolean =>
  status === 'PROCESSING' || (status === 'PENDING' && token !== null);

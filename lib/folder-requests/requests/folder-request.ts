/**
 * A folder request and its transitions: each takes a request and returns the next state, or why there is none.
 *
 *   PENDING ──claim──▶ PROCESSING ──report──▶ FULFILLED, FAILED
 *      ▲ ◀─release, free─│  │
 *      │ ◀──lease ended──┘  ╰──lease ended too often──▶ FAILED
 *      ╰──────────requeue──────────────────────────────── FAILED
 *
 * By hand in the table, an operator can set any state.
 *
 * PROCESSING is a lease. After `leaseExpiresAtMs` the request returns to its place among the PENDING, and keeps its holder and
 * token until the next claim: until then the work is still exclusive, so a late report or heartbeat counts. A change under
 * a claim must prove it by the agent id and, if given, the claim token.
 */
import { claimTurnOf, relationTo, type TurnRelation } from './claim-turn.ts';
import { cutText, type History, type HistoryEntry } from './history.ts';
import {
  folderRequest,
  maxErrorMessageLength,
  statedNames,
  type ClaimTurn,
  type FolderRequest,
  type FolderRequestReport,
  type FolderRequestStatus,
  type StatedFields,
} from '../../contract/folder-requests.ts';

type StoredFields = { readonly [Name in keyof StatedFields]-?: string | null };

export interface StoredFolderRequest extends StoredFields {
  readonly id: string;
  readonly targetPath: string;
  readonly requestedByUserId: string | null;
  /** As the token of the request had it; null for requests of 1.0. */
  readonly requestedByName: string | null;
  /** The agent that holds or held the claim; null before the first claim, and after a release or requeue. */
  readonly agentId: string | null;
  readonly status: FolderRequestStatus;
  readonly errorMessage: string | null;
  readonly errorCode: string | null;
  /** JSON. */
  readonly errorParams: string | null;
  /** Total number of claims, across all requeues. */
  readonly attempts: number;
  /** Leases that have expired since the request was last queued; a requeue resets the count. */
  readonly expiredLeases: number;
  /** Releases by agents since the request was last queued. */
  readonly releases: number;
  /** The token of the last claim, as long as it can be used; kept after the end to recognize a repeated report. */
  readonly claimToken: string | null;
  /** Of the last claim that had one, see claim-turn.ts. */
  readonly claimTurn: string | null;
  /** How often it was tried again by itself since it was last queued. */
  readonly retries: number;
  /** When it is tried again by itself; set while FAILED only. */
  readonly retryAtMs: number | null;
  /** Set while PROCESSING only. */
  readonly leaseExpiresAtMs: number | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly processedAtMs: number | null;
  /** Keys, separated by spaces, of rows in its partition that were written with it and are deleted with it. */
  readonly otherRows: string | null;
  /** How many entries its history has had. */
  readonly transitions: number;
  /** Those entries that are not yet stored: a transition adds some, and only these are written. */
  readonly added: History;
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

const unclaimed = { agentId: null, claimToken: null, leaseExpiresAtMs: null };
const noError = { errorMessage: null, errorCode: null, errorParams: null };
const noRetry = { retries: 0, retryAtMs: null };
const nothingEnded = { expiredLeases: 0, releases: 0 };
// Each of a fleet of agents may release a request whose file server is down; none can serve one that so many have released.
const maxReleases = 200;
// Bounds the row: names and values of parameters are chosen by the agent.
const maxParams = 10;
const maxParamNameLength = 40;
const maxParamLength = 500;
const maxNameLength = 200;

export function pendingFolderRequest(
  facts: Pick<StoredFolderRequest, 'id' | 'targetPath' | 'requestedByUserId' | 'createdAtMs'> &
    StatedFields & { readonly requestedByName?: string | undefined },
): StoredFolderRequest {
  const stated = Object.fromEntries(statedNames.map((name) => [name, facts[name] ?? null]));
  const created: StoredFolderRequest = {
    ...facts,
    ...(stated as StoredFields),
    requestedByName:
      facts.requestedByName === undefined ? null : cutText(facts.requestedByName, maxNameLength),
    agentId: null,
    status: 'PENDING',
    ...noError,
    attempts: 0,
    ...nothingEnded,
    claimToken: null,
    claimTurn: null,
    ...noRetry,
    leaseExpiresAtMs: null,
    updatedAtMs: facts.createdAtMs,
    processedAtMs: null,
    otherRows: null,
    transitions: 0,
    added: [],
  };
  return withEntries(created, {
    atMs: facts.createdAtMs,
    event: 'created',
    ...(facts.requestedByUserId !== null && { userId: facts.requestedByUserId }),
  });
}

const withEntries = (request: StoredFolderRequest, ...entries: HistoryEntry[]): StoredFolderRequest => ({
  ...request,
  transitions: request.transitions + entries.length,
  added: entries,
});

/** A PENDING request after a claim at `nowMs`: PROCESSING. */
export function applyClaim(
  request: StoredFolderRequest,
  { agentId, claimToken, turn }: ClaimHolder & { readonly turn?: ClaimTurn | undefined },
  limits: { readonly nowMs: number; readonly leaseMs: number },
): StoredFolderRequest {
  const leaseExpiresAtMs = limits.nowMs + limits.leaseMs;
  const next: StoredFolderRequest = {
    ...request,
    agentId,
    claimToken,
    claimTurn: turn ? claimTurnOf(turn, claimToken, leaseExpiresAtMs) : null,
    status: 'PROCESSING',
    attempts: request.attempts + 1,
    leaseExpiresAtMs,
    updatedAtMs: limits.nowMs,
  };
  return withEntries(next, { atMs: limits.nowMs, event: 'claimed', agentId });
}

/**
 * How a claim with this turn relates to a request that its agent holds. `same` and `not_begun`: it gets the request. An agent sends
 * a heartbeat before it begins to work, so two processes with one key never work on the same request.
 */
export function turnRelation(
  request: StoredFolderRequest,
  agentId: string,
  turn: ClaimTurn,
  nowMs: number,
): TurnRelation {
  const { status, leaseExpiresAtMs } = request;
  const isHolder = request.agentId === agentId && status === 'PROCESSING' && (leaseExpiresAtMs ?? 0) > nowMs;
  return isHolder ? relationTo(request, turn) : 'other';
}

/**
 * The same claim again, or a claim in the place of that of the last process. This counts as an expired lease, so that a request
 * whose claim ends each process becomes FAILED. Undefined if the claim does not get the request.
 */
export function applyRepeatedClaim(
  request: StoredFolderRequest,
  holder: ClaimHolder & { readonly turn: ClaimTurn },
  limits: { readonly nowMs: number; readonly leaseMs: number; readonly maxExpiredLeases: number },
): { readonly repeated: true } | { readonly next: StoredFolderRequest } | undefined {
  const relation = turnRelation(request, holder.agentId, holder.turn, limits.nowMs);
  if (relation === 'other') return undefined;
  if (relation === 'same') return { repeated: true };
  const returned = applyLeaseEnd(request, limits.nowMs, limits.maxExpiredLeases);
  if (returned.status === 'FAILED') return { next: returned };
  const next = applyClaim(returned, holder, limits);
  return { next: { ...next, added: [...returned.added, ...next.added] } };
}

/** A PROCESSING request whose lease has ended: PENDING in its old place, or FAILED if too many of its leases have ended. */
export function applyLeaseEnd(
  request: StoredFolderRequest,
  nowMs: number,
  maxExpiredLeases: number,
): StoredFolderRequest {
  const { agentId, leaseExpiresAtMs } = request;
  const expiredLeases = request.expiredLeases + 1;
  const next = { ...request, expiredLeases, leaseExpiresAtMs: null, updatedAtMs: nowMs };
  const expiry: HistoryEntry = {
    atMs: Math.min(leaseExpiresAtMs ?? nowMs, nowMs),
    event: 'lease_expired',
    ...(agentId !== null && { agentId }),
  };
  if (expiredLeases < maxExpiredLeases) return withEntries({ ...next, status: 'PENDING' }, expiry);
  const times = expiredLeases === 1 ? 'once' : `${expiredLeases} times`;
  const errorMessage = `The lease expired ${times}: an agent claimed the request and neither reported nor kept the claim alive.`;
  const failure = { errorMessage, errorCode: 'lease_expired', errorParams: `{"times":"${expiredLeases}"}` };
  return withEntries({ ...next, ...failure, status: 'FAILED', processedAtMs: nowMs }, expiry, {
    atMs: nowMs,
    event: 'failed',
    message: errorMessage,
  });
}

const isHeld = ({ status, claimToken }: StoredFolderRequest): boolean =>
  status === 'PROCESSING' || (status === 'PENDING' && claimToken !== null);

/** A report by an agent. `repeated` means that the same final report has been sent again, which changes nothing. */
export function applyReport(
  request: StoredFolderRequest,
  agentId: string,
  report: FolderRequestReport,
  nowMs: number,
  retryDelaysMs: readonly number[] = [],
):
  | { readonly next: StoredFolderRequest }
  | { readonly repeated: true }
  | { readonly rejected: 'not_processing' }
  | ClaimLost {
  const isHolder = request.agentId === agentId;
  const isSameClaim = report.claimToken === undefined || report.claimToken === request.claimToken;
  if (!isSameClaim) return claimLost(isHolder ? 'token' : 'agent');
  if (isHeld(request)) {
    if (!isHolder) return claimLost('agent');
    const { status } = report;
    const ended = {
      ...request,
      status,
      ...noError,
      leaseExpiresAtMs: null,
      updatedAtMs: nowMs,
      processedAtMs: nowMs,
    };
    const entry = { atMs: nowMs, agentId };
    switch (status) {
      case 'FULFILLED':
        return { next: withEntries(ended, { ...entry, event: 'fulfilled' }) };
      case 'FAILED': {
        const errorMessage = cutText(report.errorMessage, maxErrorMessageLength);
        const { errorCode = null, errorParams, mayPass = false } = report;
        const delayMs = mayPass ? retryDelaysMs[request.retries] : undefined;
        const retryAtMs = delayMs === undefined ? null : nowMs + delayMs;
        const next = {
          ...ended,
          errorMessage,
          errorCode,
          errorParams: boundedParams(errorParams),
          retryAtMs,
        };
        return { next: withEntries(next, { ...entry, event: 'failed', message: errorMessage }) };
      }
      default:
        return status satisfies never;
    }
  }
  if (isHolder && request.status === report.status) return { repeated: true };
  return { rejected: 'not_processing' };
}

/** A heartbeat. Also takes back a request whose lease has ended and that nobody has claimed. */
export function extendLease(
  request: StoredFolderRequest,
  holder: ClaimHolder,
  limits: { readonly nowMs: number; readonly leaseMs: number },
): { readonly next: StoredFolderRequest } | ClaimLost {
  if (request.agentId !== holder.agentId) return claimLost('agent');
  if (request.claimToken !== holder.claimToken) return claimLost('token');
  if (!isHeld(request)) return claimLost('status');
  return {
    next: {
      ...request,
      status: 'PROCESSING',
      // Always later than before: the end of a lease is part of the key of its index row, and no key is used twice.
      leaseExpiresAtMs: Math.max(limits.nowMs + limits.leaseMs, (request.leaseExpiresAtMs ?? 0) + 1),
      updatedAtMs: limits.nowMs,
    },
  };
}

/** A release by the agent that holds it: it waits again in its old place, or is FAILED after too many in a row. */
export function applyRelease(
  request: StoredFolderRequest,
  { agentId, claimToken }: ClaimHolder,
  reason: string,
  nowMs: number,
): { readonly next: StoredFolderRequest } | ClaimLost {
  if (request.agentId !== agentId) return claimLost('agent');
  if (request.claimToken !== claimToken) return claimLost('token');
  if (request.status !== 'PROCESSING') return claimLost('status');
  const releases = request.releases + 1;
  const next: StoredFolderRequest = { ...request, ...unclaimed, releases, updatedAtMs: nowMs };
  const entry: HistoryEntry = { atMs: nowMs, event: 'released', agentId, message: reason };
  if (releases < maxReleases) return { next: withEntries({ ...next, status: 'PENDING' }, entry) };
  const errorMessage = `Agents have released the request ${releases} times. The last reason: ${reason}`;
  const failure = { ...noError, errorMessage, errorCode: 'other' };
  return {
    next: withEntries({ ...next, ...failure, agentId, status: 'FAILED', processedAtMs: nowMs }, entry, {
      atMs: nowMs,
      event: 'failed',
      message: errorMessage,
    }),
  };
}

/** Takes the request from its agent, which learns it from its next call. */
export function applyFree(
  request: StoredFolderRequest,
  by: Person,
  reason: string,
  nowMs: number,
): { readonly next: StoredFolderRequest } | { readonly rejected: 'not_processing' } {
  if (request.status !== 'PROCESSING') return { rejected: 'not_processing' };
  const entry = { atMs: nowMs, event: 'released' as const, ...entryBy(by), message: reason };
  return { next: withEntries({ ...request, ...unclaimed, status: 'PENDING', updatedAtMs: nowMs }, entry) };
}

/**
 * A waiting request with another path. A holder whose lease has ended loses it: it has worked for the old path.
 */
export function applyPathCorrection(
  request: StoredFolderRequest,
  by: Person,
  targetPath: string,
  nowMs: number,
):
  | { readonly next: StoredFolderRequest }
  | { readonly repeated: true }
  | { readonly rejected: 'not_pending' } {
  if (request.status !== 'PENDING') return { rejected: 'not_pending' };
  if (targetPath === request.targetPath) return { repeated: true };
  const next: StoredFolderRequest = {
    ...request,
    ...unclaimed,
    ...noRetry,
    ...nothingEnded,
    targetPath,
    updatedAtMs: nowMs,
  };
  return {
    next: withEntries(next, {
      atMs: nowMs,
      event: 'requeued',
      ...entryBy(by),
      message: formerPath(request),
    }),
  };
}

export const isWithdrawable = ({ status }: StoredFolderRequest, byAdministrator: boolean): boolean =>
  status === 'PENDING' || (byAdministrator && status === 'FAILED');

/**
 * A request whose record was edited in the table: its status, or other columns if `before` is the same one. A status other than
 * PROCESSING ends a claim; PROCESSING keeps the request from all agents until a lease has ended.
 *
 * @param before the status that the other rows show; undefined if there are none
 */
export function applyEdit(
  request: StoredFolderRequest,
  before: FolderRequestStatus | undefined,
  { nowMs, leaseMs }: { readonly nowMs: number; readonly leaseMs: number },
): StoredFolderRequest {
  const edited = { ...request, updatedAtMs: nowMs };
  const ended = { ...edited, ...noRetry, claimToken: null, leaseExpiresAtMs: null };
  const entry = { atMs: nowMs, event: 'repaired_by_hand' } as const;
  if (before === request.status) return withEntries(edited, entry);
  switch (request.status) {
    case 'PENDING':
      return withEntries(
        { ...ended, ...noError, ...nothingEnded, agentId: null, processedAtMs: null },
        entry,
      );
    case 'PROCESSING': {
      const leased = { ...ended, agentId: null, leaseExpiresAtMs: nowMs + leaseMs };
      return withEntries({ ...leased, ...noError, processedAtMs: null }, entry);
    }
    case 'FULFILLED':
      return withEntries({ ...ended, ...noError, processedAtMs: nowMs }, entry);
    case 'FAILED': {
      const errorMessage = request.errorMessage ?? 'Set to FAILED in the table.';
      return withEntries({ ...ended, errorMessage, processedAtMs: nowMs }, entry);
    }
    default:
      return request.status satisfies never;
  }
}

/** A user, with the name in the token. */
export interface Person {
  readonly userId: string;
  readonly name?: string | undefined;
}

const entryBy = ({ userId, name }: Person) => ({
  userId,
  ...(name !== undefined && { userName: cutText(name, maxNameLength) }),
});

const formerPath = ({ targetPath }: StoredFolderRequest): string => `The target path was ${targetPath}`;

/** A FAILED request when its time has come to be tried again by itself. */
export function applyRetry(
  request: StoredFolderRequest,
  nowMs: number,
  tries: number,
): StoredFolderRequest | undefined {
  const { status, retryAtMs } = request;
  if (status !== 'FAILED' || retryAtMs === null || retryAtMs > nowMs) return undefined;
  const retries = request.retries + 1;
  const next: StoredFolderRequest = {
    ...request,
    ...unclaimed,
    ...noError,
    status: 'PENDING',
    ...nothingEnded,
    retries,
    retryAtMs: null,
    updatedAtMs: nowMs,
    processedAtMs: null,
  };
  return withEntries(next, {
    atMs: nowMs,
    event: 'requeued',
    message: `Tried again by itself, ${retries} of ${tries}`,
  });
}

export function applyRequeue(
  request: StoredFolderRequest,
  nowMs: number,
  by: Person,
  targetPath = request.targetPath,
): { readonly next: StoredFolderRequest } | { readonly rejected: 'not_failed' } {
  if (request.status !== 'FAILED') return { rejected: 'not_failed' };
  const next: StoredFolderRequest = {
    ...request,
    ...unclaimed,
    ...noError,
    ...noRetry,
    status: 'PENDING',
    ...nothingEnded,
    updatedAtMs: nowMs,
    processedAtMs: null,
    targetPath,
  };
  const correction = targetPath === request.targetPath ? {} : { message: formerPath(request) };
  return { next: withEntries(next, { atMs: nowMs, event: 'requeued', ...entryBy(by), ...correction }) };
}

/** What exceeds the bounds is cut instead of rejected: the report matters more than its facts. */
const boundedParams = (params: Readonly<Record<string, string>> = {}): string => {
  const kept = Object.entries(params)
    .map(([name, value]) => [
      name.replaceAll(/[^A-Za-z0-9_]/g, '').slice(0, maxParamNameLength),
      cutText(value, maxParamLength),
    ])
    .filter(([name]) => name !== '');
  return JSON.stringify(Object.fromEntries(kept.slice(0, maxParams)));
};

/** Read leniently, because operators edit rows by hand. */
function failureOf({ errorCode, errorParams }: StoredFolderRequest): Partial<FolderRequest> {
  if (errorCode === null) return {};
  try {
    return stored.parse({ errorCode, errorParams: JSON.parse(errorParams ?? '{}') });
  } catch {
    return { errorCode: 'other', errorParams: {} };
  }
}
const stored = folderRequest.pick({ errorCode: true, errorParams: true });

/** The wire form (docs/http-contract.md, "Folder requests"). */
export function entryOf(request: StoredFolderRequest): FolderRequest {
  return {
    id: request.id,
    targetPath: request.targetPath,
    requestedByUserId: request.requestedByUserId,
    requestedByName: request.requestedByName,
    agentId: request.agentId,
    status: request.status,
    errorMessage: request.errorMessage,
    ...failureOf(request),
    attempts: request.attempts,
    createdAt: isoTime(request.createdAtMs),
    updatedAt: isoTime(request.updatedAtMs),
    processedAt: request.processedAtMs === null ? null : isoTime(request.processedAtMs),
    ...Object.fromEntries(
      statedNames.flatMap((name) => (request[name] === null ? [] : [[name, request[name]]])),
    ),
  };
}

export const isoTime = (ms: number): string => new Date(ms).toISOString();

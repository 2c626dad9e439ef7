import type { EventLog } from '../base/event-log.ts';
import { claimed, exhausted, isExhausted, type StoredFolderRequest } from './folder-request.ts';
import { actionsPerMove } from './moves.ts';
import { indexKeyOf } from './rows.ts';

/** An agent as the queue needs it: the id that is stored, and what logs show of it. */
export interface ClaimingAgent {
  readonly id: string;
  readonly logName: string;
}

/** One claim call that waits for its answer. */
export interface Caller {
  readonly agent: ClaimingAgent;
  readonly log: EventLog;
  resolve(claimed: StoredFolderRequest | null): void;
  reject(error: unknown): void;
}

/** Claimable requests of one shard, oldest first, as they were read a moment ago. */
export interface Window {
  readonly shard: number;
  requests: StoredFolderRequest[];
  /** Rows of the shard that were not read, or are in doubt since a conflict. */
  mayHaveMore: boolean;
}

export interface Move {
  readonly from: StoredFolderRequest;
  readonly to: StoredFolderRequest;
  /** Absent where the move takes an exhausted request out of the queue. */
  readonly caller?: Caller;
}

/** Moves of one shard that are written together, or not at all. */
export interface Batch {
  readonly window: Window;
  readonly moves: readonly Move[];
}

export interface ClaimRules {
  readonly leaseMs: number;
  /** So many expired leases make a request FAILED. */
  readonly maxExpiredLeases: number;
}

/** 33 moves of three entities are 99 of the 100 an entity group transaction may have. */
export const maxMoves = 33;

/**
 * Who gets what. The shard whose head is the oldest serves as many callers as it can: one transaction for all, and
 * with one caller at a time exactly the oldest request of the queue.
 */
export function batchesFor(
  callers: readonly Caller[],
  windows: readonly Window[],
  rules: ClaimRules,
  nowMs: number,
  newToken: () => string,
): Batch[] {
  const left = [...callers];
  const batches: Batch[] = [];
  for (const window of windows.toSorted(byHead)) {
    if (left.length === 0) break;
    const moves: Move[] = [];
    for (const request of window.requests.slice(0, maxMoves)) {
      if (isExhausted(request, rules.maxExpiredLeases)) {
        moves.push({ from: request, to: exhausted(request, nowMs) });
        continue;
      }
      const caller = left.shift();
      if (!caller) break;
      const claim = { agentId: caller.agent.id, claimToken: newToken() };
      moves.push({
        from: request,
        to: claimed(request, claim, { nowMs, leaseMs: rules.leaseMs }),
        caller,
      });
    }
    if (moves.length > 0) batches.push({ window, moves });
  }
  return batches;
}

/**
 * What to try after another instance was faster, the first lost action being `at`. The rows before it are still
 * there. Those behind it probably went with it and wait for the next read: trying them in turn measured 0.38 conflicts
 * per claim instead of 0.14. The rest of the window is taken up at a random place, since a third instance may be doing
 * the same.
 */
export function afterConflict(
  { window, moves }: Batch,
  at: number | undefined,
  rotated: (requests: readonly StoredFolderRequest[]) => StoredFolderRequest[],
): void {
  const alive = moves.slice(0, Math.floor((at ?? 0) / actionsPerMove)).map(({ from }) => from);
  drop({ window, moves });
  window.requests = [...alive, ...rotated(window.requests)];
  window.mayHaveMore = true;
}

export function drop({ window, moves }: Batch): void {
  const gone = new Set(moves.map(({ from }) => from));
  window.requests = window.requests.filter((request) => !gone.has(request));
}

function byHead(one: Window, other: Window): number {
  const key = ({ requests: [head] }: Window): string => (head ? indexKeyOf(head) : '~');
  return key(one) < key(other) ? -1 : 1;
}

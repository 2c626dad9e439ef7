import type { ClaimRouting, ClaimTurn } from '../../contract/folder-requests.ts';
import type { EventLog } from '../../base/event-log.ts';
import type { StoredFolderRequest } from '../requests/folder-request.ts';
import { serves } from '../requests/routing.ts';
import { rowKeys } from '../table/keys.ts';
import type { Indexed } from '../table/rows.ts';
import { maxTransitions } from '../table/transitions.ts';
import type { ShardWindow } from './shard-window.ts';

/** An agent in the queue: the id that is stored, and the name that logs show. */
export interface ClaimingAgent {
  readonly id: string;
  readonly logName: string;
}

/** `idleMs`: for how long the same claim finds nothing, as far as is known; 0 if all that is claimable was not read. */
export type ClaimResult<T> = { readonly claimed: T } | { readonly idleMs: number };

/** A claim call that is waiting for its result. */
export interface ClaimCall {
  readonly agent: ClaimingAgent;
  readonly log: EventLog;
  /** What the agent can serve; absent if that is everything. */
  readonly routing: ClaimRouting | undefined;
  readonly turn: ClaimTurn | undefined;
  /** Its caller does not wait for a response after this time. */
  readonly untilMs: number;
  resolve(result: ClaimResult<StoredFolderRequest>): void;
  reject(error: unknown): void;
}

/** A request for a call. */
export interface Assignment {
  readonly from: Indexed;
  readonly call: ClaimCall;
}

/** Claims in one shard that are written together or not at all. */
export interface Batch {
  readonly window: ShardWindow;
  readonly assignments: readonly Assignment[];
}

/**
 * Assigns requests to calls. The shard with the oldest head serves as many calls as it can, in one transaction. A single
 * call gets exactly the oldest request of the queue.
 *
 * If an agent can serve only some requests, the requests of all shards are assigned in order, each to the call with the
 * fewest alternatives. Every call thus gets the oldest request that no more restricted call needs.
 */
export function batchesFor(calls: readonly ClaimCall[], windows: readonly ShardWindow[]): Batch[] {
  const left = calls.toSorted((one, other) => choiceOf(one) - choiceOf(other));
  const batches = new Map<ShardWindow, Assignment[]>();
  for (const { window, waiting } of inOrder(windows, calls.some(isRouted))) {
    if (left.length === 0) break;
    const assignments = batches.get(window) ?? [];
    const { request } = waiting;
    const call = left.find(
      ({ routing }) =>
        (routing !== undefined || isAmongOldest(waiting)) && serves(routing, request.targetPath),
    );
    if (!call || assignments.length === maxTransitions) continue;
    left.splice(left.indexOf(call), 1);
    assignments.push({ from: waiting, call });
    batches.set(window, assignments);
  }
  return [...batches].map(([window, assignments]) => ({ window, assignments }));
}

/** Read from the queue of all requests. Only these go to calls that accept any target, to keep the order. */
const isAmongOldest = ({ keys: [key = ''] }: Indexed): boolean => rowKeys.waiting.has(key);

export const isRouted = ({ routing }: ClaimCall): boolean => routing !== undefined;

const choiceOf = ({ routing }: ClaimCall): number =>
  routing ? routing.servers.length + (routing.relative ? 1 : 0) : Number.MAX_SAFE_INTEGER;

/** Window after window, the one with the oldest head first, or merged by request. An id begins with the time of creation. */
function inOrder(
  windows: readonly ShardWindow[],
  isMerged: boolean,
): readonly { readonly window: ShardWindow; readonly waiting: Indexed }[] {
  const headOf = ({ requests: [head] }: ShardWindow): string => head?.request.id ?? '~';
  const inTurn = windows
    .toSorted((one, other) => (headOf(one) < headOf(other) ? -1 : 1))
    .flatMap((window) => window.requests.map((waiting) => ({ window, waiting })));
  if (!isMerged) return inTurn;
  return inTurn.toSorted((one, other) => (one.waiting.request.id < other.waiting.request.id ? -1 : 1));
}

import type { ClaimRouting } from '../contract/folder-requests.ts';
import type { EventLog } from '../base/event-log.ts';
import { claimed, exhausted, isExhausted, type StoredFolderRequest } from './folder-request.ts';
import { actionsOfTransition, maxActions } from './transitions.ts';
import { serves } from './routing.ts';
import { indexKeyOf } from './rows.ts';

/** An agent in the queue: the id that is stored, and the name that logs show. */
export interface ClaimingAgent {
  readonly id: string;
  readonly logName: string;
}

/** A claim call that is waiting for its result. */
export interface ClaimCall {
  readonly agent: ClaimingAgent;
  readonly log: EventLog;
  /** What the agent can serve; absent if that is everything. */
  readonly routing: ClaimRouting | undefined;
  resolve(claimed: StoredFolderRequest | null): void;
  reject(error: unknown): void;
}

/** Claimable requests of one shard, oldest first, as recently read. */
export interface Window {
  readonly shard: number;
  /** Only requests with certain targets were read. Calls that accept any are not served from it, to keep the order. */
  readonly isFiltered: boolean;
  requests: StoredFolderRequest[];
  /** More rows follow that were not read. */
  readonly mayHaveMore: boolean;
  /** Set after a conflict: the rows may have changed since they were read. */
  isInDoubt: boolean;
}

export interface Transition {
  readonly from: StoredFolderRequest;
  readonly to: StoredFolderRequest;
  /** Absent if the transition removes an exhausted request from the queue. */
  readonly call?: ClaimCall;
}

/** Transitions of one shard that are written together or not at all. */
export interface Batch {
  readonly window: Window;
  readonly transitions: readonly Transition[];
}

export interface ClaimRules {
  readonly leaseMs: number;
  /** How long a claim with routing relies on the result of an earlier search. Default: 30 s. */
  readonly routeMemoryMs?: number;
  /** The number of expired leases that makes a request FAILED. */
  readonly maxExpiredLeases: number;
}

/** 33 claims of three entities each are 99 of the 100 entities that a transaction may have. */
export const maxClaims = 33;

/**
 * Assigns requests to calls. The shard with the oldest head serves as many calls as it can, in one transaction. A single
 * call gets exactly the oldest request of the queue.
 *
 * If an agent can serve only some requests, the requests of all shards are assigned in order, each to the call with the
 * fewest alternatives. Every call thus gets the oldest request that no more restricted call needs.
 */
export function batchesFor(
  calls: readonly ClaimCall[],
  windows: readonly Window[],
  rules: ClaimRules,
  nowMs: number,
  newToken: () => string,
): Batch[] {
  const left = calls.toSorted((one, other) => choiceOf(one) - choiceOf(other));
  const batches = new Map<Window, { readonly transitions: Transition[]; actions: number }>();
  for (const { window, request } of inOrder(windows, calls.some(isRouted))) {
    const batch = batches.get(window) ?? { transitions: [], actions: 0 };
    if (left.length === 0 && batch.actions === 0) break;
    const transition = transitionOf(request, window.isFiltered);
    if (transition === 'no call is left') break;
    const actions = transition ? actionsOfTransition(transition.to) : 0;
    if (!transition || batch.actions + actions > maxActions) continue;
    if (transition.call) left.splice(left.indexOf(transition.call), 1);
    batch.transitions.push(transition);
    batch.actions += actions;
    batches.set(window, batch);
  }
  return [...batches].map(([window, { transitions }]) => ({ window, transitions }));

  function transitionOf(
    request: StoredFolderRequest,
    isFiltered: boolean,
  ): Transition | undefined | 'no call is left' {
    if (isExhausted(request, rules.maxExpiredLeases)) return { from: request, to: exhausted(request, nowMs) };
    if (left.length === 0) return 'no call is left';
    const call = left.find(
      ({ routing }) => (routing !== undefined || !isFiltered) && serves(routing, request.targetPath),
    );
    if (!call) return undefined;
    const holder = { agentId: call.agent.id, claimToken: newToken() };
    return { from: request, to: claimed(request, holder, { nowMs, leaseMs: rules.leaseMs }), call };
  }
}

const isRouted = ({ routing }: ClaimCall): boolean => routing !== undefined;

const choiceOf = ({ routing }: ClaimCall): number =>
  routing ? routing.servers.length + (routing.relative ? 1 : 0) : Number.MAX_SAFE_INTEGER;

/** Window after window, or merged by request. Each window keeps its own order, which after a conflict is not by time. */
function* inOrder(
  windows: readonly Window[],
  isMerged: boolean,
): Generator<{ readonly window: Window; readonly request: StoredFolderRequest }> {
  let left = windows.map((window) => ({ window, requests: window.requests })).toSorted(byHead);
  for (;;) {
    left = left.filter(({ requests }) => requests.length > 0);
    const [first] = isMerged ? left.toSorted(byHead) : left;
    const [request, ...rest] = first?.requests ?? [];
    if (!first || !request) return;
    yield { window: first.window, request };
    first.requests = rest;
  }
}

/**
 * What to try after losing to another instance, where `at` is the first action that failed. The rows before it still exist.
 * Those after it were probably claimed together with it and wait for the next read: trying them in turn measured 0.38
 * conflicts per claim instead of 0.14. The rest of the window is continued at a random place, since a third instance may be
 * doing the same.
 */
export function afterConflict(
  { window, transitions }: Batch,
  at: number | undefined,
  rotated: (requests: readonly StoredFolderRequest[]) => StoredFolderRequest[],
): void {
  let actions = 0;
  const alive = transitions
    .filter(({ to }) => (actions += actionsOfTransition(to)) <= (at ?? 0))
    .map(({ from }) => from);
  drop({ window, transitions });
  window.requests = [...alive, ...rotated(window.requests)];
  window.isInDoubt = true;
}

export function drop({ window, transitions }: Batch): void {
  const gone = new Set(transitions.map(({ from }) => from));
  window.requests = window.requests.filter((request) => !gone.has(request));
}

type Requests = Pick<Window, 'requests'>;

function byHead(one: Requests, other: Requests): number {
  const key = ({ requests: [head] }: Requests): string => (head ? indexKeyOf(head) : '~');
  return key(one) < key(other) ? -1 : 1;
}

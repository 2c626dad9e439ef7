import type { ClaimRouting } from '../contract/folder-requests.ts';
import type { EventLog } from '../base/event-log.ts';
import { claimed, exhausted, isExhausted, type StoredFolderRequest } from './folder-request.ts';
import { actionsOfTransition, maxActions } from './transitions.ts';
import { serves } from './routing.ts';
import { indexKeyOf } from './rows.ts';

/** An agent as the queue needs it: the id that is stored, and what logs show of it. */
export interface ClaimingAgent {
  readonly id: string;
  readonly logName: string;
}

/** One claim call that waits for its answer. */
export interface ClaimCall {
  readonly agent: ClaimingAgent;
  readonly log: EventLog;
  /** What the agent can serve; absent where that is everything. */
  readonly routing: ClaimRouting | undefined;
  resolve(claimed: StoredFolderRequest | null): void;
  reject(error: unknown): void;
}

/** Claimable requests of one shard, oldest first, as they were read a moment ago. */
export interface Window {
  readonly shard: number;
  /** Only requests with certain targets were read: calls that take any are not served from here, out of turn. */
  readonly isFiltered: boolean;
  requests: StoredFolderRequest[];
  /** There are rows behind these that were not read. */
  readonly mayHaveMore: boolean;
  /** Since a conflict: what was read may have changed. */
  isInDoubt: boolean;
}

export interface Transition {
  readonly from: StoredFolderRequest;
  readonly to: StoredFolderRequest;
  /** Absent where the transition takes an exhausted request out of the queue. */
  readonly call?: ClaimCall;
}

/** Transitions of one shard that are written together, or not at all. */
export interface Batch {
  readonly window: Window;
  readonly transitions: readonly Transition[];
}

export interface ClaimRules {
  readonly leaseMs: number;
  /** How long a claim with routing relies on what an earlier one found; 30 s unless given. */
  readonly routeMemoryMs?: number;
  /** So many expired leases make a request FAILED. */
  readonly maxExpiredLeases: number;
}

/** 33 claims of three entities are 99 of the 100 an entity group transaction may have. */
export const maxClaims = 33;

/**
 * Who gets what. The shard whose head is the oldest serves as many calls as it can: one transaction for all, and
 * with one call at a time exactly the oldest request of the queue.
 *
 * Where an agent can serve some requests only, the requests of all shards are gone through in their order, and each
 * goes to the call that has the least choice: so every call gets the oldest that no pickier one needs.
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
    if (transition === 'nobody is left') break;
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
  ): Transition | undefined | 'nobody is left' {
    if (isExhausted(request, rules.maxExpiredLeases)) return { from: request, to: exhausted(request, nowMs) };
    if (left.length === 0) return 'nobody is left';
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

/** Window after window, or merged by request. Within a window its own order holds: after a conflict that is not time. */
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
 * What to try after another instance was faster, the first lost action being `at`. The rows before it are still
 * there. Those behind it probably went with it and wait for the next read: trying them in turn measured 0.38 conflicts
 * per claim instead of 0.14. The rest of the window is taken up at a random place, since a third instance may be doing
 * the same.
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
